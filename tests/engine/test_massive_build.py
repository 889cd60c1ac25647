"""Building clustered meshes: every source gives the same triangles, and a killed build leaves nothing wrong."""

import io
import itertools
import json
import os
import struct
import sys
import tracemalloc
import zipfile

import file_mutations
import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from massive_cases import all_triangles, some_soup
from mesh_files import npz, obj, ply, stl
from meshclash.massive import arrays, runs, sources
from meshclash.massive.inputs import source_of
from solids import refined, torus
from subprocesses import run_python

VERTICES, TRIANGLES = refined(torus(1.0, 0.4), 1)
VERTICES = (VERTICES * (1.0, 0.9, 1.1)).astype(np.float32)
WRONG_THINGS = [
    5, -1.5, "x", b"x", "", None, object(), [], (), {}, [None], ["a"], [[1], [1, 2]], 1j, np.zeros(3),
    np.zeros((2, 3, 3), complex), np.array(["a"]), np.array(1), True, float("nan"), 10**400, lambda: 0,
]  # fmt: skip
QUADS = np.array([[0, 1, 2, 3], [4, 5, 6, 7], [2, 9, 5, 1]])


def repacked(raw, packing, change=lambda raw: raw, others=0):
    """An archive packed in another way, its arrays changed, among many others."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as given, zipfile.ZipFile(out, "w", packing) as made:
        for name in given.namelist():
            made.writestr(name, change(given.read(name)))
        for k in range(others):
            made.writestr(f"{k}.npy", b"")
    return out.getvalue()


def built(tmp_path, source, **options):
    return mc.massive.ClusteredMesh.build(source, tmp_path / "mesh.mcl", **{"cluster_triangles": 64, **options})


FILES = {
    "little.ply": ply(VERTICES, TRIANGLES), "big.ply": ply(VERTICES, TRIANGLES, "binary_big_endian"),
    "text.ply": ply(VERTICES, TRIANGLES, "ascii"), "extra.ply": ply(VERTICES, TRIANGLES, extra=True),
    "extra big.ply": ply(VERTICES, TRIANGLES, "binary_big_endian", extra=True),
    "extra text.ply": ply(VERTICES, TRIANGLES, "ascii", extra=True),
    "double.PLY": ply(VERTICES.astype(np.float64), TRIANGLES), "one.obj": obj(VERTICES, TRIANGLES),
    "relative.obj": obj(VERTICES, TRIANGLES, relative=True), "packed.npz": npz(VERTICES, TRIANGLES),
    "plain.npz": npz(VERTICES, TRIANGLES.astype(np.uint16), False, ("v", "f")),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_files_give_the_triangles_and_vertices_of_the_arrays(tmp_path, name, monkeypatch):
    monkeypatch.setattr(sources, "CHUNK", 100)
    monkeypatch.setattr(arrays, "CHUNK", 100)
    (tmp_path / name).write_bytes(FILES[name])
    with built(tmp_path, tmp_path / name) as mesh:
        corners, ids = all_triangles(mesh)
        assert corners.dtype == (np.float32 if name not in ("double.PLY", "one.obj", "relative.obj") else np.float64)
        assert corners.tobytes() == VERTICES[TRIANGLES].astype(corners.dtype).tobytes()
        assert (ids == TRIANGLES).all() and mesh.vertex_count == len(VERTICES)
        assert mesh.bounds.tolist() == [VERTICES.min(axis=0).tolist(), VERTICES.max(axis=0).tolist()]
        mesh.verify()


@pytest.mark.parametrize("form", ["binary", "ascii"])
def test_stl_is_a_soup(tmp_path, form):
    corners = some_soup(np.random.default_rng(1), 500).astype(np.float32)
    corners[1] = -corners[0] * 0.0  # zeros of both signs
    (tmp_path / "a.stl").write_bytes(stl(corners, form))
    with built(tmp_path, tmp_path / "a.stl") as mesh:
        found = all_triangles(mesh)[0]
        assert found.dtype == (np.float32 if form == "binary" else np.float64)
        assert found.tobytes() == corners.astype(found.dtype).tobytes()
        assert mesh.vertex_count == 1500 and mesh.pages.header.soup


@pytest.mark.parametrize("name", ["quads.ply", "quads text.ply", "quads.obj"])
def test_polygons_become_fans(tmp_path, name):
    vertices = np.random.default_rng(2).normal(size=(10, 3)).astype(np.float32)
    faces = [*QUADS.tolist(), [0, 4, 8], [0, 1, 2, 3, 4, 5]]
    data = obj(vertices, faces) if name.endswith("obj") else ply(vertices, faces, "ascii" if " " in name else
                                                                   "binary_big_endian")  # fmt: skip
    (tmp_path / name).write_bytes(data)
    with built(tmp_path, tmp_path / name) as mesh:
        expected = [(face[0], face[k], face[k + 1]) for face in faces for k in range(1, len(face) - 1)]
        assert all_triangles(mesh)[1].tolist() == [list(triangle) for triangle in expected]


def test_arrays_chunks_and_meshes_are_sources_too(tmp_path):
    expected = VERTICES[TRIANGLES]
    halves = [(VERTICES, TRIANGLES[::2]), (VERTICES, TRIANGLES[1::2])]
    given = {
        "arrays": (VERTICES, TRIANGLES.astype(np.uint32)), "mesh": mc.TriangleMesh(VERTICES, TRIANGLES),
        "corners": expected, "chunks": (expected[k : k + 7] for k in range(0, len(expected), 7)), "pairs": iter(halves),
        "lists": (VERTICES.tolist(), TRIANGLES.tolist()),
    }  # fmt: skip
    for name, source in given.items():
        with built(tmp_path, source) as mesh:
            corners, ids = all_triangles(mesh)
            order = (
                np.argsort(np.r_[0 : len(TRIANGLES) : 2, 1 : len(TRIANGLES) : 2]) if name == "pairs" else slice(None)
            )
            assert corners.dtype == (np.float64 if name in ("mesh", "lists") else np.float32), name
            assert corners[order].tobytes() == expected.astype(corners.dtype).tobytes(), name
            assert (ids == -1).all() == (name in ("corners", "chunks"))


def test_the_file_is_the_same_whatever_the_memory(tmp_path, monkeypatch):
    corners = some_soup(np.random.default_rng(4), 30_000, 0.01)
    corners[5000:9000] = corners[5000]  # codes that are equal across runs
    built(tmp_path, corners, memory=1 << 30).close()
    whole = (tmp_path / "mesh.mcl").read_bytes()
    monkeypatch.setattr(runs, "_FEWEST", 3)
    for memory in (1 << 22, 1 << 23):
        built(tmp_path, corners, memory=memory).close()
        assert (tmp_path / "mesh.mcl").read_bytes() == whole
    assert not list(tmp_path.glob("*.building"))


def test_clusters_lie_along_the_curve_and_are_half_full_at_least(tmp_path):
    corners = some_soup(np.random.default_rng(6), 20_000, 0.01)
    with built(tmp_path, corners) as mesh:
        counts = mesh.pages.table["triangles"]
        assert counts.max() <= 64 and (counts[:-1] >= 32).all()
        boxes = mesh.pages.table["bounds"]
        surface = np.prod(boxes[:, 3:] - boxes[:, :3], axis=1).sum()
        assert surface < 5.0, "clusters are no clusters"


WRONG = {
    "none.ply": (None, "none.ply: cannot be read: No such file"),
    "a.txt": (b"", "a.txt: the file type is not supported; supported endings are .ply, .stl, .obj, .npz"),
    "head.ply": (b"plx\n", "head.ply, line 1: this is not a PLY file"),
    "end.ply": (ply(VERTICES, TRIANGLES)[:-3], "end.ply, byte .* the file ends within the faces"),
    "room.ply": (ply(VERTICES, TRIANGLES).replace(b"face ", b"face 9"), "room.ply, byte .* the header says"),
    "lists.ply": (ply(VERTICES, TRIANGLES).replace(b"uchar int vertex_indices", b"char int vertex_indices")[:-13]
                  + b"\xff" + bytes(12), "lists.ply, byte .* a list has a negative length"),
    "text.ply": (ply(VERTICES, TRIANGLES[:-1], "ascii").replace(b"face 2303", b"face 2304") + b"3 0 1\n",
                 "text.ply, line .* the face .* does not match the header"),
    "few.ply": (ply(VERTICES, TRIANGLES, "ascii").rsplit(b"\n", 20)[0], "few.ply.* the file ends after"),
    "flat.ply": (b"ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n", "flat.ply.* x, y and z"),
    "nan.obj": (b"v 0 0 nan\nv 0 1 0\nv 1 0 0\nf 1 2 3\n", r"nan.obj: vertex 0 is \[0.0, 0.0, nan\]"),
    "far.obj": (b"v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 4\n", r"far.obj: triangle 0 is \[0, 1, 3\]: indices must"),
    "zero.obj": (b"v 0 0 0\nf 0 1 2\n", "zero.obj, line 2: .* is not a valid face"),
    "word.obj": (b"v 0 0 zero\n", "word.obj, line 1: .* is not a valid vertex"),
    "more.obj": (b"v 0 0 0\nf 1 1 \\\n1\n", "more.obj, line 2: .* is not a face on one line"),
    "empty.obj": (b"v 0 0 0\n", "empty.obj: the mesh has no triangles"),
    "short.stl": (stl(VERTICES[TRIANGLES])[:-1].replace(b"solid", b"SOLID"), "short.stl: this is not an STL file"),
    "end.stl": (stl(VERTICES[TRIANGLES[:3]], "ascii")[:-20], "end.stl, line .* the file ends within a solid"),
    "four.stl": (b"solid\nouter loop\nvertex 0 0 0\nendloop\n", "four.stl, line 4: a facet must have three vertices"),
    "word.stl": (b"solid\nvertex 0 0 0\nvertex 0 a 0\nvertex 1 1 1\nendsolid", "word.stl, line 3: .* three numbers"),
    "no.npz": (b"PK", "no.npz: cannot be read"),
    "names.npz": (npz(VERTICES, TRIANGLES, names=("a", "b")), "names.npz: .* vertices and triangles, not a, b"),
    "shape.npz": (npz(VERTICES[:, :2], TRIANGLES), "shape.npz: array vertices must have shape"),
    "object.npz": (npz(VERTICES.astype(object), TRIANGLES), "object.npz: array vertices must have"),
    "float.npz": (npz(VERTICES, TRIANGLES * 1.5), "float.npz: triangles must be integers"),
    "wide.npz": (npz(np.zeros((9, 3), "V1000000"), TRIANGLES), "wide.npz: array vertices must have shape"),
    "wider.npz": (npz(VERTICES, np.zeros((9, 3), "V1000000")), "wider.npz: array triangles must have shape"),
    "lzma.npz": (repacked(npz(VERTICES, TRIANGLES), zipfile.ZIP_LZMA), "lzma.npz: array vertices uses a compression"),
    "head.npz": (repacked(npz(VERTICES, TRIANGLES), 8, lambda raw: raw[:6] + b"\2\0" + b"\xff" * 4 + raw),
                 "head.npz: array vertices cannot be read: it does not begin with the header"),
    "parts.npz": (repacked(npz(VERTICES, TRIANGLES), 8, others=20_000), "parts.npz: cannot be read: .* directory"),
    "under.obj": (b"v 1_000 0 0\n", "under.obj, line 1: .* is not a valid vertex"),
    "under faces.obj": (b"v 0 0 0\nf 1 1_0 1\n", "under faces.obj, line 2: .* is not a face"),
    "long.obj": (b"v 0 0 0\nf 1 1 99999999999999999999\n", "long.obj, line 2: .* is not a face"),
    "long.ply": (ply(VERTICES, [*TRIANGLES.tolist(), [0, 1, 10**20]], "ascii"), "long.ply, line .* not match"),
    "under.ply": (ply(VERTICES, TRIANGLES, "ascii") .replace(b"\n3 ", b"\n3_0 ", 1), "under.ply, line .* not match"),
    "one.stl": (b"solid\nvertex 7\nvertex 0 1 0\nvertex 1 1 1\nendsolid", "one.stl, line 2: .* three numbers"),
    "under.stl": (b"solid\nvertex 1_0 0 0\nvertex 0 1 0\nvertex 1 1 1\nendsolid", "under.stl, line 2: .* three num"),
    "twice.ply": (ply(VERTICES, TRIANGLES[:0], extra=True).replace(b"float x", b"uchar red\nproperty float x"),
                  "twice.ply, byte .* the header says"),
    "edge.obj": (b"v 0 0 1.1e30\nv 0 1 0\nv 1 0 0\nf 1 2 3\n", "edge.obj: vertex 0 is"),
    "edge.ply": (ply(np.float32([[0, 0, 1e30], [0, 1, 0], [1, 0, 0]]), [[0, 1, 2]]), "edge.ply: vertex 0 is"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_errors_name_the_file_and_the_cause_and_leave_nothing_behind(tmp_path, name):
    data, message = WRONG[name]
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(mc.InvalidFile, match=message):
        built(tmp_path, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ([] if data is None else [name])


def test_wrong_arrays_and_options_are_refused(tmp_path):
    for source, message in (
        (3, "can be built from a path"), ([], "of chunks is empty"), (VERTICES, "a chunk must be an array of corners"),
        ((VERTICES, TRIANGLES * 1.5), "triangles must be integers"), ((VERTICES[:, :2], TRIANGLES), "shape"),
        ((VERTICES, TRIANGLES - 1), r"triangle \d+ is"), ((VERTICES * np.nan, TRIANGLES), "vertex 0 is"),
        ((VERTICES, TRIANGLES[:0]), "no triangles"), (iter([VERTICES[TRIANGLES], (VERTICES, TRIANGLES)]), "chunk 1"),
        (iter([VERTICES[TRIANGLES], VERTICES[TRIANGLES].astype(float)]), "chunk 1 has type float64"),
        (iter([(VERTICES, TRIANGLES), (VERTICES[:5], TRIANGLES)]), "chunk 1: triangles must be vertex indices"),
        (np.ma.masked_array(VERTICES[TRIANGLES]), "masked"),
    ):  # fmt: skip
        with pytest.raises(mc.InvalidMesh, match=message):
            built(tmp_path, source)
    for options in (
        {"cluster_triangles": 15},
        {"cluster_triangles": 1 << 15},
        {"cluster_triangles": True},
        {"memory": 1},
    ):
        with pytest.raises(mc.UnsupportedOption, match=next(iter(options))):
            built(tmp_path, (VERTICES, TRIANGLES), **options)
    with pytest.raises(mc.InvalidFile, match="cannot be written"):
        mc.massive.ClusteredMesh.build((VERTICES, TRIANGLES), tmp_path / "nowhere" / "mesh")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", WRONG_THINGS, ids=lambda value: type(value).__name__)
def test_things_of_wrong_kinds_are_refused_by_the_engine(tmp_path, monkeypatch, value):
    monkeypatch.chdir(tmp_path)
    for act in (
        lambda: mc.massive.ClusteredMesh.build(value, tmp_path / "mesh"), lambda: mc.massive.ClusteredMesh.open(value),
        lambda: mc.massive.ClusteredMesh.build((VERTICES, value), tmp_path / "mesh"),
        lambda: mc.massive.ClusteredMesh.build((value, TRIANGLES), tmp_path / "mesh"),
        lambda: mc.massive.ClusteredMesh.open(tmp_path / "mesh", memory=value),
    ):  # fmt: skip
        with pytest.raises(mc.MeshClashError):
            act()
    for path in (None, 3, "", "a\0b", "/", tmp_path):
        with pytest.raises(mc.InvalidFile):
            mc.massive.ClusteredMesh.build((VERTICES, TRIANGLES), path)


def test_two_builds_of_one_file_do_not_meet(tmp_path):
    (tmp_path / "a.ply").write_bytes(FILES["little.ply"])
    steps = mc.steps(mc.massive.ClusteredMesh.build, tmp_path / "a.ply", tmp_path / "mesh.mcl")
    assert 0.0 <= next(steps).fraction <= 1.0
    with pytest.raises(mc.InvalidFile, match="another process is already building"):
        built(tmp_path, tmp_path / "a.ply")
    steps.close()
    built(tmp_path, tmp_path / "a.ply").close()


def test_progress_rises_to_one(tmp_path):
    told = []
    asked = mc.steps(mc.massive.ClusteredMesh.build, (VERTICES, TRIANGLES), tmp_path / "mesh.mcl")
    mc.run(asked, told.append).close()
    shares = [progress.fraction for progress in told]
    assert shares == sorted(shares) and shares[-1] == 1.0 and all(progress.text for progress in told)


@pytest.mark.slow
def test_a_build_that_was_closed_anywhere_goes_on_from_there(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "CHUNK", 200)
    source, target = tmp_path / "a.ply", tmp_path / "mesh.mcl"
    source.write_bytes(ply(*(np.concatenate([VERTICES + k for k in range(8)]).astype(np.float32),
                             np.concatenate([TRIANGLES + k * len(VERTICES) for k in range(8)]))))  # fmt: skip
    options = {"cluster_triangles": 64, "memory": 1 << 22}
    told = [p.text.split()[0] for p in mc.steps(mc.massive.ClusteredMesh.build, source, target, **options)]
    clean = target.read_bytes()
    resumed = set()
    sorting = [k for k, text in enumerate(told) if text == "sorting"]
    for stop in sorted({*range(0, len(told), 19), *sorting}):
        target.unlink(missing_ok=True)
        for _ in itertools.islice(
            steps := mc.steps(mc.massive.ClusteredMesh.build, source, target, **options), stop + 1
        ):
            pass
        steps.close()
        assert not target.exists() and (tmp_path / "mesh.mcl.building").exists()
        again = [p.text.split()[0] for p in mc.steps(mc.massive.ClusteredMesh.build, source, target, **options)]
        assert target.read_bytes() == clean
        if "reading" not in again:
            resumed.add(told[stop])
    assert resumed == {"sorting", "writing"}


def test_a_build_of_a_changed_source_starts_clean(tmp_path):
    source, target = tmp_path / "a.ply", tmp_path / "mesh.mcl"
    source.write_bytes(FILES["little.ply"])
    for change in ("source", "journal", "run-0", "cluster"):
        steps = mc.steps(mc.massive.ClusteredMesh.build, source, target, cluster_triangles=64)
        while next(steps).text.startswith(("reading", "sorting")):
            pass
        steps.close()
        work = tmp_path / "mesh.mcl.building"
        if change == "source":
            source.write_bytes(ply(VERTICES[::-1].copy(), TRIANGLES))
        elif change == "journal":
            (work / "journal.json").write_text(json.dumps({"plan": "of others"})[:-1])
        elif change == "run-0":
            (work / "run-0").write_bytes(b"")
        size = 32 if change == "cluster" else 64
        with mc.massive.ClusteredMesh.build(source, target, cluster_triangles=size) as mesh:
            corners = all_triangles(mesh)[0]
            assert corners.tobytes() == VERTICES[::-1][TRIANGLES].tobytes()
            assert mesh.pages.table["triangles"].max() <= size


def test_files_of_others_in_the_folder_are_left_alone(tmp_path):
    work = tmp_path / "mesh.mcl.building"
    work.mkdir()
    (work / "letter.txt").write_text("mine")
    built(tmp_path, (VERTICES, TRIANGLES)).close()
    assert [path.name for path in work.iterdir()] == ["letter.txt"]


KILLING = """
import json, os, random, signal, sys, time
from pathlib import Path
import numpy as np
import meshclash as mc
folder, kills = Path(sys.argv[1]), int(sys.argv[2])
source, target = folder / "a.ply", folder / "mesh.mcl"
def build(*_):
    mc.massive.ClusteredMesh.build(source, target, cluster_triangles=64, memory=1 << 22).close()
start = time.perf_counter()
build()
length = time.perf_counter() - start
clean = target.read_bytes()
random.seed(1)
finished = interrupted = wrong = 0
for k in range(kills):
    target.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        build()
        os._exit(0)
    time.sleep(random.uniform(0.0, 1.1 * length))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    interrupted += not target.exists()
    if target.exists():
        wrong += target.read_bytes() != clean
        finished += 1
        length *= 0.8  # builds are faster than the first one was: kill the next one sooner
    elif k % 3 == 0:
        build()
        wrong += target.read_bytes() != clean
        wrong += (folder / "mesh.mcl.building").exists()
build()
wrong += target.read_bytes() != clean
print(json.dumps([finished, interrupted, wrong]))
"""


@pytest.mark.slow
@pytest.mark.needs_jit
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
def test_builds_that_are_killed_leave_no_file_or_the_right_one(tmp_path):
    many = range(20)
    vertices = np.concatenate([VERTICES + k for k in many]).astype(np.float32)
    (tmp_path / "a.ply").write_bytes(ply(vertices, np.concatenate([TRIANGLES + k * len(VERTICES) for k in many])))
    code = f"import sys; sys.argv = ['', {str(tmp_path)!r}, '60']\n{KILLING}"
    finished, interrupted, wrong = run_python(code)
    assert wrong == 0 and interrupted > 20 and finished + interrupted == 60


@pytest.mark.slow
@settings(max_examples=60)
@given(st.sampled_from(sorted(FILES)), st.data())
def test_damaged_sources_end_in_an_error_or_a_mesh(tmp_path_factory, name, data):
    """Bytes changed anywhere, and files cut off anywhere: no crash, and nothing but the engine's own errors."""
    folder = tmp_path_factory.mktemp("damaged")
    raw = bytearray(FILES[name])
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, min(len(raw), data.draw(st.sampled_from((300, len(raw))))) - 1))
        raw[at] = data.draw(st.integers(0, 255))
    del raw[data.draw(st.integers(0, len(raw)) | st.just(len(raw))) :]
    (folder / name).write_bytes(bytes(raw))
    try:
        with built(folder, folder / name) as mesh:
            mesh.verify()
    except mc.MeshClashError as error:
        assert name in str(error)
    assert not list(folder.glob("*.building"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="addresses of a forked process are limited")
def test_damaged_files_are_read_or_refused_in_bounded_memory():
    assert file_mutations.main(["--mutations", "150", "--seed", "5"]) == 0


def test_a_bomb_of_many_zeros_is_read_in_little_memory(tmp_path):
    """A small file may hold much, which goes to the disk."""
    (tmp_path / "zeros.npz").write_bytes(npz(np.zeros((400_000, 3), np.float32), TRIANGLES))
    tracemalloc.start()
    for _ in source_of(tmp_path / "zeros.npz").pieces():
        pass
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1 << 22


def test_long_polygons_are_read_and_longer_ones_refused(tmp_path, monkeypatch):
    corners = np.random.default_rng(3).integers(0, len(VERTICES), 300_000)
    raw = ply(VERTICES, [[0, 1, 2]]).replace(b"uchar int", b"uint int")
    raw = raw[:-13] + struct.pack("<I", len(corners)) + corners.astype("<i4").tobytes()
    (tmp_path / "long.ply").write_bytes(raw)
    with built(tmp_path, tmp_path / "long.ply") as mesh:
        expected = np.stack([np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]], axis=1)
        assert (all_triangles(mesh)[1] == expected).all()
    monkeypatch.setattr("meshclash.massive.ply._LONGEST_ROW", 1 << 20)
    with pytest.raises(mc.InvalidFile, match="a face takes more than"):
        built(tmp_path, tmp_path / "long.ply")
