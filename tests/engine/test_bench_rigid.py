"""The bench ``rigid``: meshes, poses and files are what they are called, tables show what was measured."""

import json
import os

import meshclash as mc
import numpy as np
import pytest
from bench import rigid_report
from bench.__main__ import main
from bench.peers import installed
from bench.rigid_peers import Embree
from bench.rigid_questions import Case, Record
from bench.table import format_markdown, three_digits
from bench.timing import Timing, called, compare
from meshclash.geometry.triangle_distance import triangle_distance
from meshclash.jit import kernel
from meshclash.types.pose import transform_points
from oracles.mesh_files import read_mesh
from oracles.mesh_generators import MAKERS
from oracles.rigid_poses import GAPS, LIGHT_PAIRS, make_poses


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("count", [200, 5000, 30_000])
def test_made_meshes_are_closed_seeded_and_as_large_as_asked(kind, count):
    vertices, triangles = MAKERS[kind](count, 3)
    mesh = mc.TriangleMesh(vertices, triangles)
    assert abs(len(triangles) / count - 1.0) < 0.1
    assert mesh.is_closed
    corners = vertices[triangles]
    assert np.einsum("ni,ni->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) > 0.0, "inside out"
    assert np.array_equal(vertices, vertices.astype(np.float32))
    assert np.array_equal(vertices, MAKERS[kind](count, 3)[0])
    other = MAKERS[kind](count, 4)[0]
    assert other.shape != vertices.shape or not np.array_equal(vertices, other)


@kernel
def _least_distance(a, b):
    least = np.inf
    for i in range(a.shape[0]):
        p, q, r = a[i, 0], a[i, 1], a[i, 2]
        for j in range(b.shape[0]):
            s, t, u = b[j, 0], b[j, 1], b[j, 2]
            distance = triangle_distance(
                (p[0], p[1], p[2]), (q[0], q[1], q[2]), (r[0], r[1], r[2]),
                (s[0], s[1], s[2]), (t[0], t[1], t[2]), (u[0], u[1], u[2]),
            )  # fmt: skip
            least = min(least, distance)
    return least


def least_distance(tree, pose):
    """By brute force over all pairs of triangles."""
    corners = tree.mesh.vertices[tree.mesh.triangles]
    return _least_distance(corners, transform_points(pose, corners))


@pytest.mark.slow
@pytest.mark.parametrize("kind", MAKERS)
def test_poses_are_what_they_are_called(kind):
    tree = mc.build(mc.TriangleMesh(*MAKERS[kind](200, 1)))
    poses = make_poses(tree)
    diagonal = np.linalg.norm(tree.mesh.bounds[1] - tree.mesh.bounds[0])
    assert LIGHT_PAIRS[0] <= len(mc.collide(tree, tree, None, poses.light)) <= LIGHT_PAIRS[1]
    assert len(poses.sweep) == 100
    assert 0 < mc.collides(tree, tree, None, poses.sweep).sum() < 100
    for name, gap in GAPS.items():
        assert len(poses.near[name]) == 10
        assert np.isclose(least_distance(tree, poses.near[name][3]) / diagonal, gap, rtol=1e-3)


OBJ = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nf 1/1 2/2 3/3 4/4\nf -1 -4//2 -5\n"
PLY = """ply
format {form} 1.0
element vertex 4
property float x
property float y
property float z
property uchar red
element face 2
property list uchar int vertex_indices
end_header
"""
SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.5]])


def test_obj_polygons_become_fans_and_negative_indices_count_back(tmp_path):
    path = tmp_path / "model.obj"
    path.write_text(OBJ)
    vertices, triangles = read_mesh(path)
    assert vertices.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert triangles.tolist() == [[0, 1, 2], [0, 2, 3], [4, 1, 0]]


@pytest.mark.parametrize("form", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_ply(tmp_path, form):
    path = tmp_path / "model.ply"
    order = ">" if "big" in form else "<"
    corners = np.array([[0, 1, 2], [0, 2, 3]])
    if form == "ascii":
        body = "".join(f"{x} {y} {z} 7\n" for x, y, z in SQUARE) + "".join(f"3 {i} {j} {k}\n" for i, j, k in corners)
        body = body.encode()
    else:
        points = np.zeros(4, [("p", f"{order}f4", 3), ("red", "u1")])
        points["p"] = SQUARE
        faces = np.zeros(2, [("n", "u1"), ("c", f"{order}i4", 3)])
        faces["n"], faces["c"] = 3, corners
        body = points.tobytes() + faces.tobytes()
    path.write_bytes(PLY.format(form=form).encode() + body)
    vertices, triangles = read_mesh(path)
    assert np.array_equal(vertices, SQUARE)
    assert np.array_equal(triangles, corners)


def test_stl_corners_at_one_place_are_one_vertex(tmp_path):
    facets = np.zeros(2, [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    facets["corners"] = SQUARE[[[0, 1, 2], [0, 2, 3]]]
    path = tmp_path / "model.stl"
    path.write_bytes(b" " * 80 + (2).to_bytes(4, "little") + facets.tobytes())
    vertices, triangles = read_mesh(path)
    assert len(vertices) == 4
    assert np.array_equal(vertices[triangles], facets["corners"])


@pytest.mark.parametrize("name", ["model.xyz", "model.stl", "model.ply", "model.npz", "model.obj"])
def test_files_that_are_no_meshes_are_named(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"f 1 2 x\n" * 20)
    with pytest.raises(ValueError, match=name):
        read_mesh(path)


def test_every_side_is_asked_in_turn_and_slow_ones_once_a_run():
    calls = []
    sides = {name: called(lambda name=name: calls.append(name) or len(name)) for name in ("fast", "slow side")}
    timings = compare(sides, 3, once=["slow side"])
    assert calls.count("slow side") == 3
    assert calls[-1] == "slow side"
    assert {name: timing.answer for name, timing in timings.items()} == {"fast": 4, "slow side": 9}
    assert all(timing.seconds >= 0.0 for timing in timings.values())


def test_cells_show_ratios_counts_that_differ_and_peers_that_are_missing(capsys):
    sides = {"lbvh": Timing(0.002, 0, 7), "lbvh, call by call": Timing(0.004, 0, 7)}
    sides |= {"python-fcl": Timing(0.01, 0, 7), "coal": Timing(0.001, 0, 8)}
    rigid_report.print_tables([Record("all pairs, sweep", "ball", 1200, 2, sides)], {"mathutils": "no such module"})
    cells = [cell.strip() for cell in capsys.readouterr().out.splitlines()[-1].strip("|").split("|")]
    assert cells == ["ball", "1,200", "lbvh", "7; coal 8", "1", "2", "not installed", "5 (5x)", "0.5 (0.5x)"]


def test_markdown_lines_are_as_long_as_each_other():
    lines = format_markdown([{"name": "a", "n": 1}, {"name": "longer", "n": 12345}]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[0].startswith("| name   |")
    assert lines[3] == "| longer | 12,345 |"
    assert [three_digits(x) for x in (0.03123, 4.567, 123.4, 4560.2)] == ["0.0312", "4.57", "123", "4560"]


class Liar:
    """A peer that leaves out the first pair and adds one of triangles that do not meet."""

    name = "python-fcl"

    def __init__(self, tree):
        self.tree = tree

    def prepare(self, pose):
        self.pose = pose

    def found(self):
        pairs = mc.collide(self.tree, self.tree, None, self.pose).pairs
        return np.concatenate([pairs[1:], [[0, 0]]]) if len(pairs) else pairs


def test_pairs_that_differ_are_judged_by_exact_arithmetic(capsys, monkeypatch):
    tree = mc.build(mc.TriangleMesh(*MAKERS["bumpy"](200, 1)))
    case = Case("ball", 192, {"lbvh": tree, "sah": mc.build(tree.mesh, split="sah")}, [Liar(tree)], make_poses(tree), 1)
    assert rigid_report.judge_counts(case) == 0
    assert "it is wrong in 2 of them, we are in 0" in capsys.readouterr().out
    monkeypatch.setattr(rigid_report, "classify_pairs", lambda a, b: np.full(len(a), rigid_report.APART + 1))
    assert rigid_report.judge_counts(case) > 0
    assert "!!! ball" in capsys.readouterr().out


@pytest.mark.slow
def test_command_writes_what_it_measured(tmp_path, capsys):
    report = tmp_path / "rigid.json"
    arguments = ["rigid", "--sizes", "200", "--kinds", "part", "--runs", "1", "--no-peers", "--json", str(report)]
    cores = os.sched_getaffinity(0)
    assert main(arguments) == 0
    assert os.sched_getaffinity(0) == cores
    records = json.loads(report.read_text())["records"]
    assert {record["mesh"] for record in records} == {"part 200"}
    deep = next(record for record in records if record["question"] == "all pairs, deep")
    assert deep["sides"]["lbvh"]["answer"] == deep["sides"]["sah"]["answer"] > 100
    assert "| part 200 |" in capsys.readouterr().out


@pytest.mark.parametrize("option", [["--sizes", "many"], ["--kinds", "cubes"], ["--split", "best"]])
def test_wrong_options_are_refused(option, capsys):
    with pytest.raises(SystemExit) as status:
        main(["rigid", *option])
    assert status.value.code == 2
    assert option[1] in capsys.readouterr().err


def test_drivers_find_the_pairs_of_the_engine():
    mesh = MAKERS["bumpy"](1000, 1)
    peers = installed([Embree], *mesh)
    if not peers:
        pytest.skip("Embree's headers are not installed")
    (there,) = peers
    tree = mc.build(mc.TriangleMesh(*mesh))
    poses = make_poses(tree)
    there.prepare(poses.deep)
    seconds, pairs = there.ask("all")(3)
    assert seconds > 0.0
    assert abs(pairs - len(mc.collide(tree, tree, None, poses.deep))) <= 2, "float32 may see a pair or two differently"
    ours = len(mc.collide(tree, tree, None, poses.sweep))
    assert abs(there.ask("all", poses.sweep)(2)[1] - ours) <= 10
    there.close()
