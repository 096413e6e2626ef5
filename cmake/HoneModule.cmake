# hone_module(<name> DEPENDS <module>... [LINK <library>...])
#
# Makes hone::<name> from every source below the calling folder. The file name says what a file is,
# so adding one needs no edit here:
#   *_test.cc   GoogleTest sources, linked into <name>_test and run by ctest
#   *_bench.cc  Google Benchmark sources, linked into <name>_bench
#   *_fuzz.cc   libFuzzer targets, one program each, built only with HONE_FUZZERS
# DEPENDS names every module the sources may include; tools/check_layers.py holds them to it.

add_library(hone_warnings INTERFACE)
target_compile_options(hone_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                               $<$<BOOL:${HONE_WERROR}>:-Werror>)
# Integer and float references must not depend on how a compiler contracts a*b+c.
target_compile_options(hone_warnings INTERFACE -ffp-contract=off)
target_link_libraries(hone_warnings INTERFACE fmt::fmt nlohmann_json::nlohmann_json
                                              Threads::Threads)

function(hone_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;LINK")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS *_test.cc)
  file(GLOB_RECURSE benches CONFIGURE_DEPENDS *_bench.cc)
  file(GLOB_RECURSE fuzzers CONFIGURE_DEPENDS *_fuzz.cc)
  list(REMOVE_ITEM sources ${tests} ${benches} ${fuzzers})

  list(TRANSFORM arg_DEPENDS PREPEND hone:: OUTPUT_VARIABLE dependencies)
  add_library(hone_${name} STATIC ${sources})
  add_library(hone::${name} ALIAS hone_${name})
  target_include_directories(hone_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(hone_${name} PUBLIC hone_warnings ${dependencies} PRIVATE ${arg_LINK})

  if(tests AND BUILD_TESTING)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE hone::${name} GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "HONE_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
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

# hone_precompile(<module> <header>...)
#
# Parses headers that nearly every source of the module includes once instead of every time.
function(hone_precompile name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ REGEX "^hone/" OUTPUT_VARIABLE headers)
  target_precompile_headers(hone_${name} PRIVATE ${headers})
  if(TARGET ${name}_test)
    target_precompile_headers(${name}_test PRIVATE <gtest/gtest.h> ${headers})
  endif()
endfunction()
