"""Pipes, conduits and ducts in millimetres, with every clearance up to 25 mm known by construction.

    python examples/pipe_rack.py rack.blend                 # builds the scene (bpy wheel)
    blender --background --python examples/pipe_rack.py -- rack.blend
    python examples/pipe_rack.py --check report.json        # compares a report of the test clearance or distance

All coordinates are dyadic, and round parts turn a corner of their polygon towards their neighbour, so the gaps are
exact; only the sleeve's is that of two polygons around one axis, whose corners are rounded to 1/1024 mm.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy  # must be the first import of Blender's modules

sys.path.insert(0, str(Path(__file__).resolve().parent))  # Blender does not do this for a script that it runs
import example_command
import solids as s

MILLIMETRE = 0.001
KNOWN_UP_TO = 25.0  # mm; every pair that comes nearer is listed
ROUNDING = 2 / s.GRID


@dataclass(frozen=True)
class Expected:
    """What a report must say about a pair: the gap [mm], and the verdict where they meet."""

    gap: float
    verdict: str = ""


EXPECTED = {
    frozenset(("Bracket", "Pipe A")): Expected(0.0, "clash"),
    frozenset(("Float", "Tank")): Expected(0.0, "contained"),
    frozenset(("Bracket", "Floor")): Expected(0.0, "touching"),
    frozenset(("Conduit 1", "Conduit 2")): Expected(5.0),
    frozenset(("Pipe C", "Sleeve")): Expected(8.0 * math.cos(math.pi / s.CIRCLE_POINTS)),
    frozenset(("Pipe A", "Pipe B")): Expected(8.0),
    frozenset(("Cable", "Duct")): Expected(10.0),
    frozenset(("Pipe A", "Tray")): Expected(12.0),
    frozenset(("Pipe B", "Tray")): Expected(12.0),
}


def check(report: dict[str, Any]) -> list[str]:
    """Compares a report of the test clearance or distance with `EXPECTED`.

    Returns:
        One line per difference; empty when the report is right.
    """
    options = report["options"]
    measures_all = options["test"] == "distance"
    limit = math.inf if measures_all else options["tolerance"] / MILLIMETRE
    apart = "apart" if measures_all else "near"
    wanted = {pair: item for pair, item in EXPECTED.items() if item.gap <= limit}
    found = {frozenset((pair["a"], pair["b"])): pair for pair in report["pairs"]}
    lines = []
    for pair, item in wanted.items():
        name = " and ".join(sorted(pair))
        if pair not in found:
            lines.append(f"{name}: expected {item.gap:g} mm, reported nothing")
            continue
        gap, verdict = found[pair]["distance"] / MILLIMETRE, found[pair]["verdict"]
        if abs(gap - item.gap) > ROUNDING:
            lines.append(f"{name}: expected {item.gap:g} mm, reported {gap:g} mm")
        if verdict != (item.verdict or apart):
            lines.append(f"{name}: expected {item.verdict or apart}, reported {verdict}")
    for pair in found.keys() - wanted.keys():
        gap = found[pair]["distance"] / MILLIMETRE
        if gap <= KNOWN_UP_TO:
            lines.append(f"{' and '.join(sorted(pair))}: expected more than {KNOWN_UP_TO:g} mm, reported {gap:g} mm")
    return lines


def build() -> None:
    """Replaces the open file by the rack."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    units = bpy.context.scene.unit_settings
    units.system, units.scale_length, units.length_unit = "METRIC", MILLIMETRE, "MILLIMETERS"
    add("Floor", block((-512, -512), (512, 512), -64, 0))
    add("Bracket", block((-216, -16), (-184, 16), 0, 170))
    pipe = s.extrude(s.circle(32), -400, 400, "y")
    add("Pipe A", pipe, (-200, 0, 200))
    add("Pipe B", pipe, (-128, 0, 200))
    add("Tray", block((-240, -300), (-88, 300), 244, 260))
    add("Conduit 1", s.extrude(s.circle(16), 64, 448, "x"), (0, -200, 300))
    add("Conduit 2", s.extrude(s.circle(16), -300, -100, "y"), (256, 0, 337))
    add("Duct", block((100, 100), (200, 300), 40, 100))
    add("Cable", block((206, 100), (260, 300), 108, 140))
    add("Pipe C", s.extrude(s.circle(32), -150, 150, "y"), (400, 0, 150))
    add("Sleeve", s.extrude(s.circle(56), -100, 100, "y", [s.circle(40)]), (400, 0, 150))
    add("Tank", block((-450, -64), (-350, 64), 100, 200))
    add("Float", block((-420, -16), (-380, 16), 130, 160))


def block(low: tuple[float, float], high: tuple[float, float], bottom: float, top: float) -> bpy.types.Mesh:
    """A box."""
    return s.extrude(s.rectangle(low, high), bottom, top, "z")


def add(name: str, mesh: bpy.types.Mesh, at: tuple[float, float, float] = (0, 0, 0)) -> None:
    """Places a part."""
    item = bpy.data.objects.new(name, mesh)
    item.location = at
    bpy.context.scene.collection.objects.link(item)


def main(arguments: list[str]) -> int:
    """Builds the file, or checks a report; returns the exit code."""
    right = f"All {len(EXPECTED)} clearances are as constructed, and no other is reported."
    return example_command.run(arguments, __doc__, build, check, right)


if __name__ == "__main__":
    sys.exit(main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]))
