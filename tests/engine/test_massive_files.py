"""Files of clustered meshes: what is damaged, cut off or made by somebody else is refused, and answers stay right."""

import random
import tracemalloc
import zlib

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from massive_cases import some_soup
from meshclash.massive import blocks, layout, pages
from solids import refined, torus
from strategies import matrix

POSE = matrix(shift=(0.4, 0.1, 0.0))
HEADER = np.dtype({"names": ["triangles", "vertices", "clusters", "table_at", "file_bytes", "table_crc"],
                   "formats": ["<u8"] * 5 + ["<u4"], "offsets": [16, 24, 32, 40, 48, 120]})  # fmt: skip


def answers(path):
    """What a file answers, or that it is refused."""
    try:
        with mc.massive.ClusteredMesh.open(path) as mesh:
            found = mc.collide(mesh, mesh, None, POSE)
            return found.pairs.tobytes(), found.kinds.tobytes(), found.segments().tobytes()
    except mc.InvalidFile as error:
        assert str(path) in str(error)
        return None


@pytest.fixture(scope="module")
def ring(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "ring.mcl"
    mc.massive.ClusteredMesh.build(refined(torus(1.0, 0.4), 1), path, cluster_triangles=64).close()
    return path


def test_the_format_is_that_of_the_document(ring):
    """Read by its description in docs/massive.md alone."""
    raw = ring.read_bytes()
    assert raw[:8] == b"\x89MESHCLU"
    version, mark = np.frombuffer(raw, "<u4", 2, 8)
    triangles, vertices, clusters, table_at, size = np.frombuffer(raw, "<u8", 5, 16).tolist()
    coordinate_bytes, id_bytes, soup, largest = np.frombuffer(raw, "<u4", 4, 56).tolist()
    block_triangles, blocks_crc = np.frombuffer(raw, "<u4", 2, 124).tolist()
    assert (version, mark, size, soup, largest) == (2, 0x01020304, len(raw), 0, 64)
    assert (coordinate_bytes, id_bytes) == (8, 4) and size == table_at + 72 * clusters
    assert zlib.crc32(raw[:252]) == int.from_bytes(raw[252:256], "little")
    assert zlib.crc32(raw[table_at:]) == int.from_bytes(raw[120:124], "little")
    expected_vertices, expected = refined(torus(1.0, 0.4), 1)
    assert (triangles, vertices) == (len(expected), len(expected_vertices))
    found, stored = {}, []
    for k in range(clusters):
        row = raw[table_at + 72 * k : table_at + 72 * (k + 1)]
        at, (count, crc, m, n) = int.from_bytes(row[:8], "little"), np.frombuffer(row, "<u4", 4, 8).tolist()
        page = raw[at : at + count]
        assert zlib.crc32(page) == crc and count % 8 == 0
        positions = np.frombuffer(page, "<f8", 3 * n).reshape(-1, 3)
        vertex_ids, ids = np.frombuffer(page, "<u4", n, 24 * n), np.frombuffer(page, "<u4", m, 28 * n)
        corners = np.frombuffer(page, "<u2", 3 * m, 28 * n + 4 * m).reshape(-1, 3)
        box = np.frombuffer(row, "<f8", 6, 24)
        assert (positions.min(axis=0) == box[:3]).all() and (positions.max(axis=0) == box[3:]).all()
        assert (expected_vertices[vertex_ids] == positions).all()
        found.update(zip(ids.tolist(), vertex_ids[corners].tolist(), strict=True))
        stored.append((-(-m // block_triangles), box, positions[corners]))
    assert block_triangles == 16
    begin = size_of_pages = at + count
    for count, box, corners in stored:
        steps = np.frombuffer(raw, np.uint8, 6 * count, begin).reshape(-1, 6)
        unit = (box[3:] - box[:3]) / 255
        low, high = box[:3] + steps[:, :3] * unit, box[3:] - steps[:, 3:] * unit
        inside = (corners.min(axis=1)[:, None] >= low) & (corners.max(axis=1)[:, None] <= high)
        assert inside.all(axis=2).any(axis=1).all()
        begin += 6 * count
    assert begin + -begin % 8 == table_at and zlib.crc32(raw[size_of_pages:table_at]) == blocks_crc
    assert [found[k] for k in range(len(expected))] == expected.tolist()


def as_version_1(raw):
    """The same file as it was before there were blocks."""
    raw = bytearray(raw)
    table_at = int.from_bytes(raw[40:48], "little")
    last = np.frombuffer(raw, layout.ROW, (len(raw) - table_at) // 72, table_at)[-1]
    end = int(last["at"]) + int(last["bytes"])
    del last, raw[end:table_at]
    raw[8:12] = (1).to_bytes(4, "little")
    raw[40:56] = np.array([end, len(raw)], "<u8").tobytes()
    raw[124:132] = bytes(8)
    raw[252:256] = zlib.crc32(raw[:252]).to_bytes(4, "little")
    return bytes(raw)


def test_files_of_version_1_are_read(ring, tmp_path):
    (tmp_path / "a").write_bytes(as_version_1(ring.read_bytes()))
    assert answers(tmp_path / "a") == answers(ring) is not None
    with mc.massive.ClusteredMesh.open(tmp_path / "a") as mesh:
        mesh.verify()
    (tmp_path / "a").write_bytes(ring.read_bytes()[:8] + b"\3" + ring.read_bytes()[9:])
    assert answers(tmp_path / "a") is None


@pytest.mark.slow
@pytest.mark.parametrize("part", ["header", "anywhere", "table"])
def test_a_flipped_bit_is_an_error(ring, tmp_path, part):
    raw, rng = ring.read_bytes(), random.Random(1)
    expected = answers(ring)
    low, high = {"header": (0, 256), "anywhere": (256, len(raw)), "table": (len(raw) - 72 * 30, len(raw))}[part]
    for _ in range(150):
        damaged = bytearray(raw)
        damaged[rng.randrange(low, high)] ^= 1 << rng.randrange(8)
        (tmp_path / "a").write_bytes(damaged)
        found = answers(tmp_path / "a")
        assert found in (None, expected)
        if part == "anywhere" and found == expected:  # a page that the question did not need
            with (
                mc.massive.ClusteredMesh.open(tmp_path / "a") as mesh,
                pytest.raises(mc.InvalidFile, match="is damaged"),
            ):
                mesh.verify()
        elif part != "anywhere":
            assert found is None


def test_a_file_that_was_cut_off_or_grew_is_an_error(ring, tmp_path):
    raw, rng = ring.read_bytes(), random.Random(2)
    for count in [*range(0, 300, 13), *(rng.randrange(len(raw)) for _ in range(60)), len(raw) - 1]:
        (tmp_path / "a").write_bytes(raw[:count])
        assert answers(tmp_path / "a") is None
    (tmp_path / "a").write_bytes(raw + b"\0")
    assert answers(tmp_path / "a") is None
    with pytest.raises(mc.InvalidFile, match="No such file"):
        mc.massive.ClusteredMesh.open(tmp_path / "none")
    with pytest.raises(mc.InvalidFile, match="cannot be read"):
        mc.massive.ClusteredMesh.open(tmp_path)


def test_a_file_that_is_cut_off_while_it_is_open_is_an_error(ring, tmp_path):
    (tmp_path / "a").write_bytes(ring.read_bytes())
    with mc.massive.ClusteredMesh.open(tmp_path / "a") as mesh:
        with (tmp_path / "a").open("r+b") as stream:
            stream.truncate(1000)
        with pytest.raises(mc.InvalidFile, match="the file ends here"):
            mc.collide(mesh, mesh, None, POSE)


def with_right_checksums(raw):
    """A file that somebody made wrong on purpose: every checksum fits."""
    raw = bytearray(raw)
    table_at = int.from_bytes(raw[40:48], "little")
    if table_at < len(raw):
        rows = np.frombuffer(raw, layout.ROW, (len(raw) - table_at) // 72, table_at)  # writable: it is a bytearray
        for row in rows:
            at, count = int(row["at"]), int(row["bytes"])
            if at + count <= len(raw):
                row["crc"] = zlib.crc32(raw[at : at + count])
        raw[120:124] = zlib.crc32(raw[table_at:]).to_bytes(4, "little")
        end = min(int(rows[-1]["at"]) + int(rows[-1]["bytes"]), table_at) if len(rows) else table_at
        raw[128:132] = zlib.crc32(raw[end:table_at]).to_bytes(4, "little")
    raw[252:256] = zlib.crc32(raw[:252]).to_bytes(4, "little")
    return bytes(raw)


@pytest.mark.slow
@given(st.data())
def test_a_file_made_wrong_on_purpose_is_refused_or_harmless(ring, tmp_path_factory, data):
    """Counts, places, corners and numbers of any value under right checksums: no crash, no great memory."""
    raw = bytearray(ring.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        width = data.draw(st.sampled_from((1, 2, 4, 8)))
        spots = st.integers(8, 250) | st.integers(256, len(raw) - 9) | st.integers(len(raw) - 72 * 8, len(raw) - 9)
        at = data.draw(spots)
        value = data.draw(st.sampled_from((0, 1, 2 ** (8 * width) - 1, 2 ** (8 * width - 1), 65, 1 << 4)))
        raw[at : at + width] = (value % (1 << (8 * width))).to_bytes(width, "little")
    path = tmp_path_factory.mktemp("made") / "a"
    path.write_bytes(with_right_checksums(raw))
    tracemalloc.start()
    answers(path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100 * len(raw)


def test_announced_counts_are_compared_with_the_file_before_anything_is_allocated(ring, tmp_path):
    for changes in (
        {"clusters": 1 << 40}, {"triangles": 1 << 59}, {"table_at": 1 << 50}, {"clusters": 0}, {"table_at": 8},
        {"file_bytes": 1 << 60}, {"clusters": 1 << 40, "file_bytes": (1 << 40) * 72},
    ):  # fmt: skip
        raw = bytearray(ring.read_bytes())
        header = np.frombuffer(raw, HEADER, 1)
        for name, value in changes.items():
            header[name] = value
        (tmp_path / "a").write_bytes(with_right_checksums(raw))
        tracemalloc.start()
        assert answers(tmp_path / "a") is None
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        tracemalloc.stop()


def changed(ring, tmp_path, change):
    """A file with right checksums whose first page was changed."""
    raw = bytearray(ring.read_bytes())
    table_at = int.from_bytes(raw[40:48], "little")
    row = np.frombuffer(raw, layout.ROW, 1, table_at)[0]
    n, m = int(row["vertices"]), int(row["triangles"])
    page = np.frombuffer(raw, np.uint8, int(row["bytes"]), int(row["at"]))
    change(
        page[: 24 * n].view("<f8"), page[24 * n : 28 * n].view("<u4"), page[28 * n : 28 * n + 4 * m].view("<u4"),
        page[28 * n + 4 * m : 28 * n + 10 * m].view("<u2"),
    )  # fmt: skip
    (tmp_path / "a").write_bytes(with_right_checksums(raw))
    return mc.massive.ClusteredMesh.open(tmp_path / "a")


def set_first(which, value):
    def change(*parts):
        parts[which][0] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_first(0, np.nan), "outside of its box"), (set_first(0, 1e9), "outside of its box"),
        (set_first(1, 1 << 31), "a vertex has a number"), (set_first(2, 1 << 31), "numbered upwards"),
        (set_first(3, 65535), "a corner names a vertex"),
    ],
)  # fmt: skip
def test_pages_are_looked_at_before_they_are_believed(ring, tmp_path, change, message):
    with changed(ring, tmp_path, change) as mesh, pytest.raises(mc.InvalidFile, match=f"page 0 .*{message}"):
        mesh.verify()


def test_a_triangle_in_two_pages_is_found_by_verify(ring, tmp_path):
    def change(*parts):
        first = parts[2]
        first[:] = np.arange(len(first))

    with changed(ring, tmp_path, change) as mesh, pytest.raises(mc.InvalidFile, match="each triangle exactly once"):
        mesh.verify()


def test_boxes_of_blocks_that_hold_no_triangles_are_found_by_verify(ring, tmp_path):
    raw = bytearray(ring.read_bytes())
    table_at = int.from_bytes(raw[40:48], "little")
    raw[table_at - 64 : table_at - 8] = b"\x7f" * 56
    (tmp_path / "a").write_bytes(with_right_checksums(raw))
    with (
        mc.massive.ClusteredMesh.open(tmp_path / "a") as mesh,
        pytest.raises(mc.InvalidFile, match="block boxes of page"),
    ):
        mesh.verify()


@given(
    st.integers(1, 60), st.sampled_from((1e-320, 1e-30, 1.0, 1e14)), st.sampled_from((0.0, 1.0, -1e9)),
    st.integers(0, 2**32 - 1), st.sampled_from(("f4", "f8")), st.integers(0, 3),
)  # fmt: skip
def test_blocks_hold_their_triangles_exactly(count, size, shift, seed, kind, flat):
    """Also of pages without an extent, and of those smaller than a number can be divided."""
    corners = size * np.random.default_rng(seed).uniform(-1, 1, (count, 3, 3)) + shift
    corners[:, :, :flat] = corners[0, 0, :flat]
    corners = corners.astype(kind)
    page = np.concatenate([corners.min(axis=(0, 1)), corners.max(axis=(0, 1))]).astype(float)
    steps = blocks.block_steps(corners, page, 16)
    starts = np.array([0, len(steps)])
    boxes, owners = blocks.Blocks(steps, starts).boxes_of(np.array([0]), page[None])
    assert len(steps) == -(-count // 16) and not owners.any()
    for box, k in zip(boxes, range(0, count, 16), strict=True):
        some = corners[k : k + 16].astype(float)
        assert (some >= box[:3]).all() and (some <= box[3:]).all()
        assert (box[:3] >= page[:3]).all() and (box[3:] <= page[3:]).all()


def test_pages_are_given_up_when_they_were_not_used_for_longest(tmp_path):
    corners = some_soup(np.random.default_rng(8), 3000, 0.01)
    mc.massive.ClusteredMesh.build(corners, tmp_path / "a", cluster_triangles=64).close()
    file = pages.PageFile(tmp_path / "a", 1 << 30)
    each = file.load([0])[0].nbytes
    file.memory = 5 * int(file.bytes_of(np.array([0]))[0])
    for number in range(1, 40):
        file.load([0, number])
        assert file.nbytes <= file.memory
    loads = file.loads
    file.load([0, 39])
    assert file.loads == loads and file.nbytes >= 2 * each
    file.load([1])
    assert file.loads == loads + 1
    bound = file.bytes_of()
    for number in range(len(bound)):
        assert file.load([number])[0].nbytes <= bound[number]
    file.close()
    assert file.nbytes == 0


def test_bounds_of_memory_hold_for_the_worst_trees(tmp_path):
    """Triangles along a line whose distances double: every split takes off one."""
    corners = np.zeros((64, 3, 3))
    corners[:, :, 0] = (2.0 ** np.arange(64))[:, None]
    corners[:, 1, 1] = corners[:, 2, 2] = 1e-3
    mc.massive.ClusteredMesh.build(corners, tmp_path / "a", cluster_triangles=64).close()
    file = pages.PageFile(tmp_path / "a", 1 << 30)
    assert all(file.load([k])[0].nbytes <= bound for k, bound in enumerate(file.bytes_of()))
    file.close()
