"""Decompress buffer views of glTF from meshoptimizer (KHR_meshopt_compression, EXT_meshopt_compression)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .gltf_document import Malformed, whole

MESHOPT = ("KHR_meshopt_compression", "EXT_meshopt_compression")
_ATTRIBUTES = {0xA0: 0, 0xA1: 1}
_LEAST_TAIL = (32, 24)
_BLOCK_BYTES, _MOST_IN_BLOCK, _GROUP = 8192, 256, 16
_WIDTHS = {-1: (0, 2, 4, 8), 0: (0, 1, 2, 4), 1: (1, 2, 4, 8)}
"""Bits of a delta for each value of a group's two header bits, by control mode.

Mode -1 represents version 0; modes 0 and 1 are modes of version 1.
"""
_ZEROS, _LITERAL = 2, 3
_FREE = 15


@dataclass(frozen=True, eq=False)
class Unpacked:
    """A decompressed buffer view.

    Attributes:
        data: decoded bytes.
        step: largest distance between neighbouring numbers that a filter can represent; None if no filter rounded them.
    """

    data: memoryview
    step: float | None = None


def unpacked(data: bytes, extension: dict[str, Any]) -> Unpacked:
    """Decompress the bytes of a buffer view.

    Raises:
        Malformed: the data are damaged, or their mode or filter is unknown.
    """
    count, stride = whole(extension, "count"), whole(extension, "byteStride")
    mode, rule = extension.get("mode"), extension.get("filter", "NONE")
    if mode == "ATTRIBUTES":
        if stride % 4 or not 4 <= stride <= 256:
            raise Malformed(f"meshopt: elements cannot have {stride} bytes")
        values = attributes(data, count, stride)
        return _filtered(values, rule)
    if mode not in ("TRIANGLES", "INDICES") or stride not in (2, 4) or rule != "NONE":
        raise Malformed(
            f"meshopt: the mode {mode!r:.20} with {stride} bytes and the filter {rule!r:.20} is not supported"
        )
    try:
        found = (triangles if mode == "TRIANGLES" else indices)(data, count)
    except IndexError:
        raise Malformed("meshopt: the data of the indices ends too early") from None
    return Unpacked(memoryview(found.astype("<u2" if stride == 2 else "<u4").tobytes()))


def attributes(data: bytes, count: int, stride: int) -> np.ndarray:
    """Decompress elements (count, stride) uint8; raises Malformed."""
    version = _ATTRIBUTES.get(data[0] if data else -1)
    if version is None:
        raise Malformed("meshopt: the version of the attribute data is not supported")
    tail = stride + (stride // 4 if version else 0)
    end = len(data) - max(tail, _LEAST_TAIL[version])
    if end < 1:
        raise Malformed("meshopt: the attribute data ends too early")
    last = np.frombuffer(data, np.uint8, stride, len(data) - tail)
    channels = data[len(data) - stride // 4 :] if version else bytes(stride // 4)
    reader, blocks, most = _Bytes(data[:end], 1), [], min(_BLOCK_BYTES // stride & ~15, _MOST_IN_BLOCK)
    for start in range(0, count, most):
        deltas = _block(reader, min(count - start, most), stride, version)
        values = _restored(deltas, last, channels)
        blocks.append(values)
        last = values[-1]
    if reader.place != end:
        raise Malformed(f"meshopt: {end - reader.place} bytes remain after the last element")
    return np.concatenate(blocks) if blocks else np.empty((0, stride), np.uint8)


class _Bytes:
    """A reader that returns bytes one part after another."""

    def __init__(self, data: bytes, place: int) -> None:
        self.data, self.place = np.frombuffer(data, np.uint8), place

    def take(self, count: int) -> np.ndarray:
        part = self.data[self.place : self.place + count]
        if len(part) < count:
            raise Malformed("meshopt: the attribute data ends too early")
        self.place += count
        return part


def _block(reader: _Bytes, count: int, stride: int, version: int) -> np.ndarray:
    """Read the coded differences (count, stride) of a block."""
    groups = -(-count // _GROUP)
    controls = np.full(stride, -1)
    if version:
        controls = _fields(reader.take(stride // 4), 2).astype(np.int64)
    found = np.zeros((groups * _GROUP, stride), np.uint8)
    for byte, control in enumerate(controls.tolist()):
        if control == _ZEROS:
            continue
        if control == _LITERAL:
            found[:count, byte] = reader.take(count)
            continue
        headers = _fields(reader.take(-(-groups // 4)), 2)
        for group, header in enumerate(headers[:groups].tolist()):
            width = _WIDTHS[control][header]
            if width:
                found[group * _GROUP : (group + 1) * _GROUP, byte] = _group(reader, width)
    return found[:count]


def _group(reader: _Bytes, width: int) -> np.ndarray:
    """Read sixteen numbers of ``width`` bits each. A number with all bits set is stored after them as a byte."""
    packed = reader.take(2 * width)
    if width == 8:
        return packed
    values = _fields(packed, width)
    if width > 1:  # fields of more than one bit begin at the highest bit
        values = values.reshape(-1, 8 // width)[:, ::-1].ravel()
    large = np.flatnonzero(values == (1 << width) - 1)
    values[large] = reader.take(len(large))
    return values


def _fields(packed: np.ndarray, width: int) -> np.ndarray:
    """Split bytes into fields of ``width`` bits, from the lowest bits of each byte."""
    shifts = np.arange(0, 8, width, dtype=np.uint8)
    fields: np.ndarray = ((packed[:, None] >> shifts) & ((1 << width) - 1)).astype(np.uint8).ravel()
    return fields


def _restored(deltas: np.ndarray, last: np.ndarray, channels: bytes) -> np.ndarray:
    """Restore elements (n, stride) from differences; the first row is the difference from ``last``."""
    found = np.empty_like(deltas)
    for channel, mode in enumerate(channels):
        place = slice(4 * channel, 4 * channel + 4)
        kind = {0: "<u1", 1: "<u2", 2: "<u4"}.get(mode if mode < 2 else mode & 15)
        if kind is None:
            raise Malformed(f"meshopt: channel mode {mode} is not supported")
        coded = np.ascontiguousarray(deltas[:, place]).view(kind)
        before = np.ascontiguousarray(last[place]).view(kind)
        if kind == "<u4":
            turn = mode >> 4
            turned = (coded >> np.uint32(turn)) | (coded << np.uint32((32 - turn) & 31))
            values = np.bitwise_xor.accumulate(turned, axis=0) ^ before
        else:
            one = np.array(1, kind)
            signed = (coded >> one) ^ (np.array(0, kind) - (coded & one))
            values = before + np.cumsum(signed, axis=0, dtype=kind)
        found[:, place] = values.astype(kind).view(np.uint8)
    return found


def _filtered(values: np.ndarray, rule: Any) -> Unpacked:
    """Apply the filter to decompressed elements."""
    if rule == "NONE":
        return Unpacked(memoryview(values.tobytes()))
    if rule == "EXPONENTIAL":
        coded = np.ascontiguousarray(values).view("<i4")
        exponents, mantissas = coded >> 24, (coded << 8) >> 8
        with np.errstate(over="ignore"):
            numbers = np.ldexp(mantissas.astype(np.float64), exponents).astype("<f4")
        used = exponents[mantissas != 0]
        return Unpacked(memoryview(numbers.tobytes()), float(np.ldexp(1.0, used.max())) if used.size else 0.0)
    if rule == "QUATERNION" and values.shape[1] == 8:
        return Unpacked(memoryview(_quaternions(np.ascontiguousarray(values).view("<i2")).tobytes()))
    raise Malformed(f"meshopt: the filter {rule!r:.20} does not apply to positions, indices or instances")


def _quaternions(coded: np.ndarray) -> np.ndarray:
    """Return quaternions (n, 4) int16 from three components and the index of the largest one."""
    one = (coded[:, 3] | 3).astype(np.float32)
    small = coded[:, :3].astype(np.float32) / one[:, None] * np.float32(np.sqrt(0.5))
    large = np.sqrt(np.maximum(np.float32(0.0), 1.0 - (small * small).sum(axis=1)))
    numbers = np.rint(32767.0 * np.column_stack([large, small])).astype("<i2")
    places = ((coded[:, 3] & 3)[:, None] + np.arange(4)) % 4
    found = np.empty_like(numbers)
    np.put_along_axis(found, places.astype(np.int64), numbers, axis=1)
    return found


def indices(data: bytes, count: int) -> np.ndarray:
    """Decompress indices (count,) of a strip or of lines; raises Malformed, or IndexError if the data end too early."""
    if not data or data[0] != 0xD1 or count > len(data):
        raise Malformed("meshopt: the version of the index data is not supported")
    place, last, found = 1, [0, 0], np.empty(count, np.uint32)
    for k in range(count):
        value, place = _varint(data, place)
        last[value & 1] = (last[value & 1] + _signed(value >> 1)) & 0xFFFFFFFF
        found[k] = last[value & 1]
    if place != len(data) - 4:
        raise Malformed("meshopt: the index data is longer than its indices")
    return found


def triangles(data: bytes, count: int) -> np.ndarray:
    """Decompress corners (count,) of triangles; raises Malformed, or IndexError if the data end too early."""
    if not data or data[0] != 0xE1 or count % 3 or count // 3 > len(data) - 17:
        raise Malformed("meshopt: the triangle data ends too early, or its version is not supported")
    coder = _Triangles(data, 1 + count // 3)
    found = np.array([coder.next(code) for code in data[1 : 1 + count // 3]], np.int64).reshape(-1)
    if coder.place != len(data) - 16:
        raise Malformed("meshopt: the triangle data is longer than its triangles")
    return found & 0xFFFFFFFF


class _Triangles:
    """State of the triangle decoder: recent edges and vertices, newest first, and counters."""

    def __init__(self, data: bytes, place: int) -> None:
        self.data, self.place, self.table = data, place, data[-16:]
        self.edges, self.vertices = [(0, 0)] * 16, [0] * 16
        self.following = self.last = 0

    def next(self, code: int) -> tuple[int, int, int]:
        """Return the triangle for a code."""
        high, low = code >> 4, code & 15
        if high < _FREE:
            return self._on_edge(high, low)
        extra = self.table[low]
        if low >= 14:
            extra = self.data[self.place]
            self.place += 1
            if extra == 0:
                self.following = 0
        a = self._read() if low == 15 else self._fresh()
        z, w = extra >> 4, extra & 15
        b, c = self._recent(z), self._recent(w)
        self._push_edges((b, a), (c, b), (a, c))
        self._push_vertices(a, *([b] if z in (0, _FREE) else []), *([c] if w in (0, _FREE) else []))
        return a, b, c

    def _on_edge(self, high: int, low: int) -> tuple[int, int, int]:
        a, b = self.edges[high]
        if low == 0:
            c = self._fresh()
        elif low < 13:
            c = self.vertices[low]
        elif low == _FREE:
            c = self._read()
        else:
            c = self.last = self.last + (-1 if low == 13 else 1)
        self._push_edges((c, b), (a, c))
        if low == 0 or low >= 13:
            self._push_vertices(c)
        return a, b, c

    def _recent(self, place: int) -> int:
        if place == 0:
            return self._fresh()
        return self._read() if place == _FREE else self.vertices[place - 1]

    def _fresh(self) -> int:
        self.following += 1
        return self.following - 1

    def _read(self) -> int:
        value, self.place = _varint(self.data, self.place)
        self.last = (self.last + _signed(value)) & 0xFFFFFFFF
        return self.last

    def _push_edges(self, *edges: tuple[int, int]) -> None:
        self.edges = [*reversed(edges), *self.edges][:16]

    def _push_vertices(self, *vertices: int) -> None:
        self.vertices = [*reversed(vertices), *self.vertices][:16]


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Read a number stored with seven bits per byte; return it and the position after it."""
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value & 0xFFFFFFFF, place
        if shift > 35:
            raise Malformed("meshopt: a number has too many bytes")


def _signed(value: int) -> int:
    return ~(value >> 1) if value & 1 else value >> 1
