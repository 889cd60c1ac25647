"""Gears that turn and a robot arm that swings: when what meets is known by construction, between frames, too.

    python examples/gear_train.py gears.blend                     # builds the scene (bpy wheel)
    blender --background --python examples/gear_train.py -- gears.blend
    python blender_scripts/detect.py gears.blend --frames 1:120 --report report.json
    python examples/gear_train.py --check report.json

Three gears of 12, 24 and 12 teeth turn in mesh and keep a backlash between their teeth, so they never meet. A key
that turns with the first one, above its face, goes through a finger that stays, once a turn. In the robot cell beside
them an arm turns by one degree a frame through a post and back. Key, finger, arm and post are boxes, so the angles at
which they meet and part are arc sines, between two frames.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import bpy  # must be the first import of Blender's modules

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Blender does not do this for a script that it runs
import example_command

FRAMES = range(1, 121)
TEETH = (12, 24, 12)
MODULE, WIDTH = 0.1, 0.2  # m: pitch diameter over teeth, and length along the axis
BACKLASH = 0.25  # of a tooth's width that is free on either side
TURN = 6.0  # degrees a frame, of the first gear: a turn in 60 frames
KEY_ANGLE = 90.0  # where the key stands in frame 1; the finger is at 0
KEY, FINGER, ARM, POST = "Key", "Finger", "Arm", "Post"
KEY_HALF, FINGER_HALF, KEY_RADIUS = 0.02, 0.03, 0.4  # m
ARM_LENGTH, ARM_HALF, POST_ANGLE, POST_HALF = 2.0, 0.05, 40.5, 0.04
TURNED_BACK = 61  # the frame at which the arm has come farthest: 60 degrees from where it began


def key_event(turn: int) -> tuple[float, float]:
    """From when to when the key touches the finger, in frames: two bars that cross near the key's radius.

    Both are thin and lie along the radius. Seen along the axis the key is a rectangle of half width k that turns, the
    finger one of half width f that stays: they touch while the key's inner corners, which lie at radius r, are no
    farther from the finger's middle line than f, that is while |r sin a| - k cos a <= f.
    """
    inner = KEY_RADIUS - 0.05
    reach = math.degrees(_first_angle(inner))
    middle = 1.0 + (360.0 - KEY_ANGLE) / TURN + 360.0 / TURN * turn
    return middle - reach / TURN, middle + reach / TURN


def _first_angle(radius: float) -> float:
    """The angle a with radius sin a - KEY_HALF cos a = FINGER_HALF [radians]."""
    size, phase = math.hypot(radius, KEY_HALF), math.atan2(KEY_HALF, radius)
    return math.asin(FINGER_HALF / size) + phase


def arm_events() -> list[tuple[float, float]]:
    """From when to when the arm touches the post, on its way there and on its way back.

    The post is a square bar that stands where the arm's middle line points at POST_ANGLE, turned with it. Its corner
    nearest to the axis is the first that the arm's side reaches, and the last that it leaves.
    """
    near = math.degrees(_angle_to(0.75 * ARM_LENGTH - POST_HALF))
    middles = 1.0 + POST_ANGLE, 2.0 * TURNED_BACK - 1.0 - POST_ANGLE
    return [(middle - near, middle + near) for middle in middles]


def _angle_to(radius: float) -> float:
    """By how much the arm must still turn when its side touches the post's corner at a radius along POST_ANGLE."""
    size, phase = math.hypot(radius, POST_HALF), math.atan2(POST_HALF, radius)
    return math.asin(min(1.0, ARM_HALF / size)) + phase


def check(report: dict[str, Any]) -> list[str]:
    """Compares a report of all frames with what was built.

    Returns:
        One line per difference; empty when the report is right.
    """
    expected = {(KEY, FINGER): [key_event(0), key_event(1)], (ARM, POST): arm_events()}
    lines = []
    for pair, times in expected.items():
        found = sorted(_times(event) for event in report["events"] if {event["a"], event["b"]} == set(pair))
        name = " and ".join(pair)
        if len(found) != len(times):
            lines.append(f"{name}: expected {len(times)} events, reported {len(found)}")
            continue
        for (start, end), (first, last) in zip(times, found, strict=True):
            if abs(start - first) > 0.02 or abs(end - last) > 0.02:
                lines.append(f"{name}: expected {start:.3f} to {end:.3f}, reported {first:.3f} to {last:.3f}")
    known = {frozenset(pair) for pair in expected}
    others = {frozenset((event["a"], event["b"])) for event in report["events"]} - known
    return lines + [f"{' and '.join(sorted(pair))}: nobody built this" for pair in others]


def _times(event: dict[str, Any]) -> tuple[float, float]:
    start = event["start"] if event["start_time"] is None else event["start_time"]
    return start, event["end"] if event["end_time"] is None else event["end_time"]


def build() -> None:
    """Replaces the open file by the gears and the robot cell."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    gears()
    cell()
    scene.frame_set(FRAMES[0])


def gears() -> None:
    """Three gears in a row, their key and the finger."""
    x, angle, speed = 0.0, 0.0, 1.0
    for place, teeth in enumerate(TEETH):
        radius = 0.5 * MODULE * teeth
        if place:
            former = TEETH[place - 1]
            x += 0.5 * MODULE * (former + teeth)
            # A tooth of one stands in a gap of the other on the line between their axes.
            angle = 180.0 + 180.0 / teeth - angle * former / teeth
            speed = -speed * former / teeth
        gear = add(f"Gear {place + 1}", *gear_mesh(teeth, radius))
        gear.location.x = x
        turn(gear, angle, angle + speed * TURN * (len(FRAMES) - 1))
    key = add(KEY, *box((KEY_RADIUS - 0.05, -KEY_HALF, 0.25), (KEY_RADIUS + 0.05, KEY_HALF, 0.35)))
    turn(key, KEY_ANGLE, KEY_ANGLE + TURN * (len(FRAMES) - 1))
    add(FINGER, *box((0.2, -FINGER_HALF, 0.28), (KEY_RADIUS + 0.2, FINGER_HALF, 0.38)))


def cell() -> None:
    """An arm that turns to 60 degrees and back, and a post on its way."""
    arm = add(ARM, *box((0.2, -ARM_HALF, 0.0), (ARM_LENGTH, ARM_HALF, 0.1)))
    arm.location.y = 3.0
    turn(arm, 0.0, 60.0, TURNED_BACK)
    arm.rotation_euler.z = 0.0
    arm.keyframe_insert("rotation_euler", index=2, frame=2 * TURNED_BACK - 1)
    linear(arm)
    middle = 0.75 * ARM_LENGTH
    post = add(POST, *box((middle - POST_HALF, -POST_HALF, -0.5), (middle + POST_HALF, POST_HALF, 0.5)))
    post.location.y, post.rotation_euler.z = 3.0, math.radians(POST_ANGLE)


def gear_mesh(teeth: int, radius: float) -> tuple[list[tuple[float, float, float]], list[tuple[int, ...]]]:
    """A closed gear with straight flanks, the middle of a tooth at angle 0."""
    outline = []
    half = math.pi / teeth
    for tooth in range(teeth):
        middle = 2.0 * half * tooth
        foot, top = 0.5 * half * (1.0 + BACKLASH), 0.5 * half * (0.5 - BACKLASH)
        for angle, distance in ((-foot, -1.1), (-top, 0.9), (top, 0.9), (foot, -1.1)):
            at, reach = middle + angle, radius + distance * MODULE
            outline.append((reach * math.cos(at), reach * math.sin(at)))
    count = len(outline)
    corners = [(x, y, z) for z in (0.0, WIDTH) for x, y in outline]
    corners += [(0.0, 0.0, 0.0), (0.0, 0.0, WIDTH)]
    faces: list[tuple[int, ...]] = []
    for k in range(count):
        after = (k + 1) % count
        faces += [
            (k, after, count + after, count + k),
            (2 * count, after, k),
            (2 * count + 1, count + k, count + after),
        ]
    return corners, faces


def box(
    low: tuple[float, float, float], high: tuple[float, float, float]
) -> tuple[list[tuple[float, float, float]], list[tuple[int, ...]]]:
    """Corners and faces."""
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    return corners, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def add(name: str, corners: list[tuple[float, float, float]], faces: list[tuple[int, ...]]) -> bpy.types.Object:
    """An object of the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def turn(item: bpy.types.Object, first: float, last: float, until: int = FRAMES[-1]) -> None:
    """Turns an object evenly about its z-axis, from the first frame on [degrees]."""
    for frame, angle in ((FRAMES[0], first), (until, last)):
        item.rotation_euler.z = math.radians(angle)
        item.keyframe_insert("rotation_euler", index=2, frame=frame)
    linear(item)


def linear(item: bpy.types.Object) -> None:
    """Lets an object move evenly from key to key."""
    for curve in example_command.curves_of(item):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def main(arguments: list[str]) -> int:
    """Builds the file, or checks a report; returns the exit code."""
    right = "The gears run free, the key and the arm meet what they should, and when."
    return example_command.run(arguments, __doc__, build, check, right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]))
