# Files of tests lie in the build folder: two checkouts that are tested at once do not meet.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tmp)
set(HONE_TEST_ENVIRONMENT "HONE_SOURCE_DIR=${PROJECT_SOURCE_DIR};TMPDIR=${PROJECT_BINARY_DIR}/tmp")

# hone_module(<name> [BY_FOLDER] [ONCE|HOT [COLD <folder>...]] DEPENDS <module>... [LINK <library>...])
#
# Makes hone::<name> from every source below the calling folder. The file name says what a file is,
# so adding one needs no edit here:
#   *_test.cc   GoogleTest sources, linked into <name>_test and run by ctest
#   *_bench.cc  Google Benchmark sources, linked into <name>_bench
#   *_fuzz.cc   libFuzzer targets, one program each, built only with HONE_FUZZERS
#   *_neon_dot.cc and other names of instruction sets: built with the flags in HONE_ISA_<name>, and
#               only on the architecture that has them
# Sources are compiled together, BY_FOLDER those of a folder: where every folder has its own eval and its
# own rows_of.
# DEPENDS names every module the sources may include; tools/check_layers.py holds them to it.
# HOT says that users wait for the module's loops: it is built with -O2. ONCE says that it has none but
# what a command does once: -Og, and so are COLD folders of a HOT one. The others are built with -O1.

add_library(hone_warnings INTERFACE)
target_compile_options(hone_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                               $<$<BOOL:${HONE_WERROR}>:-Werror>)
# g++ 12 warns of bounds inside std::string that are kept, once its header is precompiled.
target_compile_options(hone_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
                                               $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
# g++ looks for what it can forget when it has taken a little memory: a tenth of its time. Now from 1 GiB on.
target_compile_options(hone_warnings INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
# Integer and float references must not depend on how a compiler contracts a*b+c.
target_compile_options(hone_warnings INTERFACE -ffp-contract=off)
# The assembler reads what the compiler writes while it writes it.
target_compile_options(hone_warnings INTERFACE -pipe)
target_link_libraries(hone_warnings INTERFACE fmt::fmt nlohmann_json::nlohmann_json
                                              Threads::Threads)

# Most of the build is code that nobody waits for: -O1 saves a fifth of its compile time, -Og a fifth of
# the rest, -O0 a third of the tests'.
set(HONE_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)
set(HONE_ONCE_OPTIONS $<$<CONFIG:Release>:-Og>)
set(HONE_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)

# Instruction sets beyond the architecture's baseline. Code in such a file may be reached only through
# a table of kernel variants that checks the CPU first.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # g++ schedules these kernels, whose sums fill the registers, so that they spill: half the speed.
  set(keep_order $<$<CXX_COMPILER_ID:GNU>:-fno-schedule-insns>)
  set(HONE_ISA_neon ${keep_order})
  set(HONE_ISA_neon_fp16 -march=armv8.2-a+fp16 ${keep_order})
  set(HONE_ISA_neon_dot -march=armv8.2-a+dotprod ${keep_order})
  set(HONE_ISA_neon_i8mm -march=armv8.2-a+dotprod+i8mm ${keep_order})
  set(HONE_ISA_neon_bf16 -march=armv8.2-a+bf16 ${keep_order})
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  set(HONE_ISA_avx2 -mavx2 -mfma -mf16c)
  set(HONE_ISA_avx_vnni ${HONE_ISA_avx2} -mavxvnni)
  set(HONE_ISA_avx512 ${HONE_ISA_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl)
  set(HONE_ISA_avx512_vnni ${HONE_ISA_avx512} -mavx512vnni)
  set(HONE_ISA_avx512_vbmi ${HONE_ISA_avx512_vnni} -mavx512vbmi)
  set(HONE_ISA_avx512_bf16 ${HONE_ISA_avx512} -mavx512bf16)
  set(HONE_ISA_avx512_fp16 ${HONE_ISA_avx512} -mavx512fp16)
  set(HONE_ISA_amx_int8 ${HONE_ISA_avx512_vnni} -mamx-tile -mamx-int8)
  set(HONE_ISA_amx_bf16 ${HONE_ISA_avx512_bf16} -mamx-tile -mamx-bf16)
  # What Highway's code is compiled for at least (kernels/hwy_targets.h): by itself, a header of it needs that, or
  # Highway takes its scalar emulation.
  set(HONE_LEAST_VECTORS -msse4.2 -mpclmul -maes)
endif()
set(HONE_ISAS neon neon_fp16 neon_dot neon_i8mm neon_bf16 avx2 avx_vnni avx512 avx512_vnni avx512_vbmi
  avx512_bf16 avx512_fp16 amx_int8 amx_bf16)

# Leaves in the list `variable` the sources this architecture can build, and sets their flags.
function(hone_isa_sources variable)
  set(sources ${${variable}})
  foreach(isa ${HONE_ISAS})
    set(isa_sources ${sources})
    list(FILTER isa_sources INCLUDE REGEX "_${isa}\\.cc$")
    if(DEFINED HONE_ISA_${isa})
      set_source_files_properties(${isa_sources} PROPERTIES COMPILE_OPTIONS "${HONE_ISA_${isa}}")
    elseif(isa_sources)
      list(REMOVE_ITEM sources ${isa_sources})
    endif()
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# The more there are, the less often templates are made: 48 sources of the reports take 17 s together, and 40 by
# twelves. A change of one costs what its group does.
set(HONE_JOINED 60 CACHE STRING "Sources that are compiled together, at most")

# hone_join_sources(<target> [BY_FOLDER] <source>...)
#
# Compiles sources together, some at a time: headers are read and templates made once for all of them,
# which takes a third of the time. So what a source keeps to itself, in an unnamed namespace, has a name
# that no other source has which is compiled with it. Sources with flags of their own stay alone; those that
# Highway compiles for one instruction set after another are joined by hone_join_highway.
# HONE_JOIN_SOURCES=OFF compiles each by itself, for editors that want to know how.
function(hone_join_sources target)
  if(NOT HONE_JOIN_SOURCES)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "BY_FOLDER" "" "")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source ${arg_UNPARSED_ARGUMENTS})
    set(folder ${CMAKE_CURRENT_SOURCE_DIR})
    if(arg_BY_FOLDER)
      get_filename_component(folder ${source} DIRECTORY)
    endif()
    file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${name}" counter)
    list(LENGTH sources_${counter} before)
    list(APPEND sources_${counter} ${source})
    math(EXPR part "${before} / ${HONE_JOINED}")
    string(MAKE_C_IDENTIFIER "${name}_${part}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  hone_join_highway(${target} ${arg_UNPARSED_ARGUMENTS})
endfunction()

# Reading Highway's headers for every instruction set takes two seconds, half of what most sources take in all.
set(HONE_JOINED_HIGHWAY 9 CACHE STRING "Sources for many instruction sets that are compiled together, at most")

# hone_join_highway(<target> <source>...)
#
# Does so with those of the sources, *_hwy.cc of any folder, that Highway compiles for one instruction set after
# another: it includes the file made here for each of them, and that includes the sources. So what one keeps to
# itself has a name that no other has. SKIP_UNITY_BUILD_INCLUSION leaves a large one alone.
function(hone_join_highway target)
  set(joined "")
  list(FILTER ARGN INCLUDE REGEX "_hwy\\.cc$")
  foreach(source ${ARGN})
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    file(STRINGS ${source} for_each REGEX "foreach_target\\.h")
    if(for_each AND NOT alone)
      list(APPEND joined ${source})
    endif()
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  if(joined)
    set_source_files_properties(${joined} PROPERTIES HEADER_FILE_ONLY ON)
  endif()
  set(part 0)
  while(joined)
    list(SUBLIST joined 0 ${HONE_JOINED_HIGHWAY} sources)
    list(REMOVE_ITEM joined ${sources})
    list(TRANSFORM sources REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE includes)
    list(JOIN includes "\n" includes)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/highway_${part}.cc)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/JoinedHighway.cc.in ${file} @ONLY)
    set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE ${file})
    math(EXPR part "${part} + 1")
  endwhile()
endfunction()

# The test `headers` builds this target: every header by itself, without those of Hone that are parsed
# ahead. Those of the standard library are: tools/check_standard_includes.py holds headers to them.
# Headers of an instruction set need its flags and are left out.
add_custom_target(hone_headers)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/standard_headers.cc CONTENT "")
add_library(hone_standard_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/standard_headers.cc)
target_link_libraries(hone_standard_headers PRIVATE hone_warnings)
target_compile_options(hone_standard_headers PRIVATE ${HONE_TEST_OPTIONS})
target_precompile_headers(hone_standard_headers PRIVATE ${PROJECT_SOURCE_DIR}/tools/standard_headers.h)
function(hone_verify_headers name)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.h)
  list(FILTER headers EXCLUDE REGEX "neon|avx|amx|x86")
  set(includers "")
  set(inline_includers "")
  foreach(header ${headers})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${header})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${path}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${path}\"\n")
    list(APPEND includers ${source})
    if(path MATCHES "-inl\\.h$")
      list(APPEND inline_includers ${source})
    endif()
  endforeach()
  set_source_files_properties(${inline_includers} PROPERTIES
    COMPILE_OPTIONS "${HONE_LEAST_VECTORS}" SKIP_PRECOMPILE_HEADERS ON)
  add_library(hone_${name}_headers OBJECT EXCLUDE_FROM_ALL ${includers})
  target_link_libraries(hone_${name}_headers PRIVATE hone::${name})
  target_include_directories(hone_${name}_headers SYSTEM PRIVATE
    $<TARGET_PROPERTY:hone_${name},INCLUDE_DIRECTORIES>)
  target_compile_options(hone_${name}_headers PRIVATE ${HONE_TEST_OPTIONS})
  target_precompile_headers(hone_${name}_headers REUSE_FROM hone_standard_headers)
  add_dependencies(hone_headers hone_${name}_headers)
endfunction()

# Takes the sources of some folders out of the list `variable`: they become the objects hone_<name>_cold.
function(hone_cold_sources name variable folders dependencies)
  set(sources ${${variable}})
  list(JOIN folders "|" any)
  set(cold ${sources})
  list(FILTER cold INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/(${any})/")
  list(REMOVE_ITEM sources ${cold})
  add_library(hone_${name}_cold OBJECT ${cold})
  hone_join_sources(hone_${name}_cold BY_FOLDER ${cold})
  target_include_directories(hone_${name}_cold PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(hone_${name}_cold PRIVATE hone_warnings ${dependencies})
  target_compile_options(hone_${name}_cold PRIVATE ${HONE_ONCE_OPTIONS})
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

function(hone_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "BY_FOLDER;HOT;ONCE" "" "COLD;DEPENDS;LINK")
  set(by_folder "")
  if(arg_BY_FOLDER)
    set(by_folder BY_FOLDER)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS *_test.cc)
  file(GLOB_RECURSE benches CONFIGURE_DEPENDS *_bench.cc)
  file(GLOB_RECURSE fuzzers CONFIGURE_DEPENDS *_fuzz.cc)
  list(REMOVE_ITEM sources ${tests} ${benches} ${fuzzers})
  hone_isa_sources(sources)

  list(TRANSFORM arg_DEPENDS PREPEND hone:: OUTPUT_VARIABLE dependencies)
  if(arg_COLD)
    hone_cold_sources(${name} sources "${arg_COLD}" "${dependencies}")
  endif()
  add_library(hone_${name} STATIC ${sources})
  add_library(hone::${name} ALIAS hone_${name})
  if(arg_COLD)
    target_sources(hone_${name} PRIVATE $<TARGET_OBJECTS:hone_${name}_cold>)
  endif()
  hone_join_sources(hone_${name} ${by_folder} ${sources})
  target_include_directories(hone_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(hone_${name} PUBLIC hone_warnings ${dependencies} PRIVATE ${arg_LINK})
  hone_verify_headers(${name})
  if(arg_ONCE)
    target_compile_options(hone_${name} PRIVATE ${HONE_ONCE_OPTIONS})
  elseif(NOT arg_HOT)
    target_compile_options(hone_${name} PRIVATE ${HONE_COLD_OPTIONS})
  endif()

  if(tests AND BUILD_TESTING)
    add_executable(${name}_test ${tests})
    hone_join_sources(${name}_test BY_FOLDER ${tests})
    target_link_libraries(${name}_test PRIVATE hone::${name} GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE ${HONE_TEST_OPTIONS})
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${HONE_TEST_ENVIRONMENT}")
  endif()
  if(benches AND HONE_BENCHMARKS)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE hone::${name} benchmark::benchmark_main)
  endif()
  if(HONE_FUZZERS)
    foreach(source ${fuzzers})
      get_filename_component(program ${source} NAME_WE)
      add_executable(${program} ${source})
      target_link_libraries(${program} PRIVATE hone::${name})
      target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()

# hone_precompile(<module> [FROM <module>] [TESTS_FROM <module>] [<header>...])
#
# Parses headers that nearly every source of the module includes once instead of every time, for the
# tests together with GoogleTest. FROM takes what a module below has parsed, TESTS_FROM does so for
# the tests alone: g++ 12 may crash on headers that were parsed for another level of optimization,
# so HOT modules and those that run ONCE cannot take those of others.
function(hone_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM;TESTS_FROM" "")
  set(headers ${arg_UNPARSED_ARGUMENTS})
  list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/ REGEX "^hone/")
  set(from ${name})
  if(arg_FROM)
    set(from ${arg_FROM})
    hone_reuse_headers(hone_${name} hone_${from})
  elseif(headers)
    target_precompile_headers(hone_${name} PRIVATE ${headers})
  endif()
  if(arg_TESTS_FROM)
    set(from ${arg_TESTS_FROM})
  endif()
  if(BUILD_TESTING AND from STREQUAL name)
    # A library of one empty file: who reuses the headers of a program waits until it is linked.
    file(CONFIGURE OUTPUT gtest.cc CONTENT "")
    add_library(hone_${name}_gtest OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/gtest.cc)
    target_link_libraries(hone_${name}_gtest PRIVATE hone::${name} GTest::gtest)
    target_compile_options(hone_${name}_gtest PRIVATE ${HONE_TEST_OPTIONS})
    target_precompile_headers(hone_${name}_gtest PRIVATE <gtest/gtest.h> ${headers})
  endif()
  hone_reuse_headers(${name}_test hone_${from}_gtest)
endfunction()

# Takes the headers that `from` has parsed, once all modules are known. Nothing where either does not exist or has
# parsed nothing.
function(hone_reuse_headers target from)
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${PROJECT_SOURCE_DIR}]]
    CALL hone_reuse_known_headers ${target} ${from})")
endfunction()
function(hone_reuse_known_headers target from)
  if(TARGET ${target} AND TARGET ${from})
    get_target_property(parsed ${from} PRECOMPILE_HEADERS)
    if(parsed)
      target_precompile_headers(${target} REUSE_FROM ${from})
    endif()
  endif()
endfunction()

# hone_embed_files(<module> <folder> <suffix> <header> <function>)
#
# Puts the files of a folder into the program: the function that the header declares lists them.
function(hone_embed_files module folder suffix header function)
  set(script ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.${suffix})
  string(MAKE_C_IDENTIFIER ${folder} name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  # A file that was taken away changes no other: the list of them does.
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${name}.txt)
  file(CONFIGURE OUTPUT ${list} CONTENT "${files}")
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -D folder=${CMAKE_CURRENT_SOURCE_DIR}/${folder} -D suffix=${suffix}
            -D header=${header} -D function=${function} -D output=${source} -P ${script}
    DEPENDS ${files} ${list} ${script}
    VERBATIM)
  target_sources(hone_${module} PRIVATE ${source})
  # By itself, the file need not wait for the libraries below.
  add_custom_target(hone_${module}_${name} DEPENDS ${source})
  add_dependencies(hone_${module} hone_${module}_${name})
endfunction()
