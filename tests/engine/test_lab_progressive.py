"""Progressive meshes: splits and collapses lead to the same meshes, bounds hold, files are refused or read."""

import random
import tracemalloc
import zlib
from fractions import Fraction

import meshclash as mc
import numpy as np
import pytest
from hausdorff import farthest, is_too_small
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.lab.progressive.build import box_around
from meshclash.lab.progressive.cluster_tree import tree_of_boxes
from meshclash.lab.progressive.front import KeptFront
from meshclash.lab.progressive.layout import MOST_STOPS, NODE, children_of, runs_of
from meshclash.lab.progressive.mesh import ProgressiveMesh, progressive_parts
from meshclash.lab.progressive.meshes import progressive_beside
from meshclash.massive import level_build
from meshclash.massive.pieces import Piece, collapsed, joined
from meshclash.volumes import obb
from node_files import made_wrong
from solids import refined, sheet, torus
from strategies import grid_meshes, matrix, rotation

RING = refined(torus(1.0, 0.4), 1)
MEGABYTES = 1 << 20


def built(path, source, size=64):
    mesh = mc.massive.ClusteredMesh.build(source, path, cluster_triangles=size)
    mc.lab.ProgressiveMeshes.build(mesh).close()
    return mesh


def clusters_of(mesh, begin, end):
    parts = (mesh.pages.read(number) for number in range(begin, end))
    return np.concatenate([data.vertices[data.corners] for data in parts]).astype(np.float64)


def replayed(piece, done, count):
    """The corners of the triangles after some collapses, from what a log says of each alone."""
    places = piece.vertices.copy()
    faces = [list(face) for face in piece.triangles.tolist() if len(set(face)) == 3]
    for k in range(count):
        gone, stays, _ = done.log[k].tolist()
        later = [j for j in range(k + 1, len(done.log)) if done.log[j, 1] == stays]
        places[stays] = done.before[later[0]] if later else done.places[stays]
        faces = [[stays if v == gone else v for v in face] for face in faces]
        faces = [face for face in faces if len(set(face)) == 3]
    return sorted(places[face].tolist() for face in faces)


@pytest.fixture(scope="module")
def ring(tmp_path_factory):
    mesh = built(tmp_path_factory.mktemp("progressive") / "ring.mcl", RING)
    with mesh, mc.lab.ProgressiveMeshes.open(mesh) as progressive:
        yield mesh, progressive


@pytest.mark.parametrize("mesh", [sheet((0, 0), (1, 1), 0.1, 4), torus(1.0, 0.4)], ids=["sheet", "torus"])
def test_splits_undo_collapses_in_any_order(mesh):
    vertices, triangles = mesh
    bumpy = vertices + np.random.default_rng(1).normal(scale=0.01, size=vertices.shape)
    piece = joined([Piece(bumpy, triangles.astype(np.int32), 0.0, 0.0)])
    done = collapsed(piece, len(triangles) // 4)
    total = len(done.log)
    progressive = ProgressiveMesh(*progressive_parts(piece, done, 0, total))
    assert total > 5
    for splits in [total, 0, total // 2, *random.Random(1).choices(range(total + 1), k=12)]:
        places, faces = progressive.go_to(splits)
        assert progressive.splits == splits
        assert sorted(places[faces].tolist()) == replayed(piece, done, total - splits)


@pytest.mark.slow
@settings(max_examples=6)
@given(grid_meshes(60), st.sampled_from((np.float32, np.float64)))
def test_bounds_of_each_stop_hold_both_ways(tmp_path_factory, mesh, kind):
    vertices, triangles = mesh
    with built(tmp_path_factory.mktemp("any") / "a.mcl", (vertices.astype(kind), triangles), 16) as clustered:
        progressive = progressive_beside(clustered)
        stops, table = progressive.stops(MEGABYTES * 8), progressive._table
        for node, row in enumerate(table):
            whole = clusters_of(clustered, int(row["first"]), int(row["first"] + row["clusters"]))
            for stop in range(int(row["stops"])):
                data = stops.pages.read(node * MOST_STOPS + stop)
                part = data.vertices[data.corners]
                assert not is_too_small(float(row["out"][stop]), whole, part)
                assert not is_too_small(float(row["back"][stop]), part, whole)


def test_errors_rise_and_boxes_hold_what_they_stand_for(ring):
    mesh, progressive = ring
    tree = progressive.tree
    assert (tree.counts >= 4).mean() > 0.9
    for node, (begin, end) in enumerate(tree.runs):
        errors = tree.errors[node, : tree.counts[node]] if tree.counts[node] else np.array([np.inf])
        assert (np.diff(errors) >= 0.0).all()
        for child in tree.children[node]:
            assert child < 0 or tree.errors[child, tree.counts[child] - 1] <= errors[0]
            assert child < 0 or tree.parents[child] == node
        points = np.unique(clusters_of(mesh, begin, end).reshape(-1, 3), axis=0)[::7] - tree.middle
        box = [Fraction(float(x)) for x in tree.boxes[node]]
        assert all(obb.contains(box, *map(Fraction, point)) for point in points.tolist())


def test_a_box_is_dilated_by_all_of_an_error():
    """By a quarter of it, as the paper extends boxes, points at that distance lie outside."""
    rng = np.random.default_rng(2)
    corners = rng.normal(size=(30, 3)) * (3.0, 1.0, 0.1)
    box = box_around(corners, 0.5)
    directions = rng.normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    points = (corners[rng.integers(0, 30, 2000)] + 0.5 * directions).tolist()
    assert all(obb.contains([Fraction(float(x)) for x in box], *map(Fraction, point)) for point in points)
    quarter = box_around(corners, 0.125)
    assert not all(obb.contains([float(x) for x in quarter], *point) for point in points)


@pytest.mark.parametrize("epsilon", [0.01, 0.1])
def test_no_node_of_a_front_lies_below_another(ring, epsilon):
    tree = ring[1].tree
    rng, pairs = np.random.default_rng(4), 0
    for _ in range(10):
        pose = matrix(rotation(rng), rng.normal(size=3))
        front = KeptFront(tree, tree, epsilon).found((np.eye(4)[:3], pose[:3].copy()), 0.0)
        pairs += len(front.nodes)
        for k in range(2):
            runs = np.unique(tree.runs[front.nodes[:, k]], axis=0)
            assert (runs[1:, 0] >= runs[:-1, 1]).all()
        errors = [tree.errors[node][list(tree.pages[node]).index(page)]
                  for node, page in zip(front.nodes.ravel(), front.pages.ravel(), strict=True)]  # fmt: skip
        assert (np.array(errors).reshape(-1, 2).sum(axis=1) <= epsilon).all()
        for k in range(2):  # one mesh for each node
            assert len(np.unique(front.pages[:, k])) == len(np.unique(front.nodes[:, k]))
    assert pairs > 50


def test_a_build_goes_on_where_it_was(ring, tmp_path, monkeypatch):
    for name in ("_BATCH", "_BETWEEN_NOTES"):
        monkeypatch.setattr(level_build, name, 8)
    (tmp_path / "a.mcl").write_bytes(ring[0].path.read_bytes())
    with mc.massive.ClusteredMesh.open(tmp_path / "a.mcl") as mesh:
        rests = []
        for stop in (20, 2):
            steps = mc.steps(mc.lab.ProgressiveMeshes.build, mesh)
            rests.append(next(steps).fraction)
            for _ in range(stop):
                next(steps)
            steps.close()
        assert rests[1] > rests[0]
        with pytest.raises(mc.InvalidFile, match="No such file"):
            mc.lab.ProgressiveMeshes.open(mesh)
        mc.lab.ProgressiveMeshes.build(mesh).close()
    assert (tmp_path / "a.mcl.progressive").read_bytes() == ring[1].path.read_bytes()
    assert not list(tmp_path.glob("*.building"))


def answers(mesh):
    """What the file says of all stops, or that it is refused."""
    try:
        with mc.lab.ProgressiveMeshes.open(mesh) as progressive:
            pages = progressive.stops(64 * MEGABYTES).pages
            used = np.flatnonzero(progressive._table["stop_triangles"].ravel())
            return [array.tobytes() for number in used for array in pages.read(int(number))[:2]]
    except mc.InvalidFile as error:
        assert ".progressive" in str(error)
        return None


@pytest.fixture
def copied(ring, tmp_path):
    (tmp_path / "a.mcl").write_bytes(ring[0].path.read_bytes())
    (tmp_path / "a.mcl.progressive").write_bytes(ring[1].path.read_bytes())
    with mc.massive.ClusteredMesh.open(tmp_path / "a.mcl") as mesh:
        yield mesh, tmp_path / "a.mcl.progressive"


def test_a_flipped_bit_and_a_cut_are_errors(copied):
    mesh, path = copied
    raw, rng = path.read_bytes(), random.Random(1)
    table_at = int.from_bytes(raw[32:40], "little")
    for low, high in ((0, 256), (256, table_at), (table_at, len(raw))):
        for _ in range(40):
            damaged = bytearray(raw)
            damaged[rng.randrange(low, high)] ^= 1 << rng.randrange(8)
            path.write_bytes(damaged)
            with pytest.raises(mc.InvalidFile), mc.lab.ProgressiveMeshes.open(mesh) as progressive:
                progressive.verify()
    for count in [*range(0, 300, 23), *(rng.randrange(len(raw)) for _ in range(20)), len(raw) - 1]:
        path.write_bytes(raw[:count])
        assert answers(mesh) is None


@pytest.fixture(scope="module")
def loaded(ring):
    """The kernels of a query: compiling or loading them takes memory, which is not that of a file."""
    answers(ring[0])
    mc.lab.progressive_collide(ring[0], ring[0], None, matrix(shift=(0.1, 0.0, 0.0)), epsilon=0.1)


@settings(max_examples=40)
@given(st.data())
def test_a_file_made_wrong_on_purpose_is_refused_or_harmless(ring, loaded, tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("made")
    (folder / "a.mcl").write_bytes(ring[0].path.read_bytes())
    raw = data.draw(made_wrong(ring[1].path.read_bytes(), NODE))
    (folder / "a.mcl.progressive").write_bytes(raw)
    with mc.massive.ClusteredMesh.open(folder / "a.mcl") as mesh:
        tracemalloc.start()
        if answers(mesh) is not None:
            mc.lab.progressive_collide(mesh, mesh, None, matrix(shift=(0.1, 0.0, 0.0)), epsilon=0.1)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 100 * (len(raw) + mesh.path.stat().st_size)


def test_the_format_is_that_of_the_document(ring):
    """Read by its description in docs/massive.md alone, without numpy's records."""
    mesh, progressive = ring
    raw = progressive.path.read_bytes()
    assert raw[:8] == b"\x89MESHPRG" and int.from_bytes(raw[8:12], "little") == 1
    nodes, _, table_at = np.frombuffer(raw, "<u8", 3, 16).tolist()
    assert nodes == 2 * mesh.cluster_count - 1 and len(raw) - table_at == 256 * nodes
    for node in (0, 1, 2, 5, 6):
        row = raw[table_at + 256 * node : table_at + 256 * (node + 1)]
        at, first, count = (int.from_bytes(row[i : i + 8], "little") for i in (0, 32, 40))
        length, crc, stops, n, k, _ = np.frombuffer(row, "<u4", 6, 8).tolist()
        bounds, out, back = (np.frombuffer(row, "<f8", size, place) for size, place in ((6, 48), (4, 96), (4, 128)))
        splits, triangles = (np.frombuffer(row, "<u4", 4, place).tolist() for place in (160, 176))
        page = raw[at : at + length]
        assert zlib.crc32(page) == crc and splits[0] == k and stops == MOST_STOPS and at % 8 == 0
        numbers = np.frombuffer(page, "<u2", 3 * (n + k + triangles[0]) + k)
        unit = (bounds[3:] - bounds[:3]) / 65535
        places = np.minimum(bounds[:3] + numbers[: 3 * (n + k)].reshape(-1, 3) * unit, bounds[3:])
        parents, faces = np.split(numbers[3 * (n + k) :].astype(np.int64), [k])
        whole = clusters_of(mesh, first, first + count)
        stands, now = list(range(n)), places[:n].copy()
        for split in range(k):  # to the finest mesh, the first stop
            now[parents[split]] = places[n + split]
        for stop in range(stops):
            for split in range(k - 1, splits[stop] - 1, -1):
                stands[n - k + split] = parents[split]
            if stop == 0:
                part = now[faces.reshape(-1, 3)]
                assert farthest(whole, part, 1) <= out[0] * (1 + 1e-9) and farthest(part, whole, 1) <= back[0] + 1e-12
            ends = [stands[v] if v >= n - k + splits[stop] else v for v in faces]
            while any(v >= n - k + splits[stop] for v in ends):
                ends = [stands[v] if v >= n - k + splits[stop] else v for v in ends]
            assert sum(len(set(ends[i : i + 3])) == 3 for i in range(0, len(ends), 3)) == triangles[stop]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 16, 37])
def test_nodes_are_in_the_order_of_their_runs(count):
    runs, children = runs_of(count), children_of(runs_of(count))
    assert len(runs) == 2 * count - 1 and runs[-1].tolist() == [0, count]
    for (first, size), (left, right) in zip(runs.tolist(), children.tolist(), strict=True):
        if size > 1:
            assert runs[left].tolist() == [first, runs[left, 1]] and runs[right].tolist()[0] == first + runs[left, 1]
            assert runs[left, 1] + runs[right, 1] == size
    assert tree_of_boxes(np.tile([0.0, 0, 0, 1, 1, 1], (count, 1)), np.array([[0.0, 0, 0], [1, 1, 1]])).parents[-1] < 0


def test_wrong_arguments_and_closed_files(copied, tmp_path):
    mesh, path = copied
    with pytest.raises(mc.UnsupportedOption, match="for a ClusteredMesh"):
        mc.lab.ProgressiveMeshes.open(RING)
    progressive = mc.lab.ProgressiveMeshes.open(mesh)
    assert "nodes" in repr(progressive)
    with pytest.raises(mc.UnsupportedOption, match="memory must be at least"):
        progressive.stops(1000)
    progressive.close()
    with pytest.raises(mc.UnsupportedOption, match="progressive meshes were closed"):
        progressive.verify()
    moved = RING[0] + 1e-9, RING[1]
    with mc.massive.ClusteredMesh.build(moved, tmp_path / "b.mcl", cluster_triangles=64) as other:
        (tmp_path / "b.mcl.progressive").write_bytes(path.read_bytes())
        with pytest.raises(mc.InvalidFile, match="belong to a different mesh"):
            mc.lab.progressive_collide(other, other, epsilon=0.1)
