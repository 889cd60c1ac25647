"""Two thousand parts that fall past each other and onto a floor: who meets whom, and when, is known by construction.

    python examples/falling_parts.py parts.blend                  # builds the scene (bpy wheel)
    blender --background --python examples/falling_parts.py -- parts.blend
    python blender_scripts/detect.py parts.blend --frames 1:48 --workers 4 --report report.json
    python examples/falling_parts.py --check report.json

The parts share one mesh, a nut that fits into a ball, and stand in a grid of columns so wide that columns never meet.
In a column parts fall at different, even speeds, so the distance of the middles of two of them, and of one and the
floor, is a difference. Nuts are turned in any way; the check asks for a contact in every frame in which the balls
inside of two of them overlap, and for none while the balls around them are apart.
"""

from __future__ import annotations

import math
import random
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import bpy  # must be the first import of Blender's modules

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Blender does not do this for a script that it runs
import example_command

FRAMES = range(1, 49)
COLUMNS, IN_COLUMN = 20, 5  # parts: COLUMNS squared times IN_COLUMN
OUTER, INNER = 0.5, 0.35  # m: radii of the balls around and in a part
SPACING = 1.5  # m between columns
FLOOR = "Floor"


def places() -> list[tuple[str, float, float, float, float]]:
    """Of every part: its name, its column, its height in frame 1 and its speed [m a frame]."""
    rng = random.Random(2000)
    found = []
    for column in range(COLUMNS * COLUMNS):
        x, y = SPACING * (column % COLUMNS), SPACING * (column // COLUMNS)
        for k in range(IN_COLUMN):
            found.append((f"Part {column:03d}.{k}", x, y, 2.0 + 1.6 * k, round(rng.uniform(0.02, 0.2), 3)))
    return found


def gaps(frame: int) -> dict[frozenset[str], float]:
    """The distance between the middles of two parts of a column, and of a part and the floor, in a frame [m]."""
    found: dict[frozenset[str], float] = {}
    column: list[tuple[str, float]] = []
    for number, (name, _x, _y, height, speed) in enumerate(places()):
        if number % IN_COLUMN == 0:
            column = []
        z = height - speed * (frame - FRAMES[0])
        for other, above in column:
            found[frozenset((name, other))] = abs(above - z)
        column.append((name, z))
        found[frozenset((name, FLOOR))] = abs(z)
    return found


def check(report: dict[str, Any]) -> list[str]:
    """Compares a report of all frames with what was built.

    Returns:
        One line per difference; empty when the report is right.
    """
    listed = {(frozenset((pair["a"], pair["b"])), pair["frame"]) for pair in report["pairs"]}
    lines = []
    for frame in FRAMES:
        for pair, gap in gaps(frame).items():
            inner, outer = (INNER, OUTER) if FLOOR in pair else (2.0 * INNER, 2.0 * OUTER)
            meets = (pair, frame) in listed
            listed.discard((pair, frame))
            if (gap < inner - 1e-4 and not meets) or (gap > outer + 1e-4 and meets):
                wanted = "apart" if meets else "meeting"
                lines.append(f"{' and '.join(sorted(pair))}, frame {frame}: expected {wanted}")
    lines += [f"{' and '.join(sorted(pair))}, frame {frame}: nobody built this" for pair, frame in listed]
    covered = {
        (frozenset((event["a"], event["b"])), frame)
        for event in report["events"]
        for frame in range(event["start"], event["end"] + 1)
    }
    alone = {(frozenset((pair["a"], pair["b"])), pair["frame"]) for pair in report["pairs"]} ^ covered
    return lines + [f"{' and '.join(sorted(pair))}, frame {frame}: in one of pairs and events" for pair, frame in alone]


def build() -> None:
    """Replaces the open file by the parts and the floor."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    rng = random.Random(7)
    mesh = nut()
    for name, x, y, height, speed in places():
        item = bpy.data.objects.new(name, mesh)
        item.location = x, y, height
        item.rotation_euler = [rng.uniform(0.0, 6.28) for _ in range(3)]
        driver = item.driver_add("location", 2).driver
        driver.expression = f"{height} - {speed} * (frame - {FRAMES[0]})"
        scene.collection.objects.link(item)
    size = SPACING * COLUMNS
    floor = bpy.data.meshes.new(FLOOR)
    corners = [(-1.0, -1.0, 0.0), (size, -1.0, 0.0), (size, size, 0.0), (-1.0, size, 0.0)]
    floor.from_pydata(corners, [], [(0, 1, 2, 3)])
    scene.collection.objects.link(bpy.data.objects.new(FLOOR, floor))
    scene.frame_set(FRAMES[0])


def nut(segments: int = 24) -> bpy.types.Mesh:
    """A round part with a waist, between two balls."""
    profile = [(0.0, -0.36), (0.30, -0.36), (0.44, -0.2), (0.36, 0.0), (0.44, 0.2), (0.30, 0.36), (0.0, 0.36)]
    corners = []
    for radius, z in profile:
        for k in range(segments if radius else 1):
            angle = 2.0 * math.pi * k / segments
            corners.append((radius * math.cos(angle), radius * math.sin(angle), z))
    faces: list[tuple[int, ...]] = []
    rings = [0, *(1 + segments * k for k in range(len(profile) - 1))]
    for k in range(segments):
        after = (k + 1) % segments
        faces.append((0, rings[1] + after, rings[1] + k))
        for low, high in pairwise(rings[1:-1]):
            faces.append((low + k, low + after, high + after, high + k))
        faces.append((rings[-2] + k, rings[-2] + after, rings[-1]))
    mesh = bpy.data.meshes.new("Nut")
    mesh.from_pydata(corners, [], faces)
    return mesh


def main(arguments: list[str]) -> int:
    """Builds the file, or checks a report; returns the exit code."""
    right = f"All {COLUMNS * COLUMNS * IN_COLUMN:,} parts meet when they must, and no others."
    return example_command.run(arguments, __doc__, build, check, right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]))
