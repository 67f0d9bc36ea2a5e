# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# WebAssembly by Debian's clang 14 and wasi-libc.
set(SHERD_WASM ON)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-14)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_SYSROOT /usr)
set(CMAKE_EXECUTABLE_SUFFIX_C .wasm)
