# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# Cooking (what only it needs), pictures, and the `sherd` program. Headers there are included as "cook/…", "cli/…".

file(GLOB cook_sources CONFIGURE_DEPENDS cook/*.c)
if(cook_sources)
    find_library(MESHOPTIMIZER meshoptimizer REQUIRED)
    add_library(cook STATIC ${cook_sources})
    target_include_directories(cook PUBLIC include src ${PROJECT_SOURCE_DIR})
    target_link_libraries(cook PUBLIC ${MESHOPTIMIZER})
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
find_package(ZLIB REQUIRED)
file(GLOB render_sources CONFIGURE_DEPENDS render/*.c)
add_library(render STATIC ${render_sources})
target_include_directories(render PUBLIC include src ${PROJECT_SOURCE_DIR})
target_link_libraries(render PUBLIC PkgConfig::JANSSON ZLIB::ZLIB m)

file(GLOB program_sources CONFIGURE_DEPENDS cli/*.c bench/*.c)
if(program_sources)
    add_executable(sherd ${program_sources})
    target_include_directories(sherd PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(sherd PRIVATE ${library_objects} $<TARGET_NAME_IF_EXISTS:cook> render PkgConfig::JANSSON
                                        m Threads::Threads)
    add_dependencies(product sherd)
endif()
