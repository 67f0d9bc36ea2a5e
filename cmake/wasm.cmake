# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# The library as a WebAssembly module, sherd.wasm: all public functions, malloc and free are exported, nothing is
# imported. And the tests, each a module that Node runs, but for those that need threads, files or the program.

# Else headers that wasi-libc lacks would be taken from the host.
add_compile_options(-nostdlibinc -isystem /usr/include/wasm32-wasi)
if(NOT SHERD_SCALAR)
    add_compile_options(-msimd128 -fno-vectorize -fno-slp-vectorize) # see core/simd_pair.h
endif()
# With the stack first, running over it traps instead of writing over data.
add_link_options(-Wl,--stack-first -Wl,-z,stack-size=1048576 -Wl,--strip-debug)
include(cmake/library.cmake)

add_executable(sherd wasm/no_imports.c $<TARGET_OBJECTS:objects>)
target_link_options(sherd PRIVATE -mexec-model=reactor -Wl,--export-dynamic -Wl,--export=malloc -Wl,--export=free)
add_custom_target(product DEPENDS sherd)

find_program(NODE NAMES node nodejs REQUIRED)
enable_testing()
add_custom_target(tests DEPENDS sherd)
add_test(NAME module COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/test/wasm/module.mjs sherd.wasm)

file(GLOB test_sources CONFIGURE_DEPENDS test/test_*.c)
foreach(source ${test_sources})
    file(STRINGS ${source} not_here REGEX "popen\\(|#include (<(unistd|pthread|sys/)|\"(cook|render|cli|bench|play)/)")
    if(not_here)
        continue()
    endif()
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} BEFORE PRIVATE test/wasm/include ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE TEST_FOLDER="${PROJECT_SOURCE_DIR}/test" _WASI_EMULATED_PROCESS_CLOCKS)
    target_link_libraries(${name} PRIVATE objects wasi-emulated-process-clocks)
    add_test(NAME ${name} COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/test/wasm/run.mjs ${name}.wasm
             ${PROJECT_SOURCE_DIR}/test)
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
    if(name MATCHES "^test_golden_")
        set_property(TEST ${name} APPEND PROPERTY LABELS golden)
    endif()
    add_dependencies(tests ${name})
endforeach()

# As in cmake/tests.cmake: every variant of the SIMD operations in one executable.
add_library(simd_scalar OBJECT test/simd_kernel.c)
target_compile_definitions(simd_scalar PRIVATE SIMD_SCALAR)
add_library(simd_wasm OBJECT test/simd_kernel.c)
foreach(variant simd_scalar simd_wasm)
    target_include_directories(${variant} PRIVATE ${PROJECT_SOURCE_DIR} include src)
endforeach()
target_link_libraries(test_simd PRIVATE simd_scalar $<$<NOT:$<BOOL:${SHERD_SCALAR}>>:simd_wasm>)
