"""Read accessors of glTF as arrays: component types, normalised integers, strides, sparse values."""

import math
from typing import Any

import numpy as np

from .gltf_document import Document, Malformed, extensions_of, whole
from .gltf_meshopt import MESHOPT, Unpacked, unpacked

COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
INDICES = (5121, 5123, 5125)
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
LARGEST_EXPANSION, ALWAYS_POSSIBLE = 32, 1 << 30
"""Limit of decoded bytes: this factor times the stored bytes, plus a constant.

A stored byte can become eight, and several accessors may share data.
"""
OFF_GRID = math.sqrt(3.0) / 2.0
"""Largest distance between a point and its rounded position on a 3D grid, in grid steps."""


class Accessors:
    """The accessors of a file as arrays, each decoded once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._floats: dict[int, np.ndarray] = {}
        self._unpacked: dict[int, Unpacked] = {}
        self._decoded_bytes = 0

    def count(self, index: Any) -> int:
        """Return the number of elements of an accessor; raises Malformed."""
        return whole(self._document.object_of("accessors", index), "count")

    def is_stored(self, index: Any) -> bool:
        """Return whether an accessor has uncompressed data of its own, in a buffer view; raises Malformed."""
        return "bufferView" in self._document.object_of("accessors", index)

    def floats(self, index: Any, kind: str, decoded: np.ndarray | None = None) -> np.ndarray:
        """Return elements as numbers (count, width) float64; normalised integers become numbers from -1 to 1.

        Args:
            index: index of the accessor.
            kind: the required type, such as "VEC3".
            decoded: data from a compressed primitive that replace the data of the accessor.

        Raises:
            Malformed: the accessor does not exist, has another type, or its data are not in the file.
        """
        accessor = self._checked(index, kind)
        if decoded is None and index in self._floats:
            return self._floats[index]
        values = self._raw(accessor, index, decoded).astype(np.float64)
        self._decoded_bytes += values.nbytes
        if self._decoded_bytes > LARGEST_EXPANSION * self._document.stored_bytes + ALWAYS_POSSIBLE:
            raise Malformed(f"accessor {index} and earlier ones use the same data too often")
        if accessor.get("normalized") is True and accessor["componentType"] != 5126:
            largest = np.iinfo(COMPONENTS[accessor["componentType"]]).max
            values = np.maximum(values / largest, -1.0)
        if decoded is None:
            self._floats[index] = values
        return values

    def indices(self, index: Any) -> np.ndarray:
        """Return indices of vertices (count,) int64; raises Malformed."""
        accessor = self._checked(index, "SCALAR")
        if accessor["componentType"] not in INDICES:
            raise Malformed(
                f"accessor {index} cannot contain indices: its component type is {accessor['componentType']}"
            )
        return self._raw(accessor, index).astype(np.int64).ravel()

    def joints(self, index: Any, decoded: np.ndarray | None = None) -> np.ndarray:
        """Return the four joints of each vertex (count, 4) int64; raises Malformed."""
        accessor = self._checked(index, "VEC4")
        if accessor["componentType"] not in (5121, 5123):
            raise Malformed(
                f"accessor {index} cannot contain joints: its component type is {accessor['componentType']}"
            )
        return self._raw(accessor, index, decoded).astype(np.int64)

    def resolution(self, index: Any) -> float | None:
        """Return how far quantization may have moved a position; None for positions in single precision.

        Raises:
            Malformed: the accessor does not exist.
        """
        accessor = self._checked(index, "VEC3")
        kind = accessor["componentType"]
        if kind == 5126:
            return self._step_of_filter(accessor)
        step = 1.0 / float(np.iinfo(COMPONENTS[kind]).max) if accessor.get("normalized") is True else 1.0
        return step * OFF_GRID

    def _step_of_filter(self, accessor: dict[str, Any]) -> float | None:
        """Return how far a compression filter may have moved floating-point positions; None if no filter was used."""
        view_index = accessor.get("bufferView")
        view = {} if view_index is None else self._document.object_of("bufferViews", view_index)
        if not any(name in extensions_of(view) for name in MESHOPT):
            return None
        step = self._unpacked_view(view_index, view).step
        return None if step is None else step * OFF_GRID

    def _checked(self, index: Any, kind: str) -> dict[str, Any]:
        accessor = self._document.object_of("accessors", index)
        if accessor.get("type") != kind:
            raise Malformed(f"accessor {index} must have type {kind}, not {accessor.get('type')!r:.20}")
        component = accessor.get("componentType")
        if type(component) is not int or component not in COMPONENTS:
            raise Malformed(f"accessor {index} has the unknown component type {component!r:.20}")
        return accessor

    def _raw(self, accessor: dict[str, Any], index: Any, decoded: np.ndarray | None = None) -> np.ndarray:
        """Return elements (count, width) in their stored type."""
        count, width = whole(accessor, "count"), WIDTHS[accessor["type"]]
        kind = np.dtype(COMPONENTS[accessor["componentType"]])
        if decoded is not None:
            if decoded.shape[1] != width:
                raise Malformed(
                    f"accessor {index} has {width} numbers per element, but its compressed data has {decoded.shape[1]}"
                )
            base = decoded.astype(kind)
        elif "bufferView" in accessor:
            base = self._strided(accessor["bufferView"], whole(accessor, "byteOffset", 0), count, width, kind)
        elif "sparse" in accessor and count <= self._document.stored_bytes:
            base = np.zeros((count, width), kind)
        else:
            raise Malformed(f"accessor {index} has no data")
        if "sparse" in accessor:
            base = self._with_sparse(accessor["sparse"], base, index)
        return base

    def _strided(self, view_index: Any, offset: int, count: int, width: int, kind: np.dtype[Any]) -> np.ndarray:
        data, view = self._bytes_of(view_index)
        size = width * kind.itemsize
        stride = whole(view, "byteStride", size)
        if stride < size:
            raise Malformed(f"elements of buffer view {view_index} are {stride} bytes apart, but each has {size} bytes")
        if count and offset + (count - 1) * stride + size > len(data):
            raise Malformed(
                f"{count} elements need {offset + (count - 1) * stride + size} bytes, "
                f"but buffer view {view_index} has {len(data)}"
            )
        if not count:
            return np.empty((0, width), kind)
        return np.ndarray((count, width), kind, data, offset, (stride, kind.itemsize))

    def _with_sparse(self, sparse: Any, base: np.ndarray, index: Any) -> np.ndarray:
        """Return the elements with some of them replaced by sparse values."""
        places, values = (sparse.get(key) if isinstance(sparse, dict) else None for key in ("indices", "values"))
        if not isinstance(places, dict) or not isinstance(values, dict):
            raise Malformed(f"the sparse values of accessor {index} are damaged")
        count = whole(sparse, "count")
        if type(places.get("componentType")) is not int or places["componentType"] not in INDICES:
            raise Malformed(f"the sparse indices of accessor {index} have an unsupported type")
        kind = np.dtype(COMPONENTS[places["componentType"]])
        at = self._strided(places.get("bufferView"), whole(places, "byteOffset", 0), count, 1, kind).astype(np.int64)
        if count and at.max() >= len(base):
            raise Malformed(
                f"a sparse value of accessor {index} replaces element {at.max()}, but there are only {len(base)}"
            )
        found = base.copy()
        found[at.ravel()] = self._strided(
            values.get("bufferView"), whole(values, "byteOffset", 0), count, base.shape[1], base.dtype
        )
        return found

    def _bytes_of(self, view_index: Any) -> tuple[memoryview, dict[str, Any]]:
        """Return the bytes of a buffer view, decompressed, and the view."""
        view = self._document.object_of("bufferViews", view_index)
        if not any(name in extensions_of(view) for name in MESHOPT):
            return self._document.view(view_index)
        return self._unpacked_view(view_index, view).data, view

    def _unpacked_view(self, view_index: Any, view: dict[str, Any]) -> Unpacked:
        """Decompress a buffer view that meshoptimizer has compressed."""
        if view_index not in self._unpacked:
            extension = next(extensions_of(view)[name] for name in MESHOPT if name in extensions_of(view))
            if not isinstance(extension, dict):
                raise Malformed(f"the compression of buffer view {view_index} must be an object")
            data = bytes(self._document.part(extension, f"the compressed buffer view {view_index}"))
            self._unpacked[view_index] = unpacked(data, extension)
        return self._unpacked[view_index]
