"""A character that walks in a skirt: when legs come through the cloth, and an arm through itself, is known.

    python examples/walking_character.py walk.blend               # builds the scene (bpy wheel)
    blender --background --python examples/walking_character.py -- walk.blend
    python blender_scripts/detect.py walk.blend --frames 1:48 --report report.json
    python blender_scripts/detect.py walk.blend --frames 1:48 --test self --report self.json
    python examples/walking_character.py --check report.json
    python examples/walking_character.py --check self.json

An armature deforms two legs and an arm. The legs swing about the hip; the front of the skirt is a sheet with waves,
driven from frame to frame, that are lower than what a leg keeps off it, or goes through it, in every frame. The arm is
one mesh of two bars; its elbow closes until the bars overlap, which two rectangles tell.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import bpy  # must be the first import of Blender's modules

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Blender does not do this for a script that it runs
import example_command

FRAMES = range(1, 49)
STEP = 24  # frames of two steps
SWING, FOLD = 0.7, 1.35  # radians: most of a leg, and half of what the elbow closes
LEFT, RIGHT, SKIRT, ARM, RIG = "Left leg", "Right leg", "Skirt", "Arm", "Rig"
LEG_TOP, LEG_END, LEG_HALF = 0.1, 0.9, 0.06  # m from the hip, and half the thickness
SHEET, WAVES = 0.31, 0.01  # m in front of the hip, and the height of its waves
ARM_NEAR, ARM_FAR, ARM_HALF = 0.1, 0.5, 0.05  # m from the elbow, and half the thickness


def leg_angle(name: str, frame: int) -> float:
    """How far a leg swings forward [radians]."""
    return (1.0 if name == LEFT else -1.0) * SWING * math.sin(2.0 * math.pi * frame / STEP)


def elbow_angle(frame: int) -> float:
    """Between the two bars of the arm [radians]; half a turn when it is straight."""
    return math.pi - FOLD * (1.0 - math.cos(2.0 * math.pi * frame / STEP))


def reach(name: str, frame: int) -> float:
    """How far forward the end of a leg comes [m]."""
    angle = leg_angle(name, frame)
    return LEG_END * math.sin(angle) + LEG_HALF * math.cos(angle)


def meets_skirt(name: str, frame: int) -> bool:
    """Whether a leg comes through the sheet.

    Raises:
        ValueError: that depends on the waves: the example is built wrongly.
    """
    over = reach(name, frame) - SHEET
    if abs(over) <= 1.5 * WAVES:
        raise ValueError(f"{name}, frame {frame}: {over:.4f} m from the middle of the waves")
    return over > 0.0


def meets_itself(frame: int) -> bool:
    """Whether the two bars of the arm overlap: two rectangles in a plane do when no side of one separates them."""
    angle = elbow_angle(frame)
    bars = [_bar(0.0), _bar(angle)]
    for turned in (0.0, angle):
        for axis in ((math.cos(turned), math.sin(turned)), (-math.sin(turned), math.cos(turned))):
            (low_a, high_a), (low_b, high_b) = (_range(bar, axis) for bar in bars)
            if max(low_a, low_b) > min(high_a, high_b):
                return False
    return True


def _bar(angle: float) -> list[tuple[float, float]]:
    """The corners of a bar that points away from the elbow."""
    along, across = (math.cos(angle), math.sin(angle)), (-math.sin(angle), math.cos(angle))
    return [
        (r * along[0] + h * across[0], r * along[1] + h * across[1])
        for r in (ARM_NEAR, ARM_FAR)
        for h in (-ARM_HALF, ARM_HALF)
    ]


def _range(corners: list[tuple[float, float]], axis: tuple[float, float]) -> tuple[float, float]:
    places = [x * axis[0] + y * axis[1] for x, y in corners]
    return min(places), max(places)


def expected(test: str) -> set[tuple[frozenset[str], int]]:
    """Which pairs meet in which frames, for the test of a report."""
    if test == "self":
        return {(frozenset((ARM,)), frame) for frame in FRAMES if meets_itself(frame)}
    return {(frozenset((name, SKIRT)), frame) for name in (LEFT, RIGHT) for frame in FRAMES if meets_skirt(name, frame)}


def check(report: dict[str, Any]) -> list[str]:
    """Compares a report of all frames with what was built.

    Returns:
        One line per difference; empty when the report is right.
    """
    wanted = expected(report["options"]["test"])
    found = {
        (frozenset((event["a"], event["b"])), frame)
        for event in report["events"]
        for frame in range(event["start"], event["end"] + 1)
    }
    lines = [f"{_named(pair)}, frame {frame}: should meet" for pair, frame in wanted - found]
    lines += [f"{_named(pair)}, frame {frame}: should be apart" for pair, frame in found - wanted]
    return sorted(lines)


def _named(pair: frozenset[str]) -> str:
    return " and ".join(sorted(pair))


def build() -> None:
    """Replaces the open file by the character."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    rig = armature({LEFT: (0.11, 0.0, 1.0), RIGHT: (-0.11, 0.0, 1.0), "Elbow": (0.5, 0.0, 1.4)})
    for name, sign in ((LEFT, 1.0), (RIGHT, -1.0)):
        swing(rig, name, f"{sign * SWING} * sin({2.0 * math.pi / STEP} * frame)")
        x = rig.data.bones[name].head_local.x
        low, high = (x - LEG_HALF, -LEG_HALF, 1.0 - LEG_END), (x + LEG_HALF, LEG_HALF, 1.0 - LEG_TOP)
        skinned(add(name, *bars((low, high))), rig, {name: range(8)})
    swing(rig, "Elbow", f"{FOLD} * (1 - cos({2.0 * math.pi / STEP} * frame))")
    upper = (0.5 - ARM_HALF, -ARM_HALF, 1.4 + ARM_NEAR), (0.5 + ARM_HALF, ARM_HALF, 1.4 + ARM_FAR)
    lower = (0.5 - ARM_HALF, -ARM_HALF, 1.4 - ARM_FAR), (0.5 + ARM_HALF, ARM_HALF, 1.4 - ARM_NEAR)
    skinned(add(ARM, *bars(upper, lower)), rig, {"Elbow": range(8, 16)})
    skirt()
    scene.frame_set(FRAMES[0])


def armature(bones: dict[str, tuple[float, float, float]]) -> bpy.types.Object:
    """A rig of bones that hang from their joints and turn about the x-axis of the world."""
    item = bpy.data.objects.new(RIG, bpy.data.armatures.new(RIG))
    bpy.context.scene.collection.objects.link(item)
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")
    for name, joint in bones.items():
        bone = item.data.edit_bones.new(name)
        bone.head, bone.tail = joint, (joint[0], joint[1], joint[2] - 0.5)
        bone.align_roll((0.0, 1.0, 0.0))  # z forward, so x is the world's, turned around
    bpy.ops.object.mode_set(mode="OBJECT")
    return item


def swing(rig: bpy.types.Object, name: str, expression: str) -> None:
    """Turns a bone by an expression of the frame, forward where it is above 0."""
    bone = rig.pose.bones[name]
    bone.rotation_mode = "XYZ"
    bone.driver_add("rotation_euler", 0).driver.expression = expression


def skinned(item: bpy.types.Object, rig: bpy.types.Object, groups: dict[str, range]) -> None:
    """Lets bones move vertices of an object, each wholly."""
    for name, corners in groups.items():
        item.vertex_groups.new(name=name).add(list(corners), 1.0, "REPLACE")
    item.modifiers.new(RIG, "ARMATURE").object = rig


def skirt() -> None:
    """A sheet before the legs, with waves that come and go."""
    across, down = 24, 40
    corners = [
        (0.6 * (i / across - 0.5), SHEET, 1.0 - 0.95 * k / down) for k in range(down + 1) for i in range(across + 1)
    ]
    row = across + 1
    faces = [
        (k * row + i, k * row + i + 1, (k + 1) * row + i + 1, (k + 1) * row + i)
        for k in range(down)
        for i in range(across)
    ]
    item = add(SKIRT, corners, faces)
    item.shape_key_add(name="Still")
    waves = item.shape_key_add(name="Waves")
    waves.slider_min = -1.0
    for point, (x, _, z) in zip(waves.data, corners, strict=True):
        point.co.y += WAVES * math.sin(40.0 * x + 25.0 * z)
    waves.driver_add("value").driver.expression = "sin(0.9 * frame)"


def bars(
    *boxes: tuple[tuple[float, float, float], tuple[float, float, float]],
) -> tuple[list[tuple[float, float, float]], list[tuple[int, ...]]]:
    """Corners and faces of some boxes."""
    corners, faces = [], []
    for number, (low, high) in enumerate(boxes):
        corners += [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
        for face in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)):
            faces.append(tuple(8 * number + corner for corner in face))
    return corners, faces


def add(name: str, corners: list[tuple[float, float, float]], faces: list[tuple[int, ...]]) -> bpy.types.Object:
    """An object of the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def main(arguments: list[str]) -> int:
    """Builds the file, or checks a report; returns the exit code."""
    right = "Legs come through the skirt, and the arm through itself, when they should."
    return example_command.run(arguments, __doc__, build, check, right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]))
