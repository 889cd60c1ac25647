"""STEP by cascadio: a plate with three cylindrical bolts, as a program for mechanical design writes it.

The file is of four parts, in millimetres: "Plate-1" is 100 x 50 x 10, the bolts have a radius of 4 and a height of 30.
"""

import json
import math
from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
from meshclash.__main__ import main
from meshclash.clash.pair_row import PairRow, PairSide
from meshclash.clash.tessellation import with_tolerances
from meshclash.errors import InvalidFile
from meshclash.reading.step_files import TOLERANCE

FLANGE = Path(__file__).with_name("flange.step")
BOLT = math.pi * 0.004**2  # of its section [m2]


def volume_of(part):
    a, b, c = np.moveaxis(part.shape.vertices[part.shape.triangles], 1, 0)
    return float((a * np.cross(b, c)).sum()) / 6.0


def test_parts_have_their_names_places_and_volumes():
    pytest.importorskip("cascadio")
    parts = {part.name: part for part in mc.read(FLANGE)}
    assert [*parts] == ["Plate-1", "Bolt-1", "Bolt-2", "Bolt-3"]
    assert volume_of(parts["Plate-1"]) == pytest.approx(0.1 * 0.05 * 0.01)
    for name in ("Bolt-1", "Bolt-2", "Bolt-3"):
        volume = volume_of(parts[name])
        assert BOLT * 0.03 * (1.0 - 2.0 * TOLERANCE / 0.004) ** 2 <= volume <= BOLT * 0.03
    assert parts["Bolt-2"].matrix[:3, 3] == pytest.approx([0.05, 0.025, -0.005])
    assert mc.read(FLANGE).tessellation == TOLERANCE


def test_clashes_of_an_assembly_tell_the_tolerance(tmp_path):
    pytest.importorskip("cascadio")
    report = tmp_path / "report.json"
    assert main(["detect", str(FLANGE), "--quiet", "--overlap-volume", "--report", str(report)]) == 0
    data = json.loads(report.read_text("utf-8"))
    assert sorted((pair["verdict"], pair["a"], pair["b"]) for pair in data["pairs"]) == [
        ("clash", "Bolt-1", "Plate-1"), ("clash", "Bolt-2", "Plate-1")
    ]  # fmt: skip
    assert data["models"][0]["tessellation"] == TOLERANCE
    for pair in data["pairs"]:
        assert pair["depth_lower"] <= 0.008 <= pair["depth_upper"], "the bolt is 8 mm thick"
        assert pair["volume"] == pytest.approx(BOLT * 0.01, rel=0.01)


@pytest.mark.parametrize("content", [b"", b"ISO-10303-21;\nHEADER;\nENDSEC;\n", b"\x00" * 99])
def test_a_damaged_file_is_an_error_that_names_it(tmp_path, content):
    pytest.importorskip("cascadio")
    path = tmp_path / "bad.stp"
    path.write_bytes(content)
    with pytest.raises(InvalidFile, match=r"bad\.stp: cascadio cannot read it"):
        mc.read(path)


def test_depths_allow_for_triangles_that_are_off():
    def row(lower, upper, depth):
        sides = (PairSide(name, name, name, []) for name in "ab")
        return PairRow("0" * 16, *sides, 1, "clash", 5, 4, None, depth, lower, upper)

    rows = [row(0.5, 0.8, 0.5), row(0.1, 0.3, 0.1), row(None, None, None)]
    found = with_tolerances(rows, {"a": 0.1, "b": 0.05})
    told = [[item.depth_lower, item.depth_upper, item.depth] for item in found]
    assert told == [pytest.approx([0.3, 1.0, 0.3]), [0.0, pytest.approx(0.5), None], [None, None, None]]
    assert with_tolerances(rows, {}) == rows
