# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# Cooking (what only it needs), pictures, and the `sherd` program. Headers there are included as "cook/…", "cli/…".

find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
find_package(ZLIB REQUIRED)
find_library(MESHOPTIMIZER meshoptimizer REQUIRED)
find_library(ASSIMP assimp REQUIRED)

file(GLOB cook_sources CONFIGURE_DEPENDS cook/*.c)
add_library(cook STATIC ${cook_sources})
target_link_libraries(cook PUBLIC ${MESHOPTIMIZER} ${ASSIMP})

file(GLOB render_sources CONFIGURE_DEPENDS render/*.c)
add_library(render STATIC ${render_sources})
target_link_libraries(render PUBLIC PkgConfig::JANSSON ZLIB::ZLIB m)
if(TARGET objects_avx2) # kernels as in the library
    file(GLOB render_kernels CONFIGURE_DEPENDS render/*_kernel.c)
    add_library(render_avx2 OBJECT ${render_kernels})
    target_include_directories(render_avx2 PRIVATE include src ${PROJECT_SOURCE_DIR})
    target_compile_options(render_avx2 PRIVATE -mavx2 -mno-fma)
    target_compile_definitions(render_avx2 PRIVATE SIMD_AVX2)
    target_sources(render PRIVATE $<TARGET_OBJECTS:render_avx2>)
endif()

# Scenes, and performing them: needs nothing but the library. Those in scenes/ are part of the program.
file(GLOB scene_files CONFIGURE_DEPENDS scenes/*.json)
set(scenes_source ${CMAKE_CURRENT_BINARY_DIR}/scenes.c)
add_custom_command(
    OUTPUT ${scenes_source}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${scenes_source} -DHEADER=play/script.h -DTYPE=BuiltIn -DARRAY=builtInScenes
            "-DFILES=${scene_files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${scene_files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
file(GLOB play_sources CONFIGURE_DEPENDS play/*.c)
add_library(play STATIC ${play_sources} ${scenes_source})

# The page that plays a film.
set(viewer_source ${CMAKE_CURRENT_BINARY_DIR}/viewer.c)
add_custom_command(
    OUTPUT ${viewer_source}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${viewer_source} -DHEADER=cli/page.h -DTYPE=BuiltIn -DARRAY=pageTemplate
            -DFILES=${PROJECT_SOURCE_DIR}/cli/viewer.html -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS cli/viewer.html cmake/embed.cmake
    VERBATIM)

# All of the program but its entry, which tests of its parts link too.
file(GLOB program_sources CONFIGURE_DEPENDS cli/*.c bench/*.c)
list(REMOVE_ITEM program_sources ${PROJECT_SOURCE_DIR}/cli/main.c)
add_library(program STATIC ${program_sources} ${viewer_source})
target_link_libraries(program PUBLIC cook render play PkgConfig::JANSSON m)

foreach(part cook render play program)
    target_include_directories(${part} PUBLIC include src ${PROJECT_SOURCE_DIR})
endforeach()

add_executable(sherd cli/main.c)
target_link_libraries(sherd PRIVATE program ${library_objects} m Threads::Threads)
add_dependencies(product sherd)
