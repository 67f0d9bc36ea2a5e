// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT
//
// node seeds.mjs FOLDER: writes small valid files for every fuzzer, FOLDER/READER/corpus/…: a tetrahedron with texture
// coordinates, materials and a texture where the format has them, in all the ways its files are written. Fuzzers start
// from these.
import { mkdirSync, writeFileSync } from "node:fs";

const folder = process.argv[2];
const points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
const faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
const uvs = [[0, 0], [1, 0], [0, 1], [0.5, 0.5]];

function put(reader, name, content) {
    mkdirSync(`${folder}/${reader}/corpus`, { recursive: true });
    writeFileSync(`${folder}/${reader}/corpus/seed-${name}`, content);
}

/** Bytes of numbers, little endian: pack("u32", 1, 2), pack("f64", …). */
function pack(type, ...values) {
    const sizes = { u8: 1, u16: 2, u32: 4, i32: 4, f32: 4, f64: 8, u64: 8 };
    const bytes = Buffer.alloc(sizes[type] * values.length);
    values.forEach((value, i) => {
        const at = i * sizes[type];
        if (type === "f32") bytes.writeFloatLE(value, at);
        else if (type === "f64") bytes.writeDoubleLE(value, at);
        else if (type === "u64") bytes.writeBigUInt64LE(BigInt(value), at);
        else if (type === "i32") bytes.writeInt32LE(value, at);
        else bytes.writeUIntLE(value, at, sizes[type]);
    });
    return bytes;
}
const text = (s) => Buffer.from(s, "latin1");
const lines = (rows) => rows.map((row) => row.join(" ") + "\n").join("");

// .obj, .off
const corners = faces.map((f) => "f " + f.map((v) => `${v + 1}/${v + 1}`).join(" ")).join("\n");
put("obj", "uvs", `mtllib a.mtl\no box\n${lines(points.map((p) => ["v", ...p]))}${lines(uvs.map((p) => ["vt", ...p]))}usemtl a\n${corners}\n`);
put("obj", "relative", `${lines(points.map((p) => ["v", ...p]))}vn 0 0 1\nf -4//1 -2//1 -3//1\ng b\ns 1\nf 1 2 4\nf 2 3 4 \\\n1\n`);
put("off", "plain", `OFF\n4 4 6\n${lines(points)}${lines(faces.map((f) => [3, ...f]))}`);
put("off", "colours", `COFF # text\n4 4 0\n${lines(points.map((p) => [...p, 255, 0, 0, 255]))}${lines(faces.map((f) => [3, ...f, 0.5, 0.5, 0.5]))}`);
put("off", "normals", `NOFF\n4 4 0\n${lines(points.map((p) => [...p, 0, 0, 1]))}${lines(faces.map((f) => [3, ...f]))}`);

// TetGen
put("node", "one", `# nodes\n4 3 1 1\n${lines(points.map((p, i) => [i + 1, ...p, 0.5, 1]))}`);
put("node", "zero", `4 3 0 0\n${lines(points.map((p, i) => [i, ...p]))}`);
put("ele", "one", "1 4 1\n1 1 2 3 4 7\n");
put("ele", "ten", "1 10 0\n1 1 2 3 4 1 1 1 1 1 1\n");

// Gmsh: 2.2 and 4.1, text and binary
put("msh", "2", `$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 "a"\n$EndPhysicalNames\n$Nodes\n4\n${lines(points.map((p, i) => [i + 1, ...p]))}$EndNodes\n$Elements\n2\n1 2 2 1 1 1 2 3\n2 4 2 1 1 1 2 3 4\n$EndElements\n`);
put("msh", "2-binary", Buffer.concat([
    text("$MeshFormat\n2.2 1 8\n"), pack("i32", 1), text("\n$EndMeshFormat\n$Nodes\n4\n"),
    ...points.map((p, i) => Buffer.concat([pack("i32", i + 1), pack("f64", ...p)])),
    text("\n$EndNodes\n$Elements\n1\n"), pack("i32", 4, 1, 2, 1, 1, 1, 1, 2, 3, 4), text("\n$EndElements\n"),
]));
put("msh", "4", `$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n${lines(points)}$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n`);
put("msh", "4-binary", Buffer.concat([
    text("$MeshFormat\n4.1 1 8\n"), pack("i32", 1), text("\n$EndMeshFormat\n$Nodes\n"), pack("u64", 1, 4, 1, 4),
    pack("i32", 3, 1, 0), pack("u64", 4, 1, 2, 3, 4), pack("f64", ...points.flat()), text("\n$EndNodes\n$Elements\n"),
    pack("u64", 1, 1, 1, 1), pack("i32", 3, 1, 4), pack("u64", 1, 1, 1, 2, 3, 4), text("\n$EndElements\n"),
]));

// .stl, .ply
const loops = faces.map((f) => `facet normal 0 0 1\nouter loop\n${f.map((v) => `vertex ${points[v].join(" ")}\n`).join("")}endloop\nendfacet\n`);
put("stl", "text", `solid a\n${loops.join("")}endsolid a\n`);
put("stl", "binary", Buffer.concat([
    Buffer.alloc(80), pack("u32", 4),
    ...faces.map((f) => Buffer.concat([pack("f32", 0, 0, 1, ...f.flatMap((v) => points[v])), pack("u16", 0)])),
]));
const plyHead = (format) => `ply\nformat ${format} 1.0\ncomment a\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n`;
put("ply", "text", `${plyHead("ascii")}${lines(points)}${lines(faces.map((f) => [3, ...f]))}`);
put("ply", "binary", Buffer.concat([
    text(plyHead("binary_little_endian")), pack("f32", ...points.flat()),
    ...faces.map((f) => Buffer.concat([pack("u8", 3), pack("i32", ...f)])),
]));

// .glb: with texture coordinates, a material and an image
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const pad = (bytes, filler) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4, filler)]);
const data = pad(Buffer.concat([pack("f32", ...points.flat()), pack("f32", ...uvs.flat()), pack("u16", ...faces.flat()), png]), 0);
const json = pad(text(JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ children: [1], translation: [1, 2, 3] }, { mesh: 0, scale: [-1, 2, 1], rotation: [0, 0, 0.6, 0.8] }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
    materials: [{ name: "a", pbrMetallicRoughness: { baseColorTexture: { index: 0 }, roughnessFactor: 0.5 } }],
    textures: [{ source: 0 }],
    images: [{ bufferView: 3, mimeType: "image/png" }],
    accessors: [
        { bufferView: 0, componentType: 5126, count: 4, type: "VEC3", min: [0, 0, 0], max: [1, 1, 1] },
        { bufferView: 1, componentType: 5126, count: 4, type: "VEC2" },
        { bufferView: 2, componentType: 5123, count: 12, type: "SCALAR" },
    ],
    bufferViews: [
        { buffer: 0, byteOffset: 0, byteLength: 48 },
        { buffer: 0, byteOffset: 48, byteLength: 32 },
        { buffer: 0, byteOffset: 80, byteLength: 24 },
        { buffer: 0, byteOffset: 104, byteLength: png.length },
    ],
    buffers: [{ byteLength: data.length }],
})), 0x20);
put("glb", "textured", Buffer.concat([
    text("glTF"), pack("u32", 2, 12 + 8 + json.length + 8 + data.length),
    pack("u32", json.length), text("JSON"), json, pack("u32", data.length), text("BIN\0"), data,
]));

// What the importer's process hands over: head, positions, triangles, corners, groups, a material, a texture.
const name = Buffer.alloc(32);
name.write("a");
put("block", "bare", Buffer.concat([
    pack("u32", 0x53484d42, 0), pack("i32", 4, 4, 0, 0), pack("f64", ...points.flat()), pack("i32", ...faces.flat()),
    pack("u16", 0, 0, 0, 0),
]));
put("block", "looks", Buffer.concat([
    pack("u32", 0x53484d42, 3), pack("i32", 4, 4, 1, 1), pack("f64", ...points.flat()), pack("i32", ...faces.flat()),
    ...faces.flatMap((f) => f.map((v) => pack("f32", ...uvs[v], 0, 0, 1))), pack("u16", 0, 0, 0, 0),
    name, pack("f32", 1, 1, 1, 1, 0, 0.5), pack("i32", 1, 0, 0, 0), pack("u64", png.length), png,
]));
