# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# Runs inside Blender: blender -b --factory-startup --python-exit-code 3 -P check_textures.py -- BROKEN.glb [PICTURE.png]
# The pieces of textured.mjs's ball: outside the texture with the UVs of longitude and latitude, inside a material
# without; the image is the one that went in. With a picture: draws the pieces, moved apart.
import math
import sys

import bpy
import numpy

numpy.bool = bool  # Blender 3.4's importer asks for a name that newer versions of numpy do not have

words = sys.argv[sys.argv.index("--") + 1 :]
RADIUS, FLAT = 0.1, 0.0004  # m; the ball's facets are that much nearer to its middle
SHIFT = 0.005 * 2.0 * 3.0**0.5 * RADIUS  # m; how far the texture may slide: as far as the surface itself, 0.5 % of the diagonal

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=words[0])
meshes = [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]


def image_of(material):
    """The image that gives a material its colour, or None."""
    shader = material.node_tree.nodes.get("Principled BSDF")
    links = shader.inputs["Base Color"].links
    while links:
        node = links[0].from_node
        if node.type == "TEX_IMAGE":
            return node.image
        links = [link for entry in node.inputs for link in entry.links]
    return None


def distance_round(a, b):
    return abs((a - b + 0.5) % 1.0 - 0.5)


worst, outside, inside, images = 0.0, 0, 0, set()
for thing in meshes:
    mesh = thing.data
    layer = mesh.uv_layers.active
    for polygon in mesh.polygons:
        material = mesh.materials[polygon.material_index]
        image = image_of(material)
        corners = [(thing.matrix_world @ mesh.vertices[mesh.loops[i].vertex_index].co, layer.data[i].uv) for i in polygon.loop_indices]
        if image is None:
            inside += 1
            if any(p.length > RADIUS * 1.0001 for p, _ in corners):
                sys.exit(f"{thing.name}: an inside face reaches out of the ball")
            continue
        outside += 1
        images.add(image)
        for p, uv in corners:
            if p.length < RADIUS - FLAT:
                sys.exit(f"{thing.name}: a face with the texture lies {RADIUS - p.length:.4f} m deep")
            wide = math.hypot(p.x, p.y)
            v = 0.5 + math.asin(max(-1.0, min(1.0, p.z / p.length))) / math.pi
            worst = max(worst, abs(v - uv[1]) * math.pi * RADIUS)
            if wide > 0.3 * RADIUS:  # longitudes crowd at the poles
                off = distance_round(math.atan2(p.y, p.x) / (2.0 * math.pi), uv[0])
                worst = max(worst, off * 2.0 * math.pi * wide)
if len(meshes) < 5 or outside == 0 or inside == 0:
    sys.exit(f"{len(meshes)} pieces, {outside} faces with a texture, {inside} without")
if len(images) != 1:
    sys.exit(f"{len(images)} images")
image = images.pop()
if tuple(image.size) != (256, 128):
    sys.exit(f"an image of {tuple(image.size)}")
pixels = numpy.array(image.pixels[:]).reshape(128, 256, image.channels)  # rows from below
red, green = numpy.arange(256) / 255.0, 2.0 * numpy.arange(128) / 255.0
if abs(pixels[:, :, 0] - red[None, :]).max() > 0.003 or abs(pixels[:, :, 1] - green[:, None]).max() > 0.003:
    sys.exit("the image is not the one that went in")
if worst > SHIFT:
    sys.exit(f"the texture is off by {worst:.4f} m")
print(
    f"Blender {bpy.app.version_string}: {len(meshes)} pieces, {outside} faces with the texture, {inside} without; "
    f"the texture within {1000.0 * worst:.2f} mm of its place on a ball of 200 mm"
)

if len(words) > 1:
    scene = bpy.context.scene
    for thing in meshes:
        middle = sum((thing.matrix_world @ v.co for v in thing.data.vertices), start=thing.location * 0.0) / len(thing.data.vertices)
        thing.location += 0.6 * middle
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location, camera.rotation_euler = (0.0, -0.62, 0.25), (math.radians(68.0), 0.0, 0.0)
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3.0, (math.radians(45.0), 0.0, math.radians(30.0))
    scene.collection.objects.link(camera)
    scene.collection.objects.link(sun)
    scene.world = bpy.data.worlds.new("world")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.6, 0.65, 0.7, 1.0)
    scene.camera, scene.render.engine = camera, "CYCLES"
    scene.cycles.samples, scene.cycles.device, scene.cycles.use_denoising = 48, "CPU", False
    scene.render.resolution_x, scene.render.resolution_y = 640, 480
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = words[1]
    bpy.ops.render.render(write_still=True)
