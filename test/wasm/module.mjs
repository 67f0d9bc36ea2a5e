// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT

// module.mjs MODULE: sherd.wasm needs nothing from its host, and its functions can be called.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import process from "node:process";

const module = await WebAssembly.compile(await readFile(process.argv[2]));
assert.deepEqual(WebAssembly.Module.imports(module), []);
const { exports } = await WebAssembly.instantiate(module);
exports._initialize();

const text = (at) => {
    const bytes = new Uint8Array(exports.memory.buffer, at);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
};
assert.match(text(exports.shVersionText()), /^\d+\.\d+\.\d+$/);

// A message that goes through vsnprintf, numbers with fractions included.
const message = exports.malloc(512);
const world = exports.malloc(4);
const step = exports.shWorld_Step(0, 2.5, message);
assert.equal(text(exports.shStatusText(step)), "invalid argument");
assert.equal(text(message), "step: the world must not be null");
exports.free(world);
exports.free(message);
