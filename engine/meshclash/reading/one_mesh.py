"""Make the part of a file with a single polygon mesh, such as OFF and PLY."""

from collections import Counter

import numpy as np

from ..errors import InvalidFile, InvalidMesh
from .part import PartShape
from .polygons import triangulated
from .raw_parts import RawPart, RawParts


def one_mesh(file: str, points: np.ndarray, counts: np.ndarray, corners: np.ndarray) -> RawParts:
    """Return a file's polygon mesh as raw parts, cut into triangles.

    Args:
        file: name of the file, for messages.
        points: (n, 3) float64.
        counts: (f,) corners of each face.
        corners: vertex indices of the corners, one face after another.

    Raises:
        InvalidFile: a face refers to a missing vertex, or cannot be cut into triangles.
    """
    wrong = np.flatnonzero((corners < 0) | (corners >= len(points)))
    if len(wrong):
        raise InvalidFile(
            f"{file}: a face refers to vertex {corners[wrong[0]]}, but there are only {len(points)} vertices"
        )
    try:
        triangles = triangulated(points, counts, corners)
    except InvalidMesh as error:
        raise InvalidFile(f"{file}: {error}") from None
    if not len(triangles):
        return RawParts(found=1, no_geometry=Counter({"mesh without faces": 1}))
    return RawParts({"": PartShape(points, triangles)}, [RawPart("", "", np.eye(4))], found=1)
