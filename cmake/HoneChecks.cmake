# hone_checks()
#
# Adds the ctest entries that look at the sources rather than run them:
#   layers  includes between modules follow the DEPENDS of hone_module, without a cycle
#   flags   only hone/cli names flags and commands of hone
#   headers every header compiles by itself
#   standard_includes  headers include what declares the standard names they use
#   format  clang-format would change nothing; skipped where the right clang-format is missing

function(hone_checks)
  if(NOT BUILD_TESTING)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME layers COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_layers.py
                               ${PROJECT_SOURCE_DIR})
  add_test(NAME flags COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check_flags.py
                              ${PROJECT_SOURCE_DIR})
  add_test(NAME standard_includes COMMAND Python3::Interpreter
           ${PROJECT_SOURCE_DIR}/tools/check_standard_includes.py ${PROJECT_SOURCE_DIR})
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  add_test(NAME headers COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --parallel ${cores}
                                --target hone_headers)
  set_tests_properties(headers PROPERTIES PROCESSORS ${cores} TIMEOUT 3600)
  add_test(NAME format COMMAND sh ${PROJECT_SOURCE_DIR}/tools/check_format.sh
                               ${PROJECT_SOURCE_DIR})
  set_tests_properties(format PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
