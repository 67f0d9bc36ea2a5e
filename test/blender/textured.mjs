// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT
//
// node textured.mjs FILE.glb: a ball of 10 cm with a texture around it, longitude and latitude. The picture is a
// checkerboard whose red grows with u and whose green grows with v, so every place on it can be told from its colour.
import { writeFileSync } from "node:fs";
import { crc32 as checksum, deflateSync } from "node:zlib";

const WIDTH = 256, HEIGHT = 128, AROUND = 64, UP = 32, RADIUS = 0.1;

// node before 22 has no crc32
const table = Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n >>> 0;
});
const crc32 = checksum ?? ((bytes) => (bytes.reduce((c, b) => table[(c ^ b) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0);

function chunk(name, data) {
    const bytes = Buffer.alloc(12 + data.length);
    bytes.writeUInt32BE(data.length, 0);
    bytes.write(name, 4, "latin1");
    data.copy(bytes, 8);
    bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
    return bytes;
}

function picture() {
    const rows = Buffer.alloc(HEIGHT * (1 + 3 * WIDTH));
    for (let y = 0; y < HEIGHT; ++y)
        for (let x = 0; x < WIDTH; ++x) {
            const at = y * (1 + 3 * WIDTH) + 1 + 3 * x;
            rows[at] = x;
            rows[at + 1] = 2 * (HEIGHT - 1 - y);
            rows[at + 2] = ((x >> 4) + (y >> 4)) % 2 ? 224 : 32;
        }
    const head = Buffer.alloc(13);
    head.writeUInt32BE(WIDTH, 0);
    head.writeUInt32BE(HEIGHT, 4);
    head.set([8, 2, 0, 0, 0], 8);
    const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
    return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

// Rings of vertices from the lower pole to the upper one; the last column repeats the first, with u = 1.
const positions = [], uvs = [], indices = [];
for (let j = 0; j <= UP; ++j)
    for (let i = 0; i <= AROUND; ++i) {
        const u = i / AROUND, v = j / UP, turn = 2 * Math.PI * (i % AROUND) / AROUND, rise = Math.PI * (v - 0.5);
        const wide = j % UP ? RADIUS * Math.cos(rise) : 0;
        positions.push(wide * Math.cos(turn), j % UP ? RADIUS * Math.sin(rise) : j ? RADIUS : -RADIUS, -wide * Math.sin(turn));
        uvs.push(u, 1 - v); // glTF counts from the top
        if (i < AROUND && j < UP) {
            const a = j * (AROUND + 1) + i, b = a + 1, c = a + AROUND + 1, d = c + 1;
            if (j > 0) indices.push(a, b, c);
            if (j < UP - 1) indices.push(b, d, c);
        }
    }

const floats = (values) => Buffer.from(new Float32Array(values).buffer);
const parts = [floats(positions), floats(uvs), Buffer.from(new Uint32Array(indices).buffer), picture()];
const views = [];
let size = 0;
for (const part of parts) {
    views.push({ buffer: 0, byteOffset: size, byteLength: part.length });
    size += (part.length + 3) & ~3;
}
const data = Buffer.alloc(size);
parts.forEach((part, i) => part.copy(data, views[i].byteOffset));
let json = Buffer.from(JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
    materials: [{ name: "print", pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0, roughnessFactor: 0.5 } }],
    textures: [{ source: 0 }],
    images: [{ bufferView: 3, mimeType: "image/png" }],
    accessors: [
        { bufferView: 0, componentType: 5126, count: positions.length / 3, type: "VEC3", min: [-RADIUS, -RADIUS, -RADIUS], max: [RADIUS, RADIUS, RADIUS] },
        { bufferView: 1, componentType: 5126, count: uvs.length / 2, type: "VEC2" },
        { bufferView: 2, componentType: 5125, count: indices.length, type: "SCALAR" },
    ],
    bufferViews: views,
    buffers: [{ byteLength: size }],
}));
json = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, 0x20)]);
const head = Buffer.alloc(20);
head.write("glTF", 0, "latin1");
head.writeUInt32LE(2, 4);
head.writeUInt32LE(28 + json.length + size, 8);
head.writeUInt32LE(json.length, 12);
head.write("JSON", 16, "latin1");
const between = Buffer.alloc(8);
between.writeUInt32LE(size, 0);
between.write("BIN\0", 4, "latin1");
writeFileSync(process.argv[2], Buffer.concat([head, json, between, data]));
