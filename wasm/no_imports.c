// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// sherd.wasm wants nothing from its host. wasi-libc's vsnprintf, used for messages, would print to stderr if it were
// asked for a long double; it never is, and here is what it would have called.
#include <wasi/api.h>

__wasi_errno_t __wasi_fd_write(__wasi_fd_t file, const __wasi_ciovec_t* parts, size_t count, __wasi_size_t* written)
{
    (void)file, (void)parts, (void)count, (void)written;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_seek(__wasi_fd_t file, __wasi_filedelta_t by, __wasi_whence_t from, __wasi_filesize_t* at)
{
    (void)file, (void)by, (void)from, (void)at;
    return __WASI_ERRNO_BADF;
}

__wasi_errno_t __wasi_fd_close(__wasi_fd_t file)
{
    (void)file;
    return __WASI_ERRNO_BADF;
}
