# What `cmake --install` puts where it belongs: the program, the library as hone/hone.h has it, shared and static,
# the packages of CMake and pkg-config, manual pages, and what shells complete.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Nothing but what hone/hone.h declares is seen of it: its version is that of the header's namespace.
function(hone_shared_library)
  add_library(hone_shared SHARED $<TARGET_OBJECTS:hone_library>)
  target_link_libraries(hone_shared PRIVATE hone::cli)
  set_target_properties(hone_shared PROPERTIES OUTPUT_NAME hone VERSION ${PROJECT_VERSION} SOVERSION 1)
  target_link_options(hone_shared PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
endfunction()

# All modules in one archive, with what protobuf makes of ONNX's messages.
function(hone_static_library)
  list(TRANSFORM HONE_MODULES PREPEND hone_ OUTPUT_VARIABLE modules)
  list(APPEND modules hone_onnx_proto)
  set(script "CREATE libhone.a\n")
  foreach(module ${modules})
    string(APPEND script "ADDLIB $<TARGET_FILE:${module}>\n")
  endforeach()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/libhone.mri CONTENT "${script}SAVE\nEND\n")
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/libhone.a
    COMMAND ${CMAKE_AR} -M < ${PROJECT_BINARY_DIR}/libhone.mri
    DEPENDS ${modules} ${PROJECT_BINARY_DIR}/libhone.mri
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR} VERBATIM)
  add_custom_target(hone_static ALL DEPENDS ${PROJECT_BINARY_DIR}/libhone.a)
endfunction()

# Made by the program itself, which has to run here.
function(hone_manuals)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man/hone.1 ${PROJECT_BINARY_DIR}/shells/hone.bash
    COMMAND hone docs --man man --completions shells --force
    DEPENDS hone WORKING_DIRECTORY ${PROJECT_BINARY_DIR} VERBATIM)
  add_custom_target(hone_manuals ALL DEPENDS ${PROJECT_BINARY_DIR}/man/hone.1)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  set(shells ${PROJECT_BINARY_DIR}/shells)
  set(share ${CMAKE_INSTALL_DATADIR})
  install(FILES ${shells}/hone.bash DESTINATION ${share}/bash-completion/completions RENAME hone)
  install(FILES ${shells}/_hone DESTINATION ${share}/zsh/vendor-completions)
  install(FILES ${shells}/hone.fish DESTINATION ${share}/fish/vendor_completions.d)
endfunction()

function(hone_packages)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Hone)
  configure_package_config_file(cmake/HoneConfig.cmake.in HoneConfig.cmake INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(HoneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  configure_file(cmake/hone.pc.in hone.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/HoneConfig.cmake ${PROJECT_BINARY_DIR}/HoneConfigVersion.cmake
    DESTINATION ${package})
  install(FILES ${PROJECT_BINARY_DIR}/hone.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# `cpack -G DEB`: one package with everything, which names the libraries that it needs itself.
function(hone_debian_package)
  set(CPACK_PACKAGE_NAME hone)
  set(CPACK_PACKAGE_VENDOR Hone)
  set(CPACK_PACKAGE_CONTACT "Hone <hone@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "sharpens neural networks for the hardware they will run on")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm, clang-19, lld-19, qemu-user, libsqlite3-0")
  set(CPACK_STRIP_FILES ON)
  include(CPack)
endfunction()

function(hone_install)
  hone_shared_library()
  hone_static_library()
  hone_packages()
  if(NOT CMAKE_CROSSCOMPILING)
    hone_manuals()
  endif()
  # Beside the program, where a tarball has the libraries that it needs; in a system that is the system's folder.
  set_target_properties(hone PROPERTIES INSTALL_RPATH $ORIGIN/../lib)
  set_target_properties(hone_shared PROPERTIES INSTALL_RPATH $ORIGIN)
  install(TARGETS hone RUNTIME)
  install(TARGETS hone_shared LIBRARY)
  install(FILES ${PROJECT_BINARY_DIR}/libhone.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES hone/hone.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hone)
  # Where Debian looks for them.
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/hone RENAME copyright)
  # The pages that README.md links to lie beside it.
  install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/hone)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/hone)
  hone_debian_package()
endfunction()
