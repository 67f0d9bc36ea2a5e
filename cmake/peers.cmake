# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# Other engines that answer the same questions, for the benchmarks: build/peers/NAME from bench/peers/NAME.cpp, each
# when its package is installed. The only C++ of the project, and no part of the program.

include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
    message(STATUS "no C++ compiler: no peers")
    return()
endif()
enable_language(CXX)

add_custom_target(peers)
add_dependencies(product peers)
foreach(name fcl bullet ode bullet_pile bullet_rocks fcl_bvh fcl_distance)
    string(REGEX REPLACE "_.*" "" package ${name})
    pkg_check_modules(peer_${name} QUIET ${package})
    if(NOT peer_${name}_FOUND)
        message(STATUS "peer ${name} is not installed")
        continue()
    endif()
    add_executable(peer_${name} bench/peers/${name}.cpp)
    # Our own options are for C; and a warning from an engine's headers must not stop the build.
    set_target_properties(peer_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY peers
                          CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
                          COMPILE_OPTIONS "-O3;-Wall;-Wextra;-Wshadow;-Wno-maybe-uninitialized")
    target_compile_definitions(peer_${name} PRIVATE PEER_VERSION="${peer_${name}_VERSION}" NDEBUG)
    target_include_directories(peer_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(peer_${name} SYSTEM PRIVATE ${peer_${name}_INCLUDE_DIRS})
    target_link_libraries(peer_${name} PRIVATE ${peer_${name}_LINK_LIBRARIES})
    add_dependencies(peers peer_${name})
endforeach()

# FCL's float code comes from its headers: compiled for the machine it runs on, it is much faster. Its double code comes
# from the packaged library, which lays out Eigen's types for the plainest processor.
foreach(name peer_fcl peer_fcl_bvh peer_fcl_distance)
    if(NOT TARGET ${name})
        continue()
    endif()
    include(CheckCXXCompilerFlag)
    check_cxx_compiler_flag(-march=native HAS_NATIVE)
    if(HAS_NATIVE)
        target_compile_options(${name} PRIVATE -march=native)
        target_compile_definitions(${name} PRIVATE EIGEN_MAX_STATIC_ALIGN_BYTES=16 EIGEN_MAX_ALIGN_BYTES=16)
    endif()
endforeach()

# Embree has no file for pkg-config.
find_package(embree 3 CONFIG QUIET)
if(embree_FOUND)
    add_executable(peer_embree bench/peers/embree.cpp)
    set_target_properties(peer_embree PROPERTIES OUTPUT_NAME embree RUNTIME_OUTPUT_DIRECTORY peers
                          CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON COMPILE_OPTIONS "-O3;-Wall;-Wextra;-Wshadow")
    target_compile_definitions(peer_embree PRIVATE PEER_VERSION="${embree_VERSION}" NDEBUG)
    target_include_directories(peer_embree PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(peer_embree PRIVATE embree)
    add_dependencies(peers peer_embree)
else()
    message(STATUS "peer embree is not installed")
endif()
