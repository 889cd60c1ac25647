"""Readers of point cloud files: exact round trips, and a clear error for whatever is wrong with a file."""

import importlib.util
import io
import os

import meshclash as mc
import numpy as np
import pytest
from cloud_files import las, pack_lzf, pcd, ply
from clouds import sphere
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.files import source
from meshclash.files.pcd import unpack_lzf

FINITE = st.floats(-1e7, 1e7)


def read(path, **options):
    """The result of ``read_points``, whose progress must rise to 1."""
    steps, shares = mc.clouds.read_points(path, **options), []
    while True:
        try:
            shares.append(next(steps).fraction)
        except StopIteration as stop:
            assert shares[0] == 0.0
            assert shares == sorted(shares)
            return stop.value


def written(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("clouds")


POINTS = st.lists(st.tuples(FINITE, FINITE, FINITE), min_size=1, max_size=30).map(lambda rows: np.array(rows, float))


@given(POINTS, st.sampled_from(("", "<", ">")), st.sampled_from(("f4", "f8")), st.booleans())
def test_ply_round_trip(folder, points, order, kind, with_normals):
    points = points.astype(kind).astype(np.float64)
    normals = np.tile((0.0, 0.6, 0.8), (len(points), 1)).astype(kind).astype(np.float64) if with_normals else None
    found = read(written(folder, "a.ply", ply(points, kind, order, normals)))
    assert np.array_equal(found.points, points)
    assert (found.normals is None) == (normals is None)
    assert normals is None or np.array_equal(found.normals, normals)


@pytest.mark.parametrize("order", ["", "<", ">"])
def test_ply_elements_before_the_vertices_are_passed_over(folder, order):
    plain = (["element camera 2", "property float f"], "1\n2\n", np.ones(2, (order or "<") + "f4").tobytes())
    lists = (
        ["element strip 2", "property list uchar int i"],
        "2 5 6\n0\n",
        b"\x02" + np.array([5, 6], (order or "<") + "i4").tobytes() + b"\x00",
    )
    points = np.arange(9.0).reshape(3, 3)
    found = read(written(folder, "b.ply", ply(points, "f8", order, elements_before=(plain, lists))))
    assert np.array_equal(found.points, points)


@given(POINTS, st.sampled_from(("ascii", "binary", "binary_compressed")), st.sampled_from(("f4", "f8")), st.booleans())
def test_pcd_round_trip(folder, points, data, kind, with_normals):
    points = points.astype(kind).astype(np.float64)
    normals = np.tile((0.0, 0.0, -1.0), (len(points), 1)) if with_normals else None
    found = read(written(folder, "a.pcd", pcd(points, data, kind, normals)))
    assert np.array_equal(found.points, points)
    assert normals is None or np.array_equal(found.normals, normals)
    assert found.dropped == 0


@given(st.binary(max_size=400) | st.lists(st.sampled_from((0, 0, 0, 1)), max_size=900).map(bytes))
def test_lzf_unpacks_what_was_packed(data):
    out = np.empty(len(data), np.uint8)
    packed = np.frombuffer(pack_lzf(data), np.uint8).copy()
    assert unpack_lzf(packed, out) == len(data)
    assert out.tobytes() == data
    overlapping = np.array([1, 7, 9, 0xE0, 3, 1], np.uint8)  # "7 9", then 12 bytes from two back
    out = np.empty(14, np.uint8)
    assert unpack_lzf(overlapping, out) == 14
    assert out.tolist() == [7, 9] * 7


def test_invalid_points_of_a_pcd_are_left_out_and_counted(folder):
    points = np.arange(12.0).reshape(4, 3)
    points[1, 2] = np.nan
    for data in ("ascii", "binary", "binary_compressed"):
        found = read(written(folder, "nan.pcd", pcd(points, data)))
        assert found.dropped == 1
        assert np.array_equal(found.points, points[[0, 2, 3]])


@given(
    st.lists(st.tuples(*[st.integers(-(2**31), 2**31 - 1)] * 3), min_size=1, max_size=20),
    st.sampled_from(((2, 0), (2, 1), (3, 0), (4, 6))),
)
def test_las_round_trip_keeps_georeferenced_coordinates(folder, whole, version):
    scale, offset = (1e-3, 1e-3, 1e-4), (4.5e6, 5.6e6, 100.0)
    whole = np.array(whole)
    found = read(written(folder, "a.las", las(whole, scale, offset, *version)))
    assert np.array_equal(found.points, whole * np.array(scale) + np.array(offset))


@given(POINTS, st.sampled_from((" ", "\t", ",", ";", ", ")), st.sampled_from(("", "x y z i", "I,X,Y,Z")), st.booleans())
def test_text_round_trip(folder, points, separator, heading, comments):
    columns = [*points.T, np.arange(len(points))] if heading != "I,X,Y,Z" else [np.arange(len(points)), *points.T]
    sep = "," if "," in heading else (" " if heading else separator)
    lines = [heading] if heading else []
    lines += [sep.join(repr(float(v)) for v in row) for row in np.stack(columns, 1)]
    if comments:
        lines = ["# a comment", "", *lines, "// another"]
    found = read(written(folder, "a.csv" if "," in sep else "a.xyz", "\r\n".join(lines).encode()))
    assert np.array_equal(found.points, points)
    assert found.normals is None


def test_columns_that_are_not_asked_for_may_hold_anything(folder):
    rows = ["1,wall_1,2,,3", "4, Über ,5,nan,6"]
    found = read(written(folder, "a.csv", "\n".join(["x,label,y,note,z", *rows]).encode()))
    assert np.array_equal(found.points, [[1, 2, 3], [4, 5, 6]])
    with pytest.raises(mc.InvalidFile, match="line 3: 'five' is not a number"):
        read(written(folder, "b.csv", b"x,label,y,note,z\n1,a,2,,3\n4,b,five,,6\n"))
    with pytest.raises(mc.InvalidFile, match="line 2: the row has 4 columns, but 5 are expected"):
        read(written(folder, "b.csv", b"x,label,y,note,z\n1,2,,3\n"))


def test_pts_counts_and_columns_of_normals(folder):
    rows = "1 2 3 0 0 1\n4 5 6 0.6 0.8 0\n"
    found = read(written(folder, "a.pts", f"2\n{rows}".encode()))
    assert np.array_equal(found.normals, [[0, 0, 1], [0.6, 0.8, 0]])
    assert read(written(folder, "b.pts", f"2\n{rows.replace('0.6', '200')}".encode())).normals is None
    with pytest.raises(mc.InvalidFile, match="says 3 points, but contains 2"):
        read(written(folder, "c.pts", f"3\n{rows}".encode()))


def test_units_and_the_cloud(folder):
    rng = np.random.default_rng(0)
    points, normals = sphere(rng, 400)
    for unit, factor in (("mm", 1e-3), ("ft", 0.3048), (2.5, 2.5), ("m", 1.0)):
        cloud = mc.clouds.read_cloud(written(folder, "u.ply", ply(points, normals=normals)), unit, surface="apss")
        assert np.array_equal(cloud.points, points * factor)
        assert cloud.has_normals
    zero = normals.copy()
    zero[3] = 0.0
    assert not mc.clouds.read_cloud(written(folder, "z.ply", ply(points, normals=zero))).has_normals
    for unit, message in (
        ("miles", "expected one of m, mm"),
        (0.0, "positive finite number"),
        (np.nan, "positive finite number"),
        (None, "positive finite number"),
        ([1, 2], "positive finite number"),
    ):
        with pytest.raises(mc.UnsupportedOption, match=message):
            mc.clouds.read_cloud(folder / "u.ply", unit)


GOOD = np.random.default_rng(1).normal(size=(50, 3))
FILES = {
    "a.ply": ply(GOOD, order=""), "l.ply": ply(GOOD), "b.ply": ply(GOOD, "f4", ">"),
    "a.pcd": pcd(GOOD, "ascii"), "b.pcd": pcd(GOOD), "c.pcd": pcd(GOOD, "binary_compressed"),
    "a.las": las(np.arange(150).reshape(50, 3), (1, 1, 1), (0, 0, 0)),
    "d.las": las(np.arange(150).reshape(50, 3), (1, 1, 1), (0, 0, 0), 4, 6),
    "a.pts": b"50\n" + b"".join(b"%f %f %f\n" % tuple(row) for row in GOOD),
    "a.xyz": b"".join(b"%f %f %f\n" % tuple(row) for row in GOOD),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FILES if name != "a.xyz"])
def test_truncated_files_are_refused_at_every_length(folder, name):
    """Every prefix that lacks a point; what follows the points, or the end of the last line, may be missing."""
    data = FILES[name]
    whole = read(written(folder, name, data))
    assert len(whole.points) == 50
    for length in range(len(data)):
        path = written(folder, name, data[:length])
        try:
            points = read(path).points
        except mc.InvalidFile as error:
            assert str(path) in str(error)
            assert "line" in str(error) or "byte" in str(error) or "holds" in str(error)
        else:
            assert len(points) == 50, length
            assert length > 0.9 * len(data)


@pytest.mark.slow
@given(st.sampled_from(sorted(FILES)), st.integers(0, 10**6), st.integers(0, 255), st.integers(1, 6))
@settings(max_examples=400)
def test_damaged_files_never_fail_otherwise(folder, name, where, byte, count):
    """Any bytes may change: the result is points or an InvalidFile that names the file."""
    data = bytearray(FILES[name])
    for k in range(count):
        data[(where * (k + 1)) % len(data)] = (byte + 37 * k) % 256
    path = written(folder, "damaged-" + name, bytes(data))
    try:
        assert read(path).points.shape[1] == 3
    except mc.InvalidFile as error:
        assert str(path) in str(error)


@given(st.binary(max_size=300), st.sampled_from((".ply", ".pcd", ".las", ".laz", ".xyz", ".pts", ".csv")))
@settings(max_examples=200)
def test_rubbish_is_refused(folder, data, ending):
    path = written(folder, "rubbish" + ending, data)
    try:
        read(path)
    except mc.InvalidFile as error:
        assert str(path) in str(error)
    else:
        assert ending in (".xyz", ".pts", ".csv")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.ply", b"plx\n", "line 1: this is not a PLY file"),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n1 2\n",
            "x, y",
        ),
        ("a.ply", b"ply\nformat ascii 1.0\nnonsense\n", "line 3: the header line 'nonsense'"),
        ("a.ply", FILES["a.ply"].replace(b" 7 ", b" seven ", 1), "line 12: 'seven' is not a number"),
        ("a.ply", FILES["a.ply"].replace(b" 7 ", b" ", 1), "line 12: the row has 3 columns, but 4"),
        ("a.ply", b"ply\n" + b"x" * 100000, "line 2: the file has a line of more than"),
        (
            "a.pcd",
            b"VERSION 0.7\nFIELDS x y\nSIZE 4 4\nTYPE F F\nWIDTH 1\nPOINTS 1\nDATA ascii\n1 2\n",
            "do not include x, y",
        ),
        ("a.pcd", FILES["b.pcd"].replace(b"DATA binary", b"DATA zipped"), "line 11: DATA 'zipped'"),
        ("a.pcd", FILES["b.pcd"].replace(b"POINTS 50", b"POINTS 51"), "WIDTH times HEIGHT is 50"),
        ("a.las", b"LASG" + FILES["a.las"][4:], "byte 0: this is not a LAS file"),
        ("a.las", FILES["a.las"][:24] + b"\x02" + FILES["a.las"][25:], "version 2.2"),
        ("a.xyz", b"1 2 3\n4 five 6\n", "line 2: 'five' is not a number"),
        ("a.xyz", b"1 2 3\n# pause\n\n4 5\n", "line 4: the row has 2 columns, but 3"),
        ("a.xyz", b"1 2\n", "line 1: the row has 2 columns, but a point needs three"),
        ("a.csv", b"a,b,c\n1,2,3\n", "line 1: the header line 'a,b,c' does not name the columns x, y and z"),
        ("a.xyz", b"# nothing\n", "contains no points"),
        ("a.stl", b"", "expected one of .ply"),
        ("a.ply", "ply\nformat ascii 1.0\nelement vertex ²\n".encode(), "line 3: the header line 'element vertex ²'"),
        (
            "a.ply",
            b"ply\nformat ascii 1.0\nelement vertex " + b"9" * 5000 + b"\n",
            "line 3: the header line 'element vertex 9+' is invalid",
        ),
        ("a.ply", b"ply\nelement vertex 1\nproperty list", "line 3: 'property list' is not a valid property"),
        ("a.ply", b"ply\nelement a 1\nproperty list float int i\n", "line 3: 'property list float int i'"),
        ("a.ply", FILES["a.ply"].replace(b" 7 ", b" 1_0 ", 1), "line 12: '1_0' is not a number"),
        ("a.pcd", FILES["b.pcd"].replace(b"POINTS 50", b"POINTS " + b"9" * 5000), "POINTS must contain whole"),
        ("a.pcd", FILES["b.pcd"].replace(b"COUNT 1", b"COUNT 999999999999"), "points of 4,000,000,000,008 bytes"),
        ("a.xyz", b"9" * 5000 + b"\n1 2 3\n", "line 1: the row has 1 columns"),
        ("a.xyz", b"1 2 3\n4 5 6\n" + b"1 " * 600_000, "line 3: the file has a line of more than 65536 bytes"),
        (
            "a.las",
            FILES["a.las"][:100] + b"\xff" * 4 + FILES["a.las"][104:],
            "byte 94: .* 4,294,967,295 records",
        ),
        (
            "a.las",
            FILES["d.las"][:243] + b"\xff" * 4 + FILES["d.las"][247:],
            "byte 235: .* 4,294,967,295 extended records",
        ),
    ],
)
def test_errors_name_the_place(folder, name, data, message):
    with pytest.raises(mc.InvalidFile, match=message):
        read(written(folder, name, data))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("bom.csv", b"\xef\xbb\xbfx,y,z\n1,2,3\n4,5,6\n"),
        ("bom.xyz", b"\xef\xbb\xbf1 2 3\n4 5 6\n"),
        ("quotes.csv", b'"X";\'Y\';"z"\n1;2;3\n4;5;6'),
        ("old.xyz", b"1 2 3\r4 5 6\r"),
        ("mixed.xyz", b"1 2 3\r\n4 5 6\n"),
        (
            "latin.ply",
            b"ply\nformat ascii 1.0\ncomment Stra\xdfe\nelement vertex 2\nproperty int x\nproperty int y\n"
            b"property int z\nend_header\n1 2 3\n4 5 6\n",
        ),
    ],
)
def test_marks_quotes_and_ends_of_lines(folder, name, data):
    assert read(written(folder, name, data)).points.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_lines_do_not_depend_on_where_blocks_end(folder, monkeypatch):
    """A block may end within a line, before it, or between the two characters that end it."""
    points = np.arange(60.0).reshape(20, 3)
    for end in ("\n", "\r\n", "\r"):
        data = "".join(f"{x} {y} {z}{end}" for x, y, z in points).encode()
        counted = b"ply\nformat ascii 1.0\nelement vertex 20\n" + b"".join(
            b"property float %c\n" % letter for letter in b"xyz"
        )
        for size in range(1, 40):
            monkeypatch.setattr(source, "_BLOCK", size)
            assert np.array_equal(read(written(folder, "blocks.xyz", data)).points, points)
            assert np.array_equal(read(written(folder, "blocks.ply", counted + b"end_header\n" + data)).points, points)


def test_missing_files_and_folders_are_refused(folder):
    for path in (folder / "nowhere.ply", folder):
        with pytest.raises(mc.InvalidFile, match=str(folder)):
            read(path.with_suffix(".ply") if path != folder else path)
    (folder / "folder.ply").mkdir(exist_ok=True)
    with pytest.raises(mc.InvalidFile, match="cannot be read"):
        read(folder / "folder.ply")


def test_what_is_no_ordinary_file_is_refused_before_it_is_opened(folder):
    os.mkfifo(folder / "pipe.ply")  # to open it would wait until somebody writes
    (folder / "device.xyz").symlink_to(os.devnull)
    (folder / "round.xyz").symlink_to(folder / "round.xyz")
    for name, message in (("pipe.ply", "device or a pipe"), ("device.xyz", "device or a pipe"), ("round.xyz", "links")):
        with pytest.raises(mc.InvalidFile, match=f"{name}: cannot be read.*{message}"):
            read(folder / name)


@pytest.mark.parametrize("path", ["nul\0.xyz", b"nul\0.xyz", "\ud800.xyz", "a" * 5000 + ".xyz"])
def test_names_that_no_file_can_have_are_refused(path):
    with pytest.raises(mc.InvalidFile, match=r"cannot be read|not a valid file name"):
        read(path)


@pytest.mark.parametrize("path", [None, 3, True, ["a.xyz"], io.BytesIO(b"0 0 0")])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(mc.InvalidFile, match=rf"not (None|an? .*{type(path).__name__})"):
        read(path)


@pytest.mark.parametrize("name", ["PLAIN.XYZ", "Über 点.xyz", "no text \udcff.xyz"])
def test_files_are_read_whatever_their_name_is_given_as(folder, name):
    path = written(folder, name, FILES["a.xyz"])
    expected = read(folder / written(folder, "plain.xyz", FILES["a.xyz"])).points
    for given_as in (path, str(path), os.fsencode(path)):
        assert np.array_equal(read(given_as).points, expected)


@pytest.mark.filterwarnings("error")
def test_numbers_beyond_doubles_come_back_as_such(folder):
    beyond = las(np.full((9, 3), 2**30), (1e307,) * 3, (1e308,) * 3)
    assert np.isinf(read(written(folder, "beyond.las", beyond)).points).all()
    assert np.isinf(read(written(folder, "beyond.xyz", b"1e300 1e300 1e300\n"), unit=1e300).points).all()
    signalling = np.array([0x7FA00000], "<u4").tobytes()  # a NaN that warns when it is converted
    data = pcd(np.zeros((3, 3)))
    assert read(written(folder, "nan.pcd", data[:-4] + signalling)).dropped == 1


def test_options_of_files_are_named(folder):
    path = written(folder, "plain.xyz", FILES["a.xyz"])
    for options, message in (
        ({"unit": 10**400}, "unit must be the name of a unit"),
        ({"unit": True}, "unit must be"),
        ({"memory": "much"}, "memory must be None or a number of bytes"),
        ({"memory": -1}, "memory"),
    ):
        with pytest.raises(mc.UnsupportedOption, match=message):
            read(path, **options)


def test_points_of_a_file_without_a_surface_are_refused_with_its_name(folder):
    path = written(folder, "few.xyz", b"0 0 0\n1 0 0\n")
    with pytest.raises(mc.clouds.InvalidPointCloud, match=r"few\.xyz: a surface needs at least 8 points"):
        mc.clouds.read_cloud(path)


@pytest.mark.parametrize("name", sorted(FILES))
def test_what_memory_cannot_hold_is_refused_before_it_is_read(folder, name):
    with pytest.raises(mc.InvalidFile, match=r"50 points need about .* GB of memory, but only .* GB are free: reduce"):
        read(written(folder, name, FILES[name]), memory=1000)
    assert len(read(written(folder, name, FILES[name]), memory=10**6).points) == 50


def test_an_impossible_count_is_refused_before_anything_is_allocated(folder):
    huge = FILES["l.ply"].replace(b"element vertex 50", b"element vertex 50000000000")
    with pytest.raises(mc.InvalidFile, match=r"says 50,000,000,000 points of 25 bytes, but .* large enough for 50"):
        read(written(folder, "huge.ply", huge), memory=10**18)


def test_laz_says_what_is_missing(folder):
    data = bytearray(FILES["a.las"])
    data[104] |= 0x80
    path = written(folder, "a.laz", bytes(data))
    have = all(importlib.util.find_spec(name) for name in ("laspy", "lazrs"))
    with pytest.raises(
        mc.InvalidFile, match="does not name the compression" if have else r"pip install meshclash\[laz\]"
    ):
        read(path)


def test_laz_round_trip(folder):
    laspy = pytest.importorskip("laspy")
    pytest.importorskip("lazrs")
    whole = np.random.default_rng(2).integers(-(2**30), 2**30, (1000, 3))
    header = laspy.LasHeader(point_format=6, version="1.4")
    header.scales, header.offsets = (1e-3,) * 3, (4.5e6, 5.6e6, 0.0)
    record = laspy.LasData(header)
    record.X, record.Y, record.Z = whole.T
    path = folder / "real.laz"
    record.write(str(path), do_compress=True)
    assert np.allclose(read(path).points, whole * 1e-3 + np.array([4.5e6, 5.6e6, 0.0]), rtol=0, atol=1e-9)
    data = path.read_bytes()
    with pytest.raises(mc.InvalidFile, match=r"real\.laz"):
        read(written(folder, "real.laz", data[: len(data) // 2]))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [3, 6])
def test_a_damaged_laz_neither_ends_the_process_nor_goes_on_for_ever(folder, kind):
    """laspy reads as many records as the header says, billions of them; lazrs aborts when it can make no room."""
    laspy = pytest.importorskip("laspy")
    pytest.importorskip("lazrs")
    header = laspy.LasHeader(point_format=kind, version="1.2" if kind < 6 else "1.4")
    record = laspy.LasData(header)
    record.X, record.Y, record.Z = np.arange(30).reshape(10, 3).T
    path = folder / "small.laz"
    record.write(str(path), do_compress=True)
    data = path.read_bytes()
    assert len(read(path).points) == 10
    for at in range(90, len(data)):
        try:
            read(written(folder, "damaged.laz", data[:at] + bytes([data[at] ^ 0xC0]) + data[at + 1 :]))
        except mc.InvalidFile as error:
            assert "damaged.laz" in str(error)


@pytest.mark.parametrize("kind", [6, 7, 8, 10])
def test_laz_of_every_layered_kind_in_several_chunks(folder, kind):
    """With bytes of an unknown meaning, which have layers of their own."""
    laspy = pytest.importorskip("laspy")
    pytest.importorskip("lazrs")
    header = laspy.LasHeader(point_format=kind, version="1.4")
    header.add_extra_dim(laspy.ExtraBytesParams(name="more", type="uint16"))
    record = laspy.LasData(header)
    whole = np.random.default_rng(kind).integers(-(2**20), 2**20, (120_000, 3))
    record.X, record.Y, record.Z = whole.T
    path = folder / "layers.laz"
    record.write(str(path), do_compress=True)
    assert np.allclose(read(path).points, whole * header.scales + header.offsets, rtol=0, atol=1e-9)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("name", ["flat.las", "flat.laz"])
def test_a_scale_of_zero_is_refused_also_where_points_are_compressed(folder, name, axis):
    """It would put all points into one plane."""
    scale = [0.01] * 3
    scale[axis] = 0.0
    data = bytearray(las(np.arange(150).reshape(50, 3), scale, (0, 0, 0)))
    data[104] |= 0x80 if name.endswith("z") else 0
    with pytest.raises(mc.InvalidFile, match=rf"{name}.*scale and offset .* are not valid lengths"):
        read(written(folder, name, bytes(data)))
