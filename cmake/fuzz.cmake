# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# A libFuzzer program for each reader (SHERD_FUZZ=ON, with clang and SHERD_SANITIZE=address,undefined,fuzzer-no-link).

add_custom_target(fuzzers)
foreach(reader obj off node ele msh block stl ply glb)
    add_executable(fuzz_${reader} test/fuzz/fuzz_reader.c)
    target_compile_definitions(fuzz_${reader} PRIVATE READER="${reader}")
    target_link_options(fuzz_${reader} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(fuzz_${reader} PRIVATE cook ${library_objects} m Threads::Threads)
    add_dependencies(fuzzers fuzz_${reader})
endforeach()
