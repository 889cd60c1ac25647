"""Buffer views that meshoptimizer compressed: data of its own encoder, and an encoder of our own of every coding."""

import meshclash as mc
import numpy as np
import pytest
from gltf_samples import (
    EXPONENTIAL,
    INDICES,
    QUANTISED,
    QUATERNIONS,
    TRIANGLES,
    box,
    compressed,
    compressed_box,
    world_triangles,
)  # fmt: skip
from hypothesis import given, settings
from hypothesis import strategies as st
from mesh_samples import BOX_TRIANGLES, BOX_VERTICES
from meshclash.reading.gltf_document import Malformed
from meshclash.reading.gltf_meshopt import attributes, indices, triangles, unpacked


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("mode", ["TRIANGLES", "INDICES"])
def test_a_compressed_box_is_read(tmp_path, version, mode):
    part = mc.read(compressed_box(version, mode).write(tmp_path / "box.glb"))[0]
    wanted = {frozenset(map(tuple, rows)) for rows in BOX_VERTICES[BOX_TRIANGLES].tolist()}
    assert {frozenset(map(tuple, rows)) for rows in np.round(world_triangles(part), 9).tolist()} == wanted


def test_the_exponential_filter_tells_its_step(tmp_path):
    def change(gltf):
        view = compressed(gltf, bytes.fromhex(EXPONENTIAL), 8, 12, "ATTRIBUTES", filter="EXPONENTIAL")
        gltf.json["accessors"][0]["bufferView"] = view

    part = mc.read(box(change).write(tmp_path / "box.gltf"))[0]
    assert np.abs(part.shape.vertices - BOX_VERTICES * [1.0, 2.5, 1 / 3]).max() <= part.shape.resolution
    assert part.shape.resolution == pytest.approx(np.sqrt(0.75) * 2.0**-9), "a mantissa of 12 bits holds 2.5"


def test_quaternions_of_instances_are_restored():
    found = unpacked(
        bytes.fromhex(QUATERNIONS), {"count": 3, "byteStride": 8, "mode": "ATTRIBUTES", "filter": "QUATERNION"}
    )
    rows = np.frombuffer(found.data, "<i2").reshape(3, 4)
    assert np.abs(rows / 32767.0 - [[0, 0, 0, 1], [0, 0, 0.5**0.5, 0.5**0.5], [0.5, -0.5, 0.5, 0.5]]).max() < 1e-4


def test_the_example_of_the_specification():
    """Sixteen deltas of one byte position, coded by four bits each."""
    group = bytes([0x17, 0x5F, 0xF0, 0xBC, 0x77, 0xA9, 0x21, 0x00, 0x34, 0xB5])
    data = b"\xa0" + b"\x02" + group + b"\x00" * 3 + bytes(32)
    deltas = [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0]
    assert attributes(data, 16, 4)[:, 0].tolist() == (np.cumsum(deltas) % 256).tolist()


def zigzag(values, bits):
    signed = (values + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    return np.where(signed < 0, -2 * signed - 1, 2 * signed)


def packed_group(values, width):
    """Sixteen bytes, coded by so many bits each, with the large ones behind."""
    if width == 0:
        assert not values.any()
        return b""
    if width == 8:
        return values.astype(np.uint8).tobytes()
    top = (1 << width) - 1
    small = np.minimum(values, top)
    out = bytearray()
    for k in range(0, 16, 8 // width):
        some = small[k : k + 8 // width].tolist()
        byte = sum(v << (width * (j if width == 1 else 8 // width - 1 - j)) for j, v in enumerate(some))
        out.append(byte)
    return bytes(out) + values[values >= top].astype(np.uint8).tobytes()


def encoded(rows, version, rng):
    """Elements as the specification codes them; where there is a choice, by chance."""
    count, stride = rows.shape
    channels = (
        [0] * (stride // 4) if version == 0 else [int(rng.choice([0, 1, 2 | rng.integers(16) << 4]))] * (stride // 4)
    )
    most = min(8192 // stride & ~15, 256)
    previous = first = rng.integers(0, 256, stride).astype(np.uint8)
    out = bytearray([0xA0 + version])
    for start in range(0, count, most):
        block = rows[start : start + most]
        before = np.vstack([previous, block[:-1]])
        deltas = np.zeros((-(-len(block) // 16) * 16, stride), np.int64)
        for channel, mode in enumerate(channels):
            place = slice(4 * channel, 4 * channel + 4)
            kind = ("<u1", "<u2", "<u4")[mode & 15]
            new = np.ascontiguousarray(block[:, place]).view(kind).astype(np.int64)
            old = np.ascontiguousarray(before[:, place]).view(kind).astype(np.int64)
            if mode & 15 == 2:
                turn, across = mode >> 4, new ^ old
                coded = ((across << turn) | (across >> (32 - turn))) & 0xFFFFFFFF
            else:
                coded = zigzag(new - old, 8 * np.dtype(kind).itemsize)
            deltas[: len(block), place] = coded.astype(kind).view(np.uint8)
        out += block_bytes(deltas, len(block), version, rng)
        previous = block[-1]
    tail = first.tobytes() + (bytes(channels) if version else b"")
    return bytes(out) + tail.rjust(24 if version else 32, b"\0")


def block_bytes(deltas, count, version, rng):
    controls, bodies = [], []
    for column in deltas.T:
        control = int(rng.integers(4)) if version else -1
        if control == 2 and column.any():
            control = 3
        widths = {-1: (0, 2, 4, 8), 0: (0, 1, 2, 4), 1: (1, 2, 4, 8)}.get(control, ())
        body, headers = b"", []
        for group in column.reshape(-1, 16) if widths else []:
            usable = [k for k, width in enumerate(widths) if width or not group.any()]
            headers.append(int(rng.choice(usable)))
            body += packed_group(group, widths[headers[-1]])
        head = bytes(
            sum(h << (2 * j) for j, h in enumerate(headers[k : k + 4])) for k in range(0, len(headers), 4)
        )  # fmt: skip
        bodies.append(column[:count].astype(np.uint8).tobytes() if control == 3 else head + body)
        controls.append(control)
    fours = [controls[k : k + 4] for k in range(0, len(controls), 4)] if version else []
    return bytes(sum(c << (2 * j) for j, c in enumerate(four)) for four in fours) + b"".join(bodies)


@given(st.integers(0, 2**32), st.integers(1, 600), st.sampled_from([4, 8, 12, 64]), st.sampled_from([0, 1]))
@settings(max_examples=20, deadline=None)
def test_attributes_come_back(seed, count, stride, version):
    rng = np.random.default_rng(seed)
    rows = np.cumsum(rng.integers(-3, 4, (count, stride)) * rng.integers(0, 2, (1, stride)), axis=0).astype(np.uint8)
    assert (attributes(encoded(rows, version, rng), count, stride) == rows).all()


@given(st.integers(0, 2**32), st.integers(1, 300))
@settings(max_examples=60, deadline=None)
def test_meshoptimizers_own_data_come_back(seed, count):
    meshopt = pytest.importorskip("meshopt", reason="its encoder is not installed")
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, 40, (count, 3)).astype(np.uint32)
    corners = np.sort(corners, axis=0) if seed % 2 else corners
    data = bytes(meshopt.encode_index_buffer(corners.ravel()))
    turned = triangles(data, corners.size).reshape(-1, 3)
    assert [sorted(row) for row in turned.tolist()] == [sorted(row) for row in corners.tolist()]
    assert (indices(bytes(meshopt.encode_index_sequence(corners.ravel())), corners.size) == corners.ravel()).all()
    rows = np.cumsum(rng.normal(size=(count, 3)), axis=0).astype("<f4").view(np.uint8)
    for version in (0, 1):
        coded = bytes(meshopt.encode_vertex_buffer_level(rows, 3 if version else 2, version))
        assert (attributes(coded, count, 12) == rows).all()


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_damaged_data_are_refused_or_read(data):
    text, count, stride, mode = data.draw(
        st.sampled_from([
            (QUANTISED[0], 8, 8, "ATTRIBUTES"), (QUANTISED[1], 8, 8, "ATTRIBUTES"), (TRIANGLES, 36, 4, "TRIANGLES"),
            (INDICES, 36, 4, "INDICES"),
        ])
    )  # fmt: skip
    raw = bytearray.fromhex(text)
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw = raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw
    count = data.draw(st.sampled_from([count, 3 * count, 3 * 10**12, 0]))
    try:
        found = unpacked(bytes(raw), {"count": count, "byteStride": stride, "mode": mode})
    except Malformed:
        return
    assert len(found.data) == count * stride
