"""Fingerprints of objects, a few bytes each, that tell later whether an object has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Generator, Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from .frame_scene import FrameScene, Progress, SourceCloud, SourceMesh, SourceObject

CHUNK = 1 << 23  # bytes of a mesh in one step: a few milliseconds of SHA-256
READING = Progress(1.0, "Reading objects")


@dataclass(frozen=True)
class Fingerprint:
    """The state of an object of the scene: its own shape and position, and those of its instances.

    Attributes:
        places: digest of the matrices.
        shapes: hash of the meshes and points, and of which of them are shells.
        plain: whether the entry is a single object with its own mesh, without instances.
    """

    places: bytes
    shapes: bytes
    plain: bool


@dataclass(frozen=True)
class Seen:
    """The objects and settings on which a result depends.

    Attributes:
        set_a, set_b: the sets of the test, as in `DetectOptions`.
        objects: the fingerprint of each object of the scene that took part, by its full name.
    """

    set_a: str
    set_b: str
    objects: Mapping[str, Fingerprint]


def fingerprint_steps(
    frame: FrameScene, names: Collection[str] | None = None
) -> Generator[Progress, None, dict[str, Fingerprint]]:
    """Compute the fingerprints of the objects of a frame, in slices.

    Args:
        frame: the frame, with all meshes and points that its objects name.
        names: full names of objects of the scene; None for all tested objects. One that did not is left out.
    """
    parts: dict[str, list[SourceObject]] = {}
    for item in (*frame.objects, *frame.scans):
        for name in {item.owner, item.source}:
            if names is None or name in names:
                parts.setdefault(name, []).append(item)
    shapes: dict[Hashable, bytes] = {}
    for key in {item.mesh_key for items in parts.values() for item in items}:
        shape = frame.meshes[key] if key in frame.meshes else frame.clouds[key]
        shapes[key] = yield from shape_steps(shape)
    return {name: _fingerprint(name, items, shapes) for name, items in parts.items()}


def shape_steps(shape: SourceMesh | SourceCloud) -> Generator[Progress, None, bytes]:
    """Compute the digest of a mesh or of points, in slices."""
    if isinstance(shape, SourceMesh):
        arrays: tuple[np.ndarray | None, ...] = (shape.vertices, shape.triangles, shape.face_of_triangle)
    else:
        arrays = (shape.points, shape.normals, np.array([shape.radius]))
    digest = hashlib.sha256()
    if isinstance(shape, SourceMesh) and shape.file is not None:
        digest.update(shape.file.header)
    for array in arrays:
        digest.update(b"-" if array is None else repr((array.shape, array.dtype.str)).encode())
        raw = b"" if array is None else np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        for begin in range(0, len(raw), CHUNK):
            digest.update(raw[begin : begin + CHUNK])
            yield READING
    return digest.digest()


def plain_places(matrix: np.ndarray) -> bytes:
    """Return `Fingerprint.places` for an object that is not an instance, from its world matrix (4, 4)."""
    return _joined([np.ascontiguousarray(matrix, np.float64).tobytes()])


def plain_shapes(shape: bytes, shell: bool) -> bytes:
    """Return `Fingerprint.shapes` for such an object, from its digest and whether it is a shell."""
    return _joined([shape, bytes([shell])])


def _fingerprint(name: str, items: list[SourceObject], shapes: Mapping[Hashable, bytes]) -> Fingerprint:
    items = sorted(items, key=lambda item: item.identity)
    plain = len(items) == 1 and items[0].name == items[0].owner == items[0].source == name
    places = _joined(np.ascontiguousarray(item.matrix, np.float64).tobytes() for item in items)
    told = (part for item in items for part in (shapes[item.mesh_key], bytes([item.shell])))
    return Fingerprint(places, _joined(told), plain)


def _joined(parts: Iterable[bytes]) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()
