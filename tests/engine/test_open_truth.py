"""An answer with certainty 1 about an open, repaired or mixed object is that of the object before it was opened."""

import json

import mesh_files
import meshclash as mc
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from meshclash.__main__ import main
from open_truth import answers, fit_solids, placed_pairs
from solids import box, open_box, prism, refined
from strategies import matrix, rotation

pytestmark = pytest.mark.needs_jit


@pytest.mark.parametrize("seed", range(4))
def test_what_is_certain_of_an_open_solid_is_true_of_the_closed_one(seed):
    found = list(answers(placed_pairs(fit_solids(), 40, 9000 + seed)))
    certain = [answer for answer in found if answer.certainty == 1.0]
    assert len(certain) > 5
    assert [answer for answer in certain if answer.verdict != answer.truth] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_what_is_certain_of_more_open_solids_is_true_of_the_closed_ones(seed):
    found = answers(placed_pairs(fit_solids(), 100, 9100 + seed))
    assert [answer for answer in found if answer.certainty == 1.0 and answer.verdict != answer.truth] == []


@given(st.floats(0.6, 0.9), st.floats(0.1, 0.9), st.floats(0.4, 1.5), st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_nothing_is_certainly_apart_from_a_missing_tip(cut, height, steep, seed):
    """A cone without its tip: the part that is gone lies beyond the box of what is left."""
    turn = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    levels = np.array([0.0, 0.5 * cut, cut])
    rings = [
        np.column_stack([steep * (1 - z) * np.cos(turn), steep * (1 - z) * np.sin(turn), 0 * turn + z]) for z in levels
    ]
    vertices = np.concatenate([*rings, [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]])
    k = np.arange(24)
    after = (k + 1) % 24
    walls = [np.column_stack([k + r, after + r, after + r + 24]) for r in (0, 24)]
    walls += [np.column_stack([k + r, after + r + 24, k + r + 24]) for r in (0, 24)]
    left = np.concatenate([*walls, np.column_stack([after, k, 0 * k + 72])])
    whole = np.concatenate([left, np.column_stack([k + 48, after + 48, 0 * k + 73])])
    at = cut + height * (1.0 - cut)
    pin = mc.TriangleMesh(*box((-0.01, -2.0, at - 1e-3), (0.01, 2.0, at + 1e-3)))
    pose = mc.Pose.from_matrix(matrix(rotation(np.random.default_rng(seed)), (3.0, -2.0, 1.0)))
    assert mc.verdict(mc.TriangleMesh(vertices, whole), pin, pose, pose) == mc.Verdict.CLASH
    opened = mc.TriangleMesh(vertices, left)
    assume(mc.solidity(opened).solid)  # a bowl is none
    name, certainty = asked(opened, pin, pose)
    assert name == "CLASH" or certainty < 1.0


def with_hole(half_width: float) -> mc.TriangleMesh:
    """A block from (0, 0, 0) to (2, 2, 2) of small faces, without those in a square in the middle of its top."""
    vertices, triangles = refined(box((0, 0, 0), (2, 2, 2)), 4)
    middles = vertices[triangles].mean(axis=1)
    gone = (middles[:, 2] == 2.0) & (np.abs(middles[:, :2] - 1.0).max(axis=1) < half_width)
    return mc.TriangleMesh(vertices, triangles[~gone])


def asked(a: mc.TriangleMesh, b: mc.TriangleMesh, pose: mc.Pose | None = None) -> tuple[str, float]:
    """What both orders and a scene say, which is the same."""
    one, other = mc.verdict(a, b, pose, pose), mc.verdict(b, a, pose, pose)
    assert (one.name, one.certainty) == (other.name, other.certainty)
    scene = mc.Scene()
    scene.add(a, pose)
    scene.add(b, pose)
    found = [(pair.name, pair.certainty) for pair in scene.contacts().pairs]
    assert found == ([] if one.name == "APART" else [(one.name, one.certainty)])
    assert len(scene.collides().pairs) == (one.name != "APART")
    return one.name, one.certainty


@settings(max_examples=15, deadline=None)
@given(
    st.floats(0.02, 0.1), st.floats(-0.05, 0.05), st.floats(0.2, 1.9), st.booleans(), st.integers(0, 2**32 - 1),
    st.booleans(),
)  # fmt: skip
def test_a_rod_through_a_hole_clashes_and_is_below_certainty_one(thick, aside, end, from_below, seed, is_sheet):
    """It crosses no face, and its corners may all be outside the box of the block."""
    rng = np.random.default_rng(seed)
    pose = mc.Pose.from_matrix(matrix(rotation(rng), rng.uniform(-50, 50, 3)))
    block = with_hole(0.3)
    low = (1.0 + aside - thick, 1.0 + aside - thick, end)
    vertices, triangles = box(low, (1.0 + aside + thick, 1.0 + aside + thick, 5.0))
    rod = mc.TriangleMesh(vertices, triangles[:4] if is_sheet else triangles)
    name, certainty = asked(block, rod, pose)
    assert name == "CLASH" and 0.5 < certainty < 1.0


def test_a_deep_box_without_lid_leaves_it_open_what_is_in_it():
    vertices, triangles = open_box((0, 0, 0), (1, 1, 6))
    lidless = mc.TriangleMesh(vertices, triangles)
    assert mc.solidity(lidless).solid
    for bottom in (0.5, 1.0, 3.0, 5.0, 5.9):
        _, certainty = asked(lidless, mc.TriangleMesh(*box((0.4, 0.4, bottom), (0.6, 0.6, 9))))
        assert 0.5 <= certainty < 1.0


@settings(max_examples=10, deadline=None)
@given(st.floats(0.5, 0.9), st.floats(5.0, 8.0), st.integers(5, 24), st.booleans())
def test_a_wide_hole_in_a_side_is_no_open_end(width, length, sides, reaching_out):
    """The rod goes through a hole in the side of a thin plate, or into the open end of a pipe of the same width."""
    vertices, triangles = refined(box((-2, -2, -0.25), (2, 2, 0.25)), 4)
    middles = vertices[triangles].mean(axis=1)
    gone = (middles[:, 2] == 0.25) & (np.abs(middles[:, :2]).max(axis=1) < width)
    plate = mc.TriangleMesh(vertices, triangles[~gone])
    vertices, triangles = refined(prism(width, sides, -length, length), 2)
    ends = (np.abs(vertices[triangles][:, :, 2]) > 0.999 * length).all(axis=1)
    pipe = mc.TriangleMesh(vertices, triangles[~ends])
    assert mc.solidity(plate).solid and mc.solidity(pipe).solid
    top = 2.0 if reaching_out else 0.5
    rod = mc.TriangleMesh(*box((-0.05, -0.05, -0.125), (0.05, 0.05, top)))
    name, certainty = asked(plate, rod)
    assert name == "CLASH" and certainty <= 0.8
    long_rod = mc.TriangleMesh(*box((-0.05, -0.05, 0.0), (0.05, 0.05, length + top)))
    name, certainty = asked(pipe, long_rod)
    assert name == "APART" and certainty < 0.9


def test_what_is_out_of_reach_of_holes_is_apart_for_certain():
    block = with_hole(0.1)
    slope = np.array([[2.5, -1.0, -1.0], [2.5, -1.0, 1.5], [1.5, -0.1, 0.5]])
    others = [box((2.125, 0.5, 0.5), (3, 3, 3)), (slope, [[0, 1, 2]]), box((0.5, 0.5, 2.75), (1.5, 1.5, 3))]
    for other in others:
        assert asked(block, mc.TriangleMesh(*other)) == ("APART", 1.0)


def humped(height: float) -> tuple[mc.TriangleMesh, mc.TriangleMesh]:
    """A block with a hump on a square of its top, and the same block without the faces of the hump."""
    vertices, triangles = refined(box((0, 0, 0), (2, 2, 2)), 4)
    raised = (vertices[:, 2] == 2.0) & (np.abs(vertices[:, :2] - 1.0).max(axis=1) < 0.3)
    gone = raised[triangles].any(axis=1)
    vertices = vertices + raised[:, None] * (0.0, 0.0, height)
    return mc.TriangleMesh(vertices, triangles), mc.TriangleMesh(vertices, triangles[~gone])


@settings(max_examples=20, deadline=None)
@given(st.floats(0.01, 0.5), st.floats(-3.0, 0.0), st.floats(0.0, 1.2), st.integers(0, 2**32 - 1))
def test_nothing_is_certain_of_what_meets_a_missing_part_outside_the_box_of_the_rest(height, power, share, seed):
    """The oracle is the whole block. The missing hump is up to half as long as the diagonal of its rim."""
    rng = np.random.default_rng(seed)
    pose = mc.Pose.from_matrix(matrix(rotation(rng), rng.uniform(-50, 50, 3)))
    whole, rest = humped(height)
    assert whole.is_closed and mc.solidity(rest).solid and not mc.solidity(rest).closed
    size = height * 10.0**power
    corners = box((-size, -size, 0), (size, size, size))
    at = np.array([1.0 + rng.uniform(-0.3, 0.3), 1.0 + rng.uniform(-0.3, 0.3), 2.0 + share * height])
    other = mc.TriangleMesh(corners[0] @ rotation(rng).T + at, corners[1])
    truth, (name, certainty) = mc.verdict(whole, other, pose, pose), asked(rest, other, pose)
    assert certainty < 1.0 or name == truth.name


@pytest.mark.parametrize("height", [0.01, 0.3, 0.5])
def test_an_object_in_the_missing_part_is_apart_but_not_for_certain(height):
    whole, rest = humped(height)
    other = mc.TriangleMesh(*box((0.95, 0.95, 2.0 + 0.5 * height), (1.05, 1.05, 2.0 + 0.75 * height)))
    assert mc.verdict(whole, other).name == "CONTAINED"
    name, certainty = asked(rest, other)
    assert name == "APART" and 0.9 < certainty < 1.0


@pytest.mark.parametrize("height", [0.01, 0.3, 0.5])
def test_a_solid_contains_an_open_one_but_not_for_certain_if_the_missing_part_may_stick_out(height):
    whole, rest = humped(height)
    room = mc.TriangleMesh(*box((-9, -9, -9), (9, 9, 2.0 + 0.5 * height)))
    assert mc.verdict(room, whole).name == "CLASH"
    name, certainty = asked(room, rest)
    assert name == "CONTAINED" and 0.9 < certainty < 1.0


def test_an_open_solid_in_a_solid_that_comes_into_its_hole_is_below_certainty_one():
    """The outer solid has a cavity that reaches through the hole of the inner one."""
    block = with_hole(0.3)
    outer = box((-2, -2, -1), (4, 4, 6))
    for bottom, certain in ((1.0, False), (4.25, True)):
        cavity = box((0.9, 0.9, bottom), (1.1, 1.1, 4.5))
        vertices = np.concatenate([outer[0], cavity[0]])
        solid = mc.TriangleMesh(vertices, np.concatenate([outer[1], cavity[1][:, ::-1] + len(outer[0])]))
        assert solid.is_closed
        name, certainty = asked(solid, block)
        assert (certainty == 1.0) == certain and name == ("CONTAINED" if certain else "CLASH")


@pytest.mark.parametrize("crack", [2.0**-20, 2.0**-40])
def test_a_blade_in_the_crack_of_a_repaired_solid_is_in_it(crack):
    """The seam is closed by flat triangles, which are compared with the other object too."""
    vertices, triangles = box((-1, -1, -1), (1, 1, 1))
    corners = vertices[triangles]
    corners[(corners[:, :, 2] == 1.0).all(axis=1), :, 2] += crack
    resolution = 2.0 * crack
    solid = mc.TriangleMesh(corners.reshape(-1, 3), np.arange(36).reshape(-1, 3), resolution)
    assert mc.solidity(solid).closed and not solid.is_closed
    blade = mc.TriangleMesh(*box((-3, -0.2, 1.0 + crack / 4), (0.5, 0.2, 1.0 + 3 * crack / 4)))
    assert asked(solid, blade) == ("CLASH", 1.0)
    z = 1.0 + crack / 2
    sheet = mc.TriangleMesh([[-3, -0.2, z], [-3, 0.2, z], [0.5, 0, z]], [[0, 1, 2]])
    assert asked(solid, sheet) == ("CLASH", 1.0)


@settings(max_examples=10, deadline=None)
@given(st.floats(0.01, 1.0), st.booleans(), st.sampled_from([0.0, 1e6, 4.2e6, 2.0**24]), st.booleans())
def test_where_the_resolution_exceeds_a_trough_nothing_is_certain(power, finer, north, through):
    """At the origin as at survey coordinates; a finer resolution is as good as none."""
    vertices, triangles = open_box((0, 0, 0), (2.0, 0.25, 0.25))
    rod = box((0.25, 0.0625, 0.0625), (1.75, 0.1875, 0.75 if through else 0.1875))
    place = np.array([north, 0.5 * north, 100.0])
    quarter = 0.25 / 4.0 * 10.0 ** (-power if finer else power)
    for resolution, certain in ((quarter, finer), (2.0**-10, True), (0.0, True)):
        trough = mc.TriangleMesh(vertices + place, triangles, resolution)
        found = mc.verdict(trough, mc.TriangleMesh(rod[0] + place, rod[1], resolution))
        assert found == mc.Verdict.APART and (found.certainty == 1.0) == certain


def test_a_report_says_what_was_done_to_meshes_that_were_not_judged_as_they_stand(tmp_path, capsys):
    vertices, triangles = box((0, 0, 0), (1, 1, 1))
    written = {
        "doubled": (vertices, np.vstack([triangles, triangles[:3, ::-1]])),
        "open": (0.75 * vertices + 0.5, triangles[:-1]),
        "closed": (0.25 * vertices + 0.75, triangles),
    }
    for name, mesh in written.items():
        content = mesh_files.obj(*mesh).replace(b"o thing", f"o {name}".encode())
        (tmp_path / f"{name}.obj").write_bytes(content)
    files = [str(tmp_path / f"{name}.obj") for name in written]
    main(["detect", *files, "--report", str(tmp_path / "report.json")])
    told = json.loads((tmp_path / "report.json").read_text("utf-8"))["stats"]["understood"]
    assert {item["name"]: item["what"].split(":")[0] for item in told} == {
        "doubled": "3 faces left out", "open": "the mesh is open",
    }  # fmt: skip
    assert "repaired for the test: doubled: 3 faces left out; and 1 more" in capsys.readouterr().err
