# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# Headers, both libraries, the program, and what pkg-config and find_package(sherd) read.

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sherd)

install(DIRECTORY include/sherd TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(TARGETS sherd_shared sherd_static EXPORT sherd)
if(TARGET sherd)
    install(TARGETS sherd)
endif()
install(EXPORT sherd NAMESPACE sherd:: FILE sherd-targets.cmake DESTINATION ${package_folder})

configure_package_config_file(cmake/sherd-config.cmake.in sherd-config.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(sherd-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sherd-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/sherd-config-version.cmake
        DESTINATION ${package_folder})

# The prefix is found from where the file lies, so an installed copy may be moved.
file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/sherd.pc.in sherd.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sherd.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
