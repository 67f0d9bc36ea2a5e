// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// run.mjs MODULE FOLDER: runs a test compiled to WebAssembly, which may print and read files under the folder. This is
// as much of WASI (preview 1) as our tests ask for; node:wasi, still called experimental, crashes on some of them.
import { readFileSync, writeSync } from "node:fs";
import process from "node:process";

const [path, folder] = process.argv.slice(2);
const BAD_FILE = 8, NO_ENTRY = 44, NO_SEEK = 70;
const ROOT = 3; // the descriptor of the folder; files come after it
const files = new Map();
const encoded = (text) => new TextEncoder().encode(text);
let instance;

// Memory may have grown since the last call: views are made anew.
const view = () => new DataView(instance.exports.memory.buffer);
const bytes = (at, count) => new Uint8Array(instance.exports.memory.buffer, at, count);
const put = (at, value) => (view().setUint32(at, value, true), 0);
const get = (at) => view().getUint32(at, true);
const parts = (at, count) => Array.from({ length: count }, (_, i) => bytes(get(at + 8 * i), get(at + 8 * i + 4)));

class Exit {
    constructor(code) {
        this.code = code;
    }
}

const host = {
    proc_exit(code) {
        throw new Exit(code);
    },
    args_sizes_get: (count, size) => put(count, 1) || put(size, path.length + 1),
    args_get(list, text) {
        bytes(text, path.length + 1).set(encoded(`${path}\0`));
        return put(list, text);
    },
    environ_sizes_get: (count, size) => put(count, 0) || put(size, 0),
    environ_get: () => 0,
    clock_time_get(id, precision, at) {
        view().setBigUint64(at, process.hrtime.bigint(), true);
        return 0;
    },
    fd_prestat_get: (fd, at) => (fd === ROOT ? put(at, 0) || put(at + 4, encoded(folder).length) : BAD_FILE),
    fd_prestat_dir_name(fd, at, length) {
        bytes(at, length).set(encoded(folder));
        return 0;
    },
    // All rights, no flags; descriptors below the root are the terminal.
    fd_fdstat_get(fd, at) {
        bytes(at, 24).fill(255);
        view().setUint32(at, fd < ROOT ? 2 : fd === ROOT ? 3 : 4, true);
        return 0;
    },
    path_open(fd, lookup, name, length, flags, rights, inherited, options, at) {
        try {
            const content = readFileSync(`${folder}/${new TextDecoder().decode(bytes(name, length))}`);
            files.set(ROOT + 1 + files.size, { content, next: 0 });
            return put(at, ROOT + files.size);
        } catch {
            return NO_ENTRY;
        }
    },
    fd_read(fd, at, count, done) {
        const file = files.get(fd);
        if (file === undefined)
            return BAD_FILE;
        const start = file.next;
        for (const part of parts(at, count)) {
            const piece = file.content.subarray(file.next, file.next + part.length);
            part.set(piece);
            file.next += piece.length;
        }
        return put(done, file.next - start);
    },
    fd_write(fd, at, count, done) {
        if (fd !== 1 && fd !== 2)
            return BAD_FILE;
        return put(done, parts(at, count).reduce((sum, part) => sum + writeSync(fd, part), 0));
    },
    fd_seek: () => NO_SEEK,
    fd_close: () => 0,
};

const module = new WebAssembly.Module(readFileSync(path));
for (const { name } of WebAssembly.Module.imports(module))
    host[name] ??= () => {
        throw new Error(`the test needs ${name}, which this host does not have`);
    };
instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: host });
try {
    instance.exports._start();
} catch (reason) {
    if (!(reason instanceof Exit))
        throw reason;
    process.exitCode = reason.code;
}
