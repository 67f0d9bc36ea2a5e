# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# The library: compiled once into objects, which the tests and the program link as they are (private names and
# all) and which outside users get as libsherd.so and libsherd.a, where only the sh… names can be seen.

file(GLOB library_sources CONFIGURE_DEPENDS src/*/*.c)
add_library(objects OBJECT ${library_sources})
set(library_objects objects)

# A kernel is compiled once per instruction set. The baseline (SSE2 on x86-64) is among the objects above; the
# choice is made at run time, and both give the same bits.
file(GLOB kernel_sources CONFIGURE_DEPENDS src/*/*_kernel.c)
if(kernel_sources AND NOT SHERD_SCALAR AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    add_library(objects_avx2 OBJECT ${kernel_sources})
    target_compile_options(objects_avx2 PRIVATE -mavx2 -mno-fma)
    target_compile_definitions(objects_avx2 PRIVATE SIMD_AVX2)
    list(APPEND library_objects objects_avx2)
endif()

# Its loop is branch-free once a floating-point exception need not be raised in order: gcc makes vectors of it then.
set_source_files_properties(src/dynamics/rotation_kernel.c PROPERTIES COMPILE_OPTIONS -fno-trapping-math)

foreach(part ${library_objects})
    target_include_directories(${part} PUBLIC include src)
endforeach()
if(SHERD_WASM)
    return() # cmake/wasm.cmake makes a module of them
endif()

foreach(part ${library_objects})
    set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    list(APPEND object_files $<TARGET_OBJECTS:${part}>)
endforeach()

add_library(sherd_shared SHARED)
target_link_libraries(sherd_shared PRIVATE ${library_objects} m Threads::Threads)
# Nothing but the C library, its mathematics and threads may be needed. (A sanitizer's names come from the program.)
if(NOT SHERD_SANITIZE)
    target_link_options(sherd_shared PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(sherd_shared PROPERTIES OUTPUT_NAME sherd EXPORT_NAME sherd LINKER_LANGUAGE C
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# In a static library hidden symbols still clash with the user's own. One relocatable object in which they are
# local does not: internals may be called `fail` or `hash`.
set(static_object ${CMAKE_CURRENT_BINARY_DIR}/libsherd.o)
add_custom_command(
    OUTPUT ${static_object}
    COMMAND ${CMAKE_LINKER} -r -o ${static_object} ${object_files}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${static_object}
    DEPENDS ${library_objects} ${object_files}
    COMMAND_EXPAND_LISTS VERBATIM)
add_library(sherd_static STATIC ${static_object})
set_source_files_properties(${static_object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
target_link_libraries(sherd_static INTERFACE m Threads::Threads)
set_target_properties(sherd_static PROPERTIES OUTPUT_NAME sherd EXPORT_NAME static LINKER_LANGUAGE C)

foreach(library sherd_shared sherd_static)
    target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# What `make build` makes: everything but the tests.
add_custom_target(product DEPENDS sherd_shared sherd_static)
