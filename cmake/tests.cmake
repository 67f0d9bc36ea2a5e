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
    add_executable(${name} ${source})
    target_compile_definitions(${name} PRIVATE TEST_FOLDER="${PROJECT_SOURCE_DIR}/test")
    target_link_libraries(${name} PRIVATE program ${library_objects} ${CMOCKA} m Threads::Threads)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 300 ENVIRONMENT SHERD_PROGRAM=$<TARGET_FILE:sherd>)
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
add_dependencies(tests sherd)

# Examples see what users see: the public headers and the shared library. That they run is a test.
file(GLOB example_sources CONFIGURE_DEPENDS examples/*.c)
foreach(source ${example_sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(example_${name} ${source})
    target_link_libraries(example_${name} PRIVATE sherd_shared m)
    add_test(NAME example_${name} COMMAND example_${name})
    add_dependencies(tests example_${name})
endforeach()

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

# Each peer; one that was not built is skipped, not passed.
foreach(peer fcl bullet ode)
    add_test(NAME test_peers_${peer} COMMAND test_peers ${peer})
    set_tests_properties(test_peers_${peer} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 60)
endforeach()
if(TARGET peers)
    add_dependencies(tests peers)
endif()
