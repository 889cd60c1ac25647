"""How finely coordinates of a file are stored: by the digits that are written, whatever precision they come from."""

import json
import subprocess
import sys

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.reading.stored_precision import stored_resolution
from solids import box

SEEDS = st.integers(0, 2**32 - 1)


def written(points, form):
    """The numbers that a reader finds where others wrote points so."""
    return np.array([[float(format(x, form)) for x in row] for row in points.tolist()])


@given(SEEDS, st.sampled_from([".6f", ".9g", ".17g", "", ".8g"]), st.sampled_from([1e-2, 1.0, 1e3, 4.2e6]))
def test_numbers_of_single_precision_are_known_as_such(seed, form, size):
    points = (np.random.default_rng(seed).uniform(-1, 1, (50, 3)) * size).astype(np.float32)
    numbers = points.astype(np.float64) if form in (".17g", "") else written(points, form)
    assert stored_resolution(numbers) is None


@given(SEEDS, st.integers(1, 12), st.sampled_from([1.0, 1e3, 4.2e6]))
def test_decimals_beyond_single_precision_tell_how_far_points_are_off(seed, decimals, size):
    rng = np.random.default_rng(seed)
    points = rng.uniform(-1, 1, (200, 3)) * size
    numbers = written(points, f".{decimals}f")
    told = stored_resolution(numbers)
    off = np.linalg.norm(numbers - points, axis=1).max()
    if told is not None:
        assert off <= told <= max(3.0 * 10.0**-decimals, 4.0 * np.spacing(size))
    else:
        assert 10.0**-decimals >= np.spacing(np.float32(size)) / 8.0


@pytest.mark.slow
@pytest.mark.parametrize("north", [0.0, 1e5, 4.2e6, 5.5e6])
def test_an_open_trough_at_survey_coordinates_holds_nothing(tmp_path, north):
    """Written with 17 digits; single precision would be off by 0.43 m, more than the trough is wide."""
    vertices, triangles = box((0, 0, 0), (2.0, 0.3, 0.3))
    keep = ~(vertices[triangles][:, :, 2] == 0.3).all(axis=1)
    place = np.array([4e5, north, 100.0]) * (north > 0.0) + np.sqrt([2.0, 3.0, 5.0])
    files = []
    for name, corners, faces in (
        ("trough", vertices, triangles[keep]), ("rod", *box((0.2, 0.1, 0.1), (1.8, 0.2, 0.2))),
    ):  # fmt: skip
        files.append(tmp_path / f"{name}.obj")
        lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in corners + place]
        lines += [f"f {a} {b} {c}" for a, b, c in faces + 1]
        files[-1].write_text("\n".join(lines) + "\n", "utf-8")
        (part,) = mc.read(files[-1])
        assert part.mesh.resolution <= 1e-8
    report = tmp_path / "report.json"
    call = [sys.executable, "-m", "meshclash", "detect", *map(str, files), "--report", str(report)]
    told = subprocess.run(call, capture_output=True, text=True, check=False).stderr
    assert "only precise to" not in told
    assert json.loads(report.read_text("utf-8"))["pairs"] == []
