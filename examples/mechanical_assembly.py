"""A two-shaft gearbox of 106 parts in millimetres, with the right answer of a clash detection known by construction.

    python examples/mechanical_assembly.py assembly.blend                 # builds the scene (bpy wheel)
    blender --background --python examples/mechanical_assembly.py -- assembly.blend
    python examples/mechanical_assembly.py --check report.json            # compares a report with EXPECTED

Faces that are to meet lie on equal dyadic coordinates, so they touch exactly. Everything else keeps at least 0.1 mm:
bolts in their holes, rollers between their rings, the wheel on its shaft. Planted on purpose: press fits of known
interference, a bolt that is too long, a block sunk into the base, a pipe without a hole, a sensor in the gear teeth,
two shims that overlap by half without any crossing face, a magnet inside the wheel and a nut that is there twice.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy  # must be the first import of Blender's modules
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Blender does not do this for a script that it runs
import example_command
import solids as s

MILLIMETRE = 0.001
CLEARANCE = 0.1
SIDES = {"front": -1, "rear": 1}
SHAFTS = {"input": -40.0, "output": 40.0}  # where they stand along x
HEIGHT = 68.0  # of the shafts above the base
QUADRANTS = ((1, 1), (-1, 1), (-1, -1), (1, -1))
ROLLERS = 8
TOUCHING, CLASH, CONTAINED, DUPLICATE = "touching", "clash", "contained", "duplicate"


@dataclass(frozen=True)
class Expected:
    """What a detection must say about a pair.

    Attributes:
        verdict: without permitted overlap.
        depth: how deep the two overlap [mm], where a permitted overlap may turn the clash into a touch.
    """

    verdict: str
    depth: float | None = None

    def under(self, permitted_overlap: float) -> str:
        """The verdict with a permitted overlap [mm]."""
        tolerated = self.verdict == CLASH and self.depth is not None and self.depth < permitted_overlap
        return TOUCHING if tolerated else self.verdict


PLANTED = {
    frozenset(("Nut front 2 (copy)", "Nut front 2")): Expected(DUPLICATE),
    frozenset(("Magnet", "Wheel")): Expected(CONTAINED),
    frozenset(("Stop block", "Base")): Expected(CLASH, depth=4.0),
    frozenset(("Shim 1", "Shim 2")): Expected(CLASH, depth=2.0),
    frozenset(("Oil pipe", "Plate front")): Expected(CLASH),
    frozenset(("Sensor", "Wheel")): Expected(CLASH),
    frozenset(("Cover bolt output rear 1", "Wheel")): Expected(CLASH),
}


def _expected() -> dict[frozenset[str], Expected]:
    """All pairs that are not apart."""
    pairs: dict[frozenset[str], Expected] = {}

    def meet(*names: str, expected: Expected = Expected(TOUCHING)) -> None:
        pairs.update({frozenset((names[0], other)): expected for other in names[1:]})

    for side in SIDES:
        plate = f"Plate {side}"
        meet("Base", plate, f"Foot {side}")
        meet(plate, f"Foot {side}")
        meet(f"Dowel {side}", "Base", expected=Expected(CLASH, depth=1 / 32))
        for number in (1, 2):
            meet(f"Foot bolt {side} {number}", "Base", f"Foot {side}")
        for number in (1, 2, 3, 4):
            washer, nut = f"Washer {side} {number}", f"Nut {side} {number}"
            meet(washer, plate, nut)
            meet(f"Tie rod {number}", plate, nut)
        for shaft in SHAFTS:
            cover = f"Cover {shaft} {side}"
            meet(plate, cover, f"Outer ring {shaft} {side}")
            for number in (1, 2, 3, 4):
                meet(f"Cover bolt {shaft} {side} {number}", cover, plate)
        ring = f"Inner ring input {side}"
        meet(ring, "Input shaft", expected=Expected(CLASH, depth=1 / 16))
        meet(f"Sleeve {side}", ring, "Pinion")
        meet(f"Inner ring output {side}", "Output shaft")
    meet("Pinion", "Input shaft", expected=Expected(CLASH, depth=1 / 16))
    meet("Key", "Output shaft", "Wheel")
    meet("Collar", "Wheel")
    meet("Shim 1", "Base")
    meet("Nut front 2 (copy)", "Washer front 2", "Tie rod 2")
    return {**pairs, **PLANTED}


EXPECTED: dict[frozenset[str], Expected] = _expected()


def check(report: dict[str, Any]) -> list[str]:
    """Compares a report (schema meshclash.report/1) of the assembly with `EXPECTED`.

    Returns:
        One line per difference; empty when the report is right.
    """
    permitted = report["options"]["permitted_overlap"] / MILLIMETRE
    wanted = {pair: expected.under(permitted) for pair, expected in EXPECTED.items()}
    found = {frozenset((pair["a"], pair["b"])): pair["verdict"] for pair in report["pairs"]}
    return [
        f"{' and '.join(sorted(pair))}: expected {wanted.get(pair, 'apart')}, reported {found.get(pair, 'apart')}"
        for pair in sorted(wanted.keys() | found.keys(), key=sorted)
        if wanted.get(pair) != found.get(pair)
    ]


class Assembly:
    """Puts parts into an empty scene, one collection per group."""

    def __init__(self) -> None:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self.scene = bpy.context.scene
        units = self.scene.unit_settings
        units.system, units.scale_length, units.length_unit = "METRIC", MILLIMETRE, "MILLIMETERS"
        self._materials: dict[str, Any] = {}

    def add(
        self, group: str, name: str, mesh: Any, at: tuple[float, float, float] = (0, 0, 0), mirror_y: bool = False
    ) -> None:
        """Places a part; a mesh may serve several."""
        collection = bpy.data.collections.get(group)
        if collection is None:
            collection = bpy.data.collections.new(group)
            self.scene.collection.children.link(collection)
        if not mesh.materials:
            mesh.name = name
            mesh.materials.append(self._material(group))
        item = bpy.data.objects.new(name, mesh)
        item.location = at
        item.scale = (1, -1 if mirror_y else 1, 1)
        collection.objects.link(item)

    def _material(self, group: str) -> Any:
        if group not in self._materials:
            material = bpy.data.materials.new(group)
            material.diffuse_color = GROUP_COLOURS[group]
            if material.node_tree is None:  # since Blender 5.0 it is there from the start
                material.use_nodes = True
            shader = material.node_tree.nodes["Principled BSDF"]
            shader.inputs["Base Color"].default_value = GROUP_COLOURS[group]
            shader.inputs["Metallic"].default_value, shader.inputs["Roughness"].default_value = 0.6, 0.4
            self._materials[group] = material
        return self._materials[group]


GROUP_COLOURS = {
    "Frame": (0.55, 0.58, 0.62, 1.0),
    "Bearings": (0.75, 0.75, 0.72, 1.0),
    "Shafts": (0.45, 0.47, 0.50, 1.0),
    "Gears": (0.62, 0.52, 0.36, 1.0),
    "Covers": (0.38, 0.44, 0.52, 1.0),
    "Fasteners": (0.30, 0.31, 0.33, 1.0),
    "Planted": (0.70, 0.70, 0.70, 1.0),
}


def build() -> None:
    """Replaces the open file by the assembly."""
    assembly = Assembly()
    add_frame(assembly)
    for shaft in SHAFTS:
        for side in SIDES:
            add_bearing(assembly, shaft, side)
            add_cover(assembly, shaft, side)
    add_shafts(assembly)
    add_gears(assembly)
    add_tie_rods(assembly)
    add_planted_faults(assembly)
    add_camera_and_lights(assembly)


def add_frame(assembly: Assembly) -> None:
    """Base, plates, feet with their bolts and dowels; the rear foot is the mirrored front one."""
    bolts, dowels = [(-64.0, 76.0), (64.0, 76.0)], [(0.0, 76.0)]
    holes = [s.circle(4, (x, side * y)) for x, y in bolts for side in SIDES.values()]
    holes += [s.circle(3 - 1 / 32, (x, side * y)) for x, y in dowels for side in SIDES.values()]
    assembly.add("Frame", "Base", s.extrude(s.rectangle((-128, -88), (128, 88)), -16, 0, "z", holes))
    bores = [s.circle(26, (x, HEIGHT)) for x in SHAFTS.values()]
    threads = [s.circle(2, (x + 22 * u, HEIGHT + 22 * v)) for x in SHAFTS.values() for u, v in QUADRANTS]
    rods = [s.circle(5 + CLEARANCE, place) for place in rod_places()]
    outline = s.rectangle((-112, 0), (112, 144))
    plate = s.extrude(outline, -8, 8, "y", [*bores, *threads, *rods])
    foot_holes = [s.circle(4 + CLEARANCE, (x, 0)) for x, _ in bolts] + [s.circle(3 + CLEARANCE)]
    foot = s.extrude(s.rectangle((-80, -12), (80, 12)), 0, 16, "z", foot_holes)
    bolt = s.stepped([(s.circle(4), -12, 16), (s.circle(7, points=6), 16, 22)], "z")
    dowel = s.extrude(s.circle(3), -14, 12, "z")
    for side, sign in SIDES.items():
        assembly.add("Frame", f"Plate {side}", plate, (0, 56 * sign, 0))
        assembly.add("Frame", f"Foot {side}", foot, (0, 76 * sign, 0), mirror_y=sign > 0)
        assembly.add("Fasteners", f"Dowel {side}", dowel, (0, 76 * sign, 0))
        for number, (x, y) in enumerate(bolts, 1):
            assembly.add("Fasteners", f"Foot bolt {side} {number}", bolt, (x, y * sign, 0))


def add_bearing(assembly: Assembly, shaft: str, side: str) -> None:
    """Two rings and the rollers between them, 0.1 mm away from both."""
    x, y = SHAFTS[shaft], 56.0 * SIDES[side]
    name = f"{shaft} {side}"
    assembly.add("Bearings", f"Outer ring {name}", s.extrude(s.circle(26), -6, 6, "y", [s.circle(22)]), (x, y, HEIGHT))
    assembly.add("Bearings", f"Inner ring {name}", s.extrude(s.circle(16), -6, 6, "y", [s.circle(10)]), (x, y, HEIGHT))
    roller = s.extrude(s.circle(3 - CLEARANCE, points=24), -5, 5, "y")
    for number in range(ROLLERS):
        angle = 2 * math.pi * number / ROLLERS
        place = (s.on_grid(x + 19 * math.cos(angle)), y, s.on_grid(HEIGHT + 19 * math.sin(angle)))
        assembly.add("Bearings", f"Roller {name} {number + 1}", roller, place)


def add_cover(assembly: Assembly, shaft: str, side: str) -> None:
    """A cover on the outside of a plate: open where the shaft leaves the gearbox. Its four bolts are tapped."""
    x, sign = SHAFTS[shaft], SIDES[side]
    is_open = (shaft, side) in (("input", "front"), ("output", "rear"))
    holes = [s.circle(2 + CLEARANCE, (22 * u, 22 * v)) for u, v in QUADRANTS]
    holes += [s.circle(8 + CLEARANCE)] if is_open else []
    cover = s.extrude(s.circle(36), 64, 72, "y", holes)
    assembly.add("Covers", f"Cover {shaft} {side}", cover, (x, 0, HEIGHT), mirror_y=sign < 0)
    for number, (u, v) in enumerate(QUADRANTS, 1):
        name = f"Cover bolt {shaft} {side} {number}"
        end = 8 if name == "Cover bolt output rear 1" else 54  # one is too long: it reaches the wheel
        bolt = s.stepped([(s.circle(2), end, 72), (s.circle(3.5, points=6), 72, 76)], "y")
        assembly.add("Fasteners", name, bolt, (x + 22 * u, 0, HEIGHT + 22 * v), mirror_y=sign < 0)


def add_shafts(assembly: Assembly) -> None:
    """The input shaft is pressed into its bearings, the output shaft runs in them with 0.1 mm and drives by a key."""
    journal, loose = s.circle(10 + 1 / 16), s.circle(10 - CLEARANCE)
    sections = [(s.circle(8), -104, -63), (journal, -63, -50), (s.circle(14), -50, 50), (journal, 50, 63)]
    assembly.add("Shafts", "Input shaft", s.stepped(sections, "y"), (SHAFTS["input"], 0, HEIGHT))
    seat = s.notched_circle(16, 2.5, 13)
    sections = [(loose, -63, -50), (s.circle(12), -50, -20), (seat, -20, 20), (s.circle(12), 20, 50)]
    sections += [(loose, 50, 63), (s.circle(8), 63, 104)]
    assembly.add("Shafts", "Output shaft", s.stepped(sections, "y"), (SHAFTS["output"], 0, HEIGHT))
    key = s.extrude(s.rectangle((-2.5, 13), (2.5, 18)), -12, 12, "y")
    assembly.add("Shafts", "Key", key, (SHAFTS["output"], 0, HEIGHT))


def add_gears(assembly: Assembly) -> None:
    """Pinion (pressed on), wheel (on the key), and what holds them in place."""
    pinion = s.extrude(s.gear(24, 2.0), -16, 16, "y", [s.circle(14 - 1 / 16)])
    assembly.add("Gears", "Pinion", pinion, (SHAFTS["input"], 0, HEIGHT))
    bore = s.notched_circle(16 + CLEARANCE, 2.5, s.on_grid(18 + CLEARANCE))
    wheel = s.extrude(s.gear(56, 2.0, turned=0.5), -14, 14, "y", [bore])
    assembly.add("Gears", "Wheel", wheel, (SHAFTS["output"], 0, HEIGHT))
    sleeve = s.extrude(s.circle(17), 16, 50, "y", [s.circle(14 + CLEARANCE)])
    for side, sign in SIDES.items():
        assembly.add("Gears", f"Sleeve {side}", sleeve, (SHAFTS["input"], 0, HEIGHT), mirror_y=sign < 0)
    collar = s.extrude(s.circle(22), 14, 20, "y", [s.circle(16 + CLEARANCE)])
    assembly.add("Gears", "Collar", collar, (SHAFTS["output"], 0, HEIGHT))


def rod_places() -> list[tuple[float, float]]:
    """(x, z) of the tie rods."""
    return [(100.0, 128.0), (-100.0, 128.0), (-100.0, 16.0), (100.0, 16.0)]


def add_tie_rods(assembly: Assembly) -> None:
    """Rods with shoulders between the plates, with a washer and a nut at each end."""
    rod = s.stepped([(s.circle(5), -80, -48), (s.circle(8), -48, 48), (s.circle(5), 48, 80)], "y")
    washer = s.extrude(s.circle(10), 64, 67, "y", [s.circle(5 + CLEARANCE)])
    nut = s.extrude(s.circle(9, points=6), 67, 75, "y", [s.circle(5)])
    for number, (x, z) in enumerate(rod_places(), 1):
        assembly.add("Frame", f"Tie rod {number}", rod, (x, 0, z))
        for side, sign in SIDES.items():
            assembly.add("Fasteners", f"Washer {side} {number}", washer, (x, 0, z), mirror_y=sign < 0)
            assembly.add("Fasteners", f"Nut {side} {number}", nut, (x, 0, z), mirror_y=sign < 0)
    x, z = rod_places()[1]
    assembly.add("Planted", "Nut front 2 (copy)", nut, (x, 0, z), mirror_y=True)


def add_planted_faults(assembly: Assembly) -> None:
    """What a designer would have to find; the long bolt and the copied nut stand with their kind."""
    block = s.extrude(s.rectangle((-128, -16), (-112, 16)), -4, 24, "z")
    assembly.add("Planted", "Stop block", block)
    shim = s.extrude(s.rectangle((112, -16), (128, 16)), 0, 4, "z")
    assembly.add("Planted", "Shim 1", shim)
    assembly.add("Planted", "Shim 2", shim, (0, 0, 2))
    assembly.add("Planted", "Oil pipe", s.extrude(s.circle(6), -104, -24, "y"), (0, 0, 122))
    assembly.add("Planted", "Sensor", s.extrude(s.rectangle((92, 62), (108, 74)), -6, 6, "y"))
    assembly.add("Planted", "Magnet", s.extrude(s.circle(4), -4, 4, "y"), (SHAFTS["output"], 0, HEIGHT - 40))


def add_camera_and_lights(assembly: Assembly) -> None:
    """A view from the front right, from above."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (330, -520, 330)
    camera.rotation_euler = (Vector((0, 0, 58)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens, camera.data.clip_end = 60, 5000
    assembly.scene.collection.objects.link(camera)
    assembly.scene.camera = camera
    for name, place, energy in (("Key light", (400, -400, 600), 3.0), ("Fill light", (-500, -300, 300), 1.0)):
        light = bpy.data.objects.new(name, bpy.data.lights.new(name, "SUN"))
        light.location, light.data.energy = place, energy
        light.rotation_euler = (-Vector(place)).to_track_quat("-Z", "Y").to_euler()
        assembly.scene.collection.objects.link(light)


def main(arguments: list[str]) -> int:
    """Builds the file, or checks a report; returns the exit code."""
    right = f"All {len(EXPECTED)} pairs are as constructed, and no other pair is reported."
    return example_command.run(arguments, __doc__, build, check, right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]))
