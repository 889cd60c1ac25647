"""OBJ, STL, PLY and OFF: every face of the file, or an error that says what is missing."""

import struct

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mesh_files import ply

DENT = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [2, 1, 0], [0, 4, 0]]
"""A pentagon that is not convex; its area is 10, and a fan around its first corner has 14."""


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def corners(part):
    return part.shape.vertices[part.shape.triangles]


def area(part):
    a, b, c = corners(part).transpose(1, 0, 2)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0


def v(rows):
    return "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in rows)


def test_negative_indices_of_obj_count_from_the_face(tmp_path):
    one, two = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 5], [1, 0, 5], [0, 1, 5]]
    path = write(tmp_path, "a.obj", v(one) + "f -3 -2 -1\n" + v(two) + "f -3/1/1 -2//1 -1/1\nf 1 2 -1\n")
    part = mc.read(path)[0]
    assert corners(part).tolist() == [one, two, [one[0], one[1], two[2]]]


def test_objects_of_obj_and_what_has_no_faces(tmp_path):
    text = (
        v(np.eye(3).tolist()) + "o A\nf 1 2 3\nl 1 2\np 1\no B b\ng x\nf 1 3 \\\n2\no A\nf 3 2 1\no C\ncurv 0 1 1 2\n"
    )
    parts = mc.read(write(tmp_path, "a.obj", text + "o S\nsurf 0 1 0 1 1 2 3\n"))
    assert [(part.name, len(part.shape.triangles)) for part in parts] == [("A", 2), ("B b", 1)]
    assert parts.no_geometry == {"lines": 1, "points": 1, "curves": 1}
    assert parts.left_out == (("S", "a free-form surface is not read"),)


@pytest.mark.parametrize(
    ("faces", "message"),
    [("f 1 2 0\n", "line 4"), ("f 1 2 x\n", "line 4"), ("f -9 1 2\n", "line 4"), ("f 1 2 9\n", "vertex 9 of 3"),
     ("v 1 2\n", "line 4"), ("", "3 vertices, but no faces"), ("f 1 2\n", "contains neither meshes"),
     ("f 1 2 \\", "within a line")],
)  # fmt: skip
def test_damaged_obj_is_refused(tmp_path, faces, message):
    with pytest.raises(mc.InvalidFile, match=message):
        mc.read(write(tmp_path, "a.obj", v(np.eye(3).tolist()) + faces))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ends_of_lines(tmp_path, end):
    text = (v(np.eye(3).tolist()) + "f 1 2 3\nf 1 3 2").replace("\n", end)
    assert len(mc.read(write(tmp_path, "a.obj", text))[0].shape.triangles) == 2
    assert len(mc.read(write(tmp_path, "a.stl", solid("a", 0).replace("\n", end)))[0].shape.triangles) == 1


def test_another_coding_of_text_is_named(tmp_path):
    text = (v(np.eye(3).tolist()) + "f 1 2 3\n").encode("utf-16")
    with pytest.raises(mc.InvalidFile, match="its text is UTF-16"):
        mc.read(write(tmp_path, "a.obj", text))


def pentagons(ending):
    if ending == "obj":
        return v(DENT) + "f 5 1 2 3 4\n"
    rows = "\n".join(" ".join(map(str, row)) for row in DENT)
    if ending == "off":
        return f"OFF # a comment\n5 1 0\n{rows}\n5 4 0 1 2 3 255 0 0\n"
    return ply(np.array(DENT, np.float64), [[4, 0, 1, 2, 3]], "ascii" if ending == "text.ply" else "binary_big_endian")


@pytest.mark.parametrize("ending", ["obj", "off", "text.ply", "ply"])
def test_polygons_are_cut_within_themselves(tmp_path, ending):
    part = mc.read(write(tmp_path, f"a.{ending}", pentagons(ending)))[0]
    assert len(part.shape.triangles) == 3 and area(part) == pytest.approx(10.0)


def solid(name, z):
    return (
        f"solid {name}\nfacet normal 0 0 1\nouter loop\nvertex 0 0 {z}\nvertex 1 0 {z}\nvertex 0 1 {z}\nendloop\n"
        f"endfacet\nendsolid {name}\n"
    )


def test_solids_of_ascii_stl(tmp_path):
    text = solid("lid", 0) + solid("lid", 1) + "solid none\nendsolid none\n" + solid("", 2).upper()
    parts = mc.read(write(tmp_path, "a.stl", text))
    assert [part.name for part in parts] == ["lid", "lid (2)", "a"] and parts.no_geometry == {"solid without facets": 1}
    assert [corners(part)[0, 0, 2] for part in parts] == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("cut", [10, 30, 60, 100])
def test_a_cut_off_stl_is_refused(tmp_path, cut):
    text = solid("a", 0) + solid("b", 1)
    with pytest.raises(mc.InvalidFile, match=r"a\.stl"):
        mc.read(write(tmp_path, "a.stl", text[:-cut]))


@pytest.mark.parametrize("line", ["vertex", "endloop", "endfacet", "endsolid", "outer", "solid b"])
def test_an_ascii_stl_without_one_of_its_lines_is_read_whole_or_refused(tmp_path, line):
    lines = (solid("a", 0) + solid("b", 1)).splitlines()
    place = next(k for k, text in enumerate(lines) if text.startswith(line))
    path = write(tmp_path, "a.stl", "\n".join(lines[:place] + lines[place + 1 :]))
    try:
        parts = mc.read(path)
    except mc.InvalidFile:
        return
    assert sum(len(part.shape.triangles) for part in parts) == 2


@pytest.mark.parametrize("size", [84 + 149, 84 + 151, 84 + 100, 83, 0])
def test_a_binary_stl_of_another_size_is_refused(tmp_path, size):
    whole = bytes(80) + struct.pack("<I", 3) + bytes(150) + b"more"
    with pytest.raises(mc.InvalidFile, match="not a complete STL file"):
        mc.read(write(tmp_path, "a.stl", whole[:size]))


HEAD = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
ROWS = "0 0 0\n4 0 0\n4 4 0\n0 4 0\n"


def test_strips_and_edges_of_ply(tmp_path):
    head = HEAD + "element tristrips 1\nproperty list int int vertex_indices\nelement edge 2\nproperty int vertex1\n"
    head += "property int vertex2\nend_header\n"
    parts = mc.read(write(tmp_path, "a.ply", head + ROWS + "8 0 1 3 2 -1 0 1 2\n0 1\n1 2\n"))
    assert parts[0].shape.triangles.tolist() == [[0, 1, 3], [3, 1, 2], [0, 1, 2]] and parts.no_geometry == {"lines": 1}


@pytest.mark.parametrize(
    ("rows", "message"),
    [(ROWS + "3 0 1 2\n", "after 1 of 2 rows"), (ROWS + "3 0 1 2\n3 0 1 7\n", "refers to vertex 7"),
     (ROWS + "3 0 1 2\n3 0 1\n", "does not match the header"),
     (ROWS + "3 0 1 2\n-1 0 1\n", "does not match the header"),
     (ROWS + "3 0 1 2\n3 0 1 1.5\n", "must be whole numbers")],
)  # fmt: skip
def test_damaged_ply_is_refused(tmp_path, rows, message):
    text = HEAD + "element face 2\nproperty list uchar int vertex_indices\nend_header\n" + rows
    with pytest.raises(mc.InvalidFile, match=message):
        mc.read(write(tmp_path, "a.ply", text))


@pytest.mark.parametrize(
    ("text", "message"),
    [("OFF\n3 1 0\n0 0 0\n1 0 0\n", "ends within the vertices"), ("4OFF\n1 1 0\n", "not a three-dimensional OFF"),
     ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n", "is damaged"),
     ("OFF BINARY\n", "not a three-dimensional OFF"), ("", "not a three-dimensional OFF"),
     ("OFF\n1000000000000 1 0\n0 0 0\n", "ends within"), ("OFF\nx y\n", "are missing")],
)  # fmt: skip
def test_damaged_off_is_refused(tmp_path, text, message):
    with pytest.raises(mc.InvalidFile, match=message):
        mc.read(write(tmp_path, "a.off", text))


def test_the_counts_of_off_may_stand_beside_its_name(tmp_path):
    text = "COFF 3 1 0\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n0 1 0 1 1 1 1\n\n3 0 1 2\n"
    assert corners(mc.read(write(tmp_path, "a.off", text))[0]).tolist() == [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]


@given(st.integers(0, 2**32), st.sampled_from(["obj", "off", "ply", "big.ply", "text.ply"]))
@settings(max_examples=40, deadline=None)
def test_random_polygons_come_back(tmp_path_factory, seed, ending):
    """Convex polygons of 3 to 8 corners, each in a plane of its own: areas and corners are those of the file."""
    rng = np.random.default_rng(seed)
    points, faces = [], []
    for k in range(int(rng.integers(1, 7))):
        count = int(rng.integers(3, 9)) if seed % 3 else 4
        angles = np.sort(rng.uniform(0, 2 * np.pi, count))
        faces.append(list(range(len(points), len(points) + count)))
        points += [[float(np.cos(angle)), float(np.sin(angle)), float(k)] for angle in angles]
    if ending == "obj":
        content = v(points) + "".join("f " + " ".join(str(c + 1) for c in face) + "\n" for face in faces)
    elif ending == "off":
        rows = [" ".join(map(repr, row)) for row in points] + [" ".join(map(str, [len(f), *f])) for f in faces]
        content = f"OFF\n{len(points)} {len(faces)} 0\n" + "\n".join(rows)
    else:
        form = {"ply": "binary_little_endian", "big.ply": "binary_big_endian"}.get(ending, "ascii")
        content = ply(np.array(points), faces, form, extra=bool(seed % 2))
    part = mc.read(write(tmp_path_factory.mktemp("mesh"), f"a.{ending}", content))[0]
    assert len(part.shape.triangles) == sum(len(face) - 2 for face in faces)
    flat = np.array(points)[:, :2]
    wanted = 0.0
    for face in faces:
        x, y = flat[face].T
        wanted += 0.5 * abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()))
    assert area(part) == pytest.approx(wanted, abs=1e-12)
    assert {tuple(row) for row in part.shape.vertices.tolist()} == {tuple(row) for row in points}


def test_a_tangled_face_is_lost_after_some_seconds_at_most(tmp_path, monkeypatch):
    monkeypatch.setattr("meshclash.reading.polygons.MOST_WORK", 20_000)
    rows = v(np.eye(3).tolist())
    text = rows + "o A\nf 1 2 3\no B\nf " + "1 " * 400 + "\n"
    parts = mc.read(write(tmp_path, "a.obj", text))
    assert len(parts) == 1 and parts.left_out[0][0] == "B" and "intersects itself too often" in parts.left_out[0][1]
    with pytest.raises(mc.InvalidFile, match=r"a\.off.*intersects itself too often"):
        mc.read(write(tmp_path, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n400 " + "1 " * 400))
