"""A plant room as a laser scanner saw it, and a new machine that is moved in; the answer is known by construction.

    python examples/plant_room.py room.blend                        # builds the scene (bpy wheel)
    python examples/plant_room.py --check report.json               # compares a report with the right answer
    python examples/plant_room.py --picture room.png report.json    # renders a frame of a report

The room is made of planes and cylinders. Two scanner stations send rays at equal angles, so points are dense near
them and sparse far away, what something hides is a hole, and every range is wrong by some millimetres. The machine is
three boxes that are carried along x, then along y. Its gaps to every plane and cylinder follow from the coordinates;
in every frame each is either an overlap of at least `DEEP` or a gap of at least `FREE`.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy  # must be the first import of Blender's modules
import numpy as np
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Blender does not do this for a script that it runs
import views

SCAN = "Plant room (scan)"
SIZE = (8.0, 6.0, 3.5)
NOISE = 0.003  # standard deviation of a range [m]
CELL = 0.015  # of several points closer than this, one is kept [m]
STATIONS = ((2.3, 1.0, 1.6), (6.9, 5.0, 1.7))
STEP = math.radians(0.3)  # between two rays
DEEP, FREE = 0.03, 0.05
FRAMES = range(1, 58)
STRIDE = 0.1  # how far the machine goes from frame to frame [m]
TURN = 37  # the frame in which it turns from x to y
LIFT = 0.08  # of the machine above the floor


@dataclass(frozen=True)
class Pipe:
    """A cylinder along one axis: 0 x, 1 y, 2 z.

    Attributes:
        axis: direction.
        centre: where it is in the two other directions, in their order.
        radius: in metres.
        ends: where it begins and ends along the axis.
    """

    axis: int
    centre: tuple[float, float]
    radius: float
    ends: tuple[float, float]


PIPES = {
    "Tank": Pipe(2, (1.2, 4.6), 0.7, (0.0, 2.4)),
    "Column": Pipe(2, (5.85, 3.3), 0.2, (0.0, SIZE[2])),
    "Rack pipe": Pipe(1, (2.5, 2.7), 0.08, (0.0, SIZE[1])),
    "Low pipe": Pipe(1, (3.6, 1.85), 0.06, (0.0, SIZE[1])),
    "Main": Pipe(0, (0.35, 0.5), 0.15, (0.0, SIZE[0])),
    "Vent": Pipe(0, (5.4, 2.9), 0.3, (0.0, SIZE[0])),
}

PARTS = {
    "Skid": ((-0.8, -0.45, 0.0), (0.8, 0.45, 0.25)),
    "Motor": ((-0.35, -0.25, 0.25), (0.35, 0.25, 1.15)),
    "Exhaust": ((0.42, -0.08, 0.25), (0.58, 0.08, 1.9)),
}
"""Lowest and highest corner of each part of the machine, from the middle of the skid's underside."""


def place_of_machine(frame: int) -> np.ndarray:
    """Where the middle of the skid's underside is, (3,) [m]."""
    along_x = STRIDE * (min(frame, TURN) - FRAMES[0])
    along_y = STRIDE * max(0, frame - TURN)
    return np.array([1.4 + along_x, 2.0 + along_y, LIFT])


def gap_to_pipe(low: np.ndarray, high: np.ndarray, pipe: Pipe) -> float:
    """Distance [m] of a box from a pipe that passes all of it, negative by how far the pipe's axis side is inside."""
    if high[pipe.axis] < pipe.ends[0] or low[pipe.axis] > pipe.ends[1]:
        raise ValueError("the box is not beside the pipe")
    others = [axis for axis in range(3) if axis != pipe.axis]
    beside = [max(low[axis] - c, c - high[axis]) for axis, c in zip(others, pipe.centre, strict=True)]
    if max(beside) <= 0.0:
        return max(beside) - pipe.radius
    return math.hypot(*(max(value, 0.0) for value in beside)) - pipe.radius


def gap_to_room(low: np.ndarray, high: np.ndarray) -> float:
    """Distance [m] of a box from floor, walls and ceiling."""
    return float(min(low.min(), (np.array(SIZE) - high).min()))


def gaps(part: str, frame: int) -> Iterator[float]:
    """Distances of a part from everything in the room, negative where it overlaps."""
    low, high = (np.array(corner) + place_of_machine(frame) for corner in PARTS[part])
    yield gap_to_room(low, high)
    for pipe in PIPES.values():
        yield gap_to_pipe(low, high, pipe)


def expected() -> dict[tuple[str, int], bool]:
    """Whether each part meets the room in each frame.

    Raises:
        ValueError: a gap is neither clear nor an overlap, so the example proves nothing.
    """
    answer = {}
    for part in PARTS:
        for frame in FRAMES:
            nearest = min(gaps(part, frame))
            if -DEEP < nearest < FREE:
                raise ValueError(f"{part} in frame {frame}: a gap of {nearest:.3f} m is no clear case")
            answer[part, frame] = nearest < 0.0
    return answer


def check(report: dict[str, Any]) -> list[str]:
    """Compares a report (schema meshclash.report/1) of all frames with the right answer.

    Returns:
        One line per difference; empty when the report is right.
    """
    pairs = [
        (pair, ({pair["a"], pair["b"]} - {SCAN}).pop()) for pair in report["pairs"] if SCAN in (pair["a"], pair["b"])
    ]
    found = {(part, pair["frame"]) for pair, part in pairs if pair["verdict"] == "clash"}
    wanted = {key for key, meets in expected().items() if meets}
    lines = [f"{part} in frame {frame}: expected a clash, reported none" for part, frame in sorted(wanted - found)]
    return lines + [
        f"{part} in frame {frame}: expected no clash, reported one" for part, frame in sorted(found - wanted)
    ]


def rays(step: float) -> np.ndarray:
    """Directions (n, 3) at equal angles, but straight down, where the tripod stands."""
    elevation = np.arange(-math.radians(65), math.radians(89), step)
    turn = np.arange(0.0, 2.0 * math.pi, step)
    up, around = (grid.ravel() for grid in np.meshgrid(elevation, turn, indexing="ij"))
    return np.stack([np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)], axis=1)


def range_to_room(station: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """Distances (n,) at which rays from inside leave the room."""
    with np.errstate(divide="ignore"):
        ahead = np.where(ways > 0.0, np.array(SIZE) - station, -station) / ways
    return np.where(ways == 0.0, np.inf, ahead).min(axis=1)


def range_to_pipe(station: np.ndarray, ways: np.ndarray, pipe: Pipe) -> np.ndarray:
    """Distances (n,) at which rays from outside meet a pipe; infinite where they do not."""
    others = [axis for axis in range(3) if axis != pipe.axis]
    from_axis = station[others] - np.array(pipe.centre)
    way = ways[:, others]
    a = (way * way).sum(axis=1)
    b = way @ from_axis
    c = from_axis @ from_axis - pipe.radius**2
    root = b * b - a * c
    with np.errstate(divide="ignore", invalid="ignore"):
        at = (-b - np.sqrt(root)) / a
        along = station[pipe.axis] + at * ways[:, pipe.axis]
        hit = (root > 0.0) & (at > 0.0) & (along >= pipe.ends[0]) & (along <= pipe.ends[1])
    return np.where(hit, at, np.inf)


def scan(seed: int = 1, step: float = STEP) -> np.ndarray:
    """What the scanner measures from all stations, (n, 3) [m]."""
    rng = np.random.default_rng(seed)
    ways = rays(step)
    parts = []
    for place in STATIONS:
        station = np.array(place)
        distance = range_to_room(station, ways)
        for pipe in PIPES.values():
            distance = np.minimum(distance, range_to_pipe(station, ways, pipe))
        parts.append(station + ways * (distance + rng.normal(0.0, NOISE, len(ways)))[:, None])
    return thinned(np.concatenate(parts))


def thinned(points: np.ndarray) -> np.ndarray:
    """One point of each cell that has any: scanners measure a thousand times more where they stand."""
    cells = np.floor(points / CELL).astype(np.int64)
    _, first = np.unique(cells @ np.array([1 << 42, 1 << 21, 1]), return_index=True)
    return points[np.sort(first)]


def build() -> None:
    """Replaces the open file by the room and the moving machine."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    add_points(SCAN, scan())
    machine = bpy.data.objects.new("Machine", None)
    scene.collection.objects.link(machine)
    for name, (low, high) in PARTS.items():
        add_box(name, low, high).parent = machine
    for frame in (FRAMES[0], TURN, FRAMES[-1]):
        machine.location = place_of_machine(frame)
        machine.keyframe_insert("location", frame=frame)
    for curve in curves_of(machine):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def curves_of(item: Any) -> Any:
    """The animation curves of an object; Blender 4.4 put them into layers, and 5.0 took the short way to them away."""
    action = item.animation_data.action
    if hasattr(action, "fcurves"):
        return action.fcurves
    return action.layers[0].strips[0].channelbag(item.animation_data.action_slot).fcurves


def add_points(name: str, points: np.ndarray) -> Any:
    """A point cloud object, or in a Blender that cannot make one (before 5.1) a mesh of vertices."""
    if "resize" in bpy.types.PointCloud.bl_rna.functions:
        data = bpy.data.pointclouds.new(name)
        data.resize(len(points))
    else:
        data = bpy.data.meshes.new(name)
        data.vertices.add(len(points))
    position = data.attributes.get("position") or data.attributes.new("position", "FLOAT_VECTOR", "POINT")
    position.data.foreach_set("vector", points.astype(np.float32).ravel())
    item = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(item)
    return item


def add_box(name: str, low: tuple[float, float, float], high: tuple[float, float, float]) -> Any:
    """A closed box with faces that look outward."""
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


PICTURED = 18  # the exhaust in the low pipe
EYE = (0.5, 0.4, 3.0)  # in a corner, below the ceiling
VIEW_FROM, VIEW_TO = (0.4, -3.2, 3.3), (3.9, 2.7, 1.1)
POINT_RADIUS = 0.009
COLOURS = {"room": (0.42, 0.47, 0.53), "contact": (0.90, 0.05, 0.02), "machine": (0.95, 0.62, 0.15)}


def picture(path: Path, report: dict[str, Any], frame: int) -> None:
    """Renders a frame of a report: the room opened towards the eye, points in contact red.

    Raises:
        ValueError: the report has no clash with the scan in that frame, or this Blender cannot make point clouds.
    """
    rows = [pair for pair in report["pairs"] if SCAN in (pair["a"], pair["b"]) and pair["frame"] == frame]
    if not rows or "resize" not in bpy.types.PointCloud.bl_rna.functions:
        raise ValueError(f"a picture needs a report with clashes in frame {frame}, and Blender 5.1 or later")
    build()
    scene = bpy.context.scene
    scene.frame_set(frame)
    points = scan()
    touched = np.zeros(len(points), bool)
    for pair in rows:
        touched[pair["points_a"] or pair["points_b"]] = True
    open_side = (points[:, 1] < 0.1) | (points[:, 2] > SIZE[2] - 0.1) | (points[:, 0] < 0.1)
    bpy.data.objects.remove(bpy.data.objects[SCAN])
    show_points("Room", points[~touched & ~open_side], POINT_RADIUS, COLOURS["room"])
    show_points("Contact", points[touched], 1.6 * POINT_RADIUS, COLOURS["contact"])
    machine = material("Machine", COLOURS["machine"])
    for name in PARTS:
        bpy.data.objects[name].data.materials.append(machine)
    add_camera_and_lights()
    render(path)


def show_points(name: str, points: np.ndarray, radius: float, colour: tuple[float, float, float]) -> None:
    """Points as small balls."""
    item = add_points(name, points)
    attribute = item.data.attributes.get("radius") or item.data.attributes.new("radius", "FLOAT", "POINT")
    attribute.data.foreach_set("value", np.full(len(points), radius, np.float32))
    item.data.materials.append(material(name, colour))


def material(name: str, colour: tuple[float, float, float]) -> Any:
    """A dull paint."""
    paint = bpy.data.materials.new(name)
    shader = paint.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = 0.8
    return paint


def add_camera_and_lights() -> None:
    """A view from the open corner, from above; light from everywhere and from one side."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = VIEW_FROM
    camera.rotation_euler = (Vector(VIEW_TO) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = 32
    scene.collection.objects.link(camera)
    scene.camera = camera
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle = 2.5, 0.2
    sun.rotation_euler = (0.6, -0.4, 0.3)
    scene.collection.objects.link(sun)
    scene.world = bpy.data.worlds.new("World")
    background = scene.world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.9, 0.92, 0.95, 1.0)
    background.inputs["Strength"].default_value = 0.7


def render(path: Path) -> None:
    """Writes the picture with Cycles on the CPU."""
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 24
    scene.cycles.use_denoising = False
    scene.cycles.max_bounces = 2
    scene.render.resolution_x, scene.render.resolution_y = 1280, 800
    scene.render.filepath = str(path.resolve())
    scene.view_settings.view_transform = "Standard"
    bpy.ops.render.render(write_still=True)


def main(arguments: list[str]) -> int:
    """Builds the file, checks a report or renders it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="the .blend file to write; with --check or --picture a report")
    parser.add_argument("--check", action="store_true", help="compare a report with the right answer")
    parser.add_argument("--picture", type=Path, metavar="FILE.png", help="render a frame of a report")
    parser.add_argument("--frame", type=int, default=PICTURED, help=f"the frame to render (default: {PICTURED})")
    given = parser.parse_args(arguments)
    if given.check or given.picture:
        report = json.loads(given.file.read_text(encoding="utf-8"))
        if given.picture:
            picture(given.picture, report, given.frame)
        differences = check(report)
        clashes = sum(expected().values())
        print("\n".join(differences) or f"All {clashes} clashes are as constructed, and no other is reported.")
        return 1 if differences else 0
    build()
    views.look(EYE, VIEW_TO, math.dist((0.0, 0.0, 0.0), SIZE), lens=20.0)  # a room is seen from inside
    bpy.ops.wm.save_as_mainfile(filepath=str(given.file.resolve()), check_existing=False)
    print(f"{len(bpy.data.objects)} objects written to {given.file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]))
