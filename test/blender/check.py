# Copyright 2026 the Sherd authors
# SPDX-License-Identifier: MIT
#
# Runs inside Blender: blender -b --factory-startup --python-exit-code 3 -P check.py -- FILM.glb POSES.csv
# Imports the film and compares what is seen with what the simulation says: how many bodies at the start and at the end,
# how long it lasts, where everything is (within 1e-4 m and 1e-4 of a unit quaternion).
import csv
import sys

import bpy
import numpy

numpy.bool = bool  # Blender 3.4's importer asks for a name that newer versions of numpy do not have

film, poses = sys.argv[sys.argv.index("--") + 1 :]
TOLERANCE = 1e-4

rows = list(csv.DictReader(open(poses)))
first, last = rows[0]["step"], rows[-1]["step"]
length = float(rows[-1]["time_s"])


def truth(step):
    """Places and turns of all bodies after a step, in Blender's axes: z is up."""
    bodies = []
    for row in rows:
        if row["step"] == step:
            x, y, z, qx, qy, qz, qw = (float(row[key]) for key in ("x", "y", "z", "qx", "qy", "qz", "qw"))
            bodies.append(((x, -z, y), (qw, qx, -qz, qy)))
    return bodies


bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=film)
scene = bpy.context.scene
rate = scene.render.fps / scene.render.fps_base
meshes = [thing for thing in scene.objects if thing.type == "MESH"]
ends = [curve.range()[1] for action in bpy.data.actions for curve in action.fcurves]
seconds = max(ends) / rate


def seen(time):
    """Places and turns of all objects that are there at a time."""
    frame = time * rate
    scene.frame_set(int(frame), subframe=frame - int(frame))
    bodies = []
    for thing in meshes:
        place, turn, scale = thing.matrix_world.decompose()
        if scale.x > 0.5:
            bodies.append((tuple(place), tuple(turn)))
    return bodies


def distance(a, b):
    place = max(abs(x - y) for x, y in zip(a[0], b[0]))
    turn = min(max(abs(x - sign * y) for x, y in zip(a[1], b[1])) for sign in (1, -1))
    return max(place, turn)


def compare(name, bodies, objects):
    """The largest distance between a body and the object that shows it; every object shows one."""
    if len(bodies) != len(objects):
        sys.exit(f"{name}: {len(objects)} objects are seen, there are {len(bodies)} bodies")
    left, worst = list(objects), 0.0
    for body in bodies:
        nearest = min(range(len(left)), key=lambda i: distance(body, left[i]))
        worst = max(worst, distance(body, left.pop(nearest)))
    if worst > TOLERANCE:
        sys.exit(f"{name}: a body is off by {worst:.2g}")
    return worst


if abs(seconds - length) > TOLERANCE:
    sys.exit(f"the animation lasts {seconds:.5f} s, the simulation {length:.5f} s")
begin, end = truth(first), truth(last)
off = compare("start", begin, seen(0.0)), compare("end", end, seen(length))
print(
    f"Blender {bpy.app.version_string}: {len(meshes)} objects, {len(begin)} seen at the start, {len(end)} at the end, "
    f"{seconds:.3f} s; off by {off[0]:.2g} at the start, {off[1]:.2g} at the end"
)
