# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# One executable for each test/test_<concept>.c. A test finds its data under TEST_FOLDER and the program under test
# in the environment variable SHERD_PROGRAM. test_golden_… compare with committed hashes, or write them when
# SHERD_GOLDEN=write.

find_library(CMOCKA cmocka)
if(NOT CMOCKA)
    message(STATUS "cmocka is not installed: no tests")
    return()
endif()

add_custom_target(tests)
file(GLOB test_sources CONFIGURE_DEPENDS test/test_*.c)
foreach(source ${test_sources})
    get_filename_component(name ${source} NAME_WE)
    if(name MATCHES "^test_(cook|cli|bench)" AND NOT TARGET sherd)
        continue()
    endif()
    add_executable(${name} ${source})
    target_compile_definitions(${name} PRIVATE TEST_FOLDER="${PROJECT_SOURCE_DIR}/test")
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${library_objects} $<TARGET_NAME_IF_EXISTS:program> ${CMOCKA} m
                                          Threads::Threads)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
    if(TARGET sherd)
        set_tests_properties(${name} PROPERTIES ENVIRONMENT SHERD_PROGRAM=$<TARGET_FILE:sherd>)
    endif()
    if(name MATCHES "^test_golden_")
        set_property(TEST ${name} APPEND PROPERTY LABELS golden)
    endif()
    # Those that ask for several workers: worth the thread sanitizer's tenfold time.
    file(STRINGS ${source} several_workers REGEX "workerCount|--threads")
    if(several_workers)
        set_property(TEST ${name} APPEND PROPERTY LABELS threads)
    endif()
    add_dependencies(tests ${name})
endforeach()
if(TARGET sherd)
    add_dependencies(tests sherd)
endif()

# The battery of SIMD operations, for each instruction set in one executable.
add_library(simd_scalar OBJECT test/simd_kernel.c)
target_compile_definitions(simd_scalar PRIVATE SIMD_SCALAR)
set(simd_variants simd_scalar)
if(NOT SHERD_SCALAR AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    add_library(simd_baseline OBJECT test/simd_kernel.c)
    add_library(simd_avx2 OBJECT test/simd_kernel.c)
    target_compile_options(simd_avx2 PRIVATE -mavx2 -mno-fma)
    target_compile_definitions(simd_avx2 PRIVATE SIMD_AVX2)
    list(APPEND simd_variants simd_baseline simd_avx2)
endif()
foreach(variant ${simd_variants})
    target_include_directories(${variant} PRIVATE ${PROJECT_SOURCE_DIR} include src)
endforeach()
target_link_libraries(test_simd PRIVATE ${simd_variants})
