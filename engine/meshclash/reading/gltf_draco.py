"""Decode meshes of glTF that are compressed by Draco, with DracoPy."""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from .gltf_accessors import OFF_GRID
from .gltf_document import Document, Malformed, extensions_of, names_of

DRACO = "KHR_draco_mesh_compression"
_GRID_BYTES, _MOST_BITS = 17, 30
_BLUR = 0.4
"""Largest rounding error of single precision, in grid steps, with which a grid can be recognised."""


@dataclass(frozen=True, eq=False)
class Decoded:
    """A decompressed primitive.

    Attributes:
        triangles: (m, 3) int64.
        attributes: (n, width) by their names in glTF, such as "POSITION".
        resolution: maximum change of a position by compression; None if only single precision limits it.
    """

    triangles: np.ndarray
    attributes: dict[str, np.ndarray]
    resolution: float | None


def decoded(document: Document, primitive: dict[str, Any]) -> Decoded:
    """Decompress a primitive.

    Raises:
        Malformed: the primitive is damaged, or DracoPy is missing.
    """
    try:
        import DracoPy
    except ImportError as error:
        raise Malformed(
            f"the mesh is compressed by Draco, but DracoPy cannot be imported ({error}): pip install 'meshclash[mesh]'"
        ) from None
    extension = extensions_of(primitive)[DRACO]
    if not isinstance(extension, dict):
        raise Malformed(f"the extension {DRACO} must be an object")
    data = bytes(document.view(extension.get("bufferView"))[0])
    try:
        mesh = DracoPy.decode(data)
        triangles = np.asarray(mesh.faces).reshape(-1, 3).astype(np.int64)
        stored = {item["unique_id"]: np.asarray(item["data"]) for item in mesh.attributes}
    except Exception as error:  # damaged data raise any kind of error
        raise Malformed(f"Draco cannot decode it: {str(error) or type(error).__name__:.120}") from None
    attributes = {}
    for name, key in names_of(extension, "attributes").items():
        if key not in stored:
            raise Malformed(f"the Draco data has no attribute {key} ({name})")
        attributes[name] = stored[key].reshape(len(stored[key]), -1)
    if "POSITION" not in attributes:
        raise Malformed("the Draco data has no positions")
    return Decoded(triangles, attributes, _resolution(data, attributes["POSITION"]))


def _resolution(data: bytes, points: np.ndarray) -> float | None:
    """Return how far rounding to Draco's grid may have moved a point; None if points were not rounded.

    Draco stores the grid of an attribute after the coded values: its corner (3 float32), its size (float32), and the
    bits of a coordinate (1 byte). Only a decoder knows the position of the grid, and DracoPy does not report it. So
    every position in the data is tested until a grid is found that contains all points.
    """
    raw = np.frombuffer(data, np.uint8)
    if len(raw) < _GRID_BYTES or not len(points):
        return None
    windows = np.lib.stride_tricks.sliding_window_view(raw, _GRID_BYTES)
    sizes, bits = np.ascontiguousarray(windows[:, 12:16]).view("<f4")[:, 0], windows[:, 16]
    low, extent = points.min(axis=0).astype(np.float64), float(np.ptp(points.astype(np.float64), axis=0).max())
    with np.errstate(invalid="ignore"):
        likely = (bits >= 1) & (bits <= _MOST_BITS) & (sizes >= 0.999 * extent) & np.isfinite(sizes)
    for place in np.flatnonzero(likely).tolist():
        corner = np.array(struct.unpack_from("<3f", data, place))
        step = float(sizes[place]) / (2.0 ** int(bits[place]) - 1.0)
        if step <= extent and (corner <= low + step / 2.0).all() and _on_grid(points, corner, step):
            return step * OFF_GRID
    return None


def _on_grid(points: np.ndarray, corner: np.ndarray, step: float) -> bool:
    """Return whether all points lie on a grid, up to rounding errors of single precision."""
    blur = 3.0 * float(np.spacing(np.float32(max(np.abs(points).max(), np.abs(corner).max())))) / step
    is_corner = (corner == points.min(axis=0)).all()  # encoders choose this corner, so this is hardly a coincidence
    if not blur < (_BLUR if is_corner else _BLUR / 8.0):
        return False
    places = (points.astype(np.float64) - corner) / step
    return bool((np.abs(places - np.rint(places)) <= blur).all())
