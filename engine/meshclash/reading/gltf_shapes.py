"""Read meshes of glTF as triangles and points: strips and fans, morph targets, skins."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from .gltf_accessors import Accessors
from .gltf_document import Document, Malformed, extensions_of, names_of, numbers, objects
from .gltf_draco import DRACO, Decoded, decoded
from .part import PartShape

POINTS, LINES, TRIANGLES = "points", "lines", "triangles"
KINDS = {0: POINTS, 1: LINES, 2: LINES, 3: LINES, 4: TRIANGLES, 5: TRIANGLES, 6: TRIANGLES}
"""Kind of geometry for each mode of a primitive."""
_LISTS, _STRIPS = 4, 5
_GEOMETRY = ("attributes", "indices", "mode", "targets", "extensions")
"""Members of a primitive that describe its geometry, not its appearance."""


@dataclass(frozen=True, eq=False)
class _Piece:
    """One primitive: its vertices, which other primitives may share, its skin, and its triangles or points."""

    source: tuple[int, ...]
    vertices: np.ndarray
    bound: tuple[np.ndarray, np.ndarray] | None
    triangles: np.ndarray
    resolution: float | None


class Shapes:
    """Reads the meshes of a document."""

    def __init__(self, document: Document) -> None:
        self._document, self.accessors = document, Accessors(document)

    def kinds(self, mesh_index: Any) -> list[str]:
        """Return the kinds of geometry in a mesh, each once: triangles, points, lines.

        Raises:
            Malformed: the mesh does not exist, or a primitive has an unknown mode.
        """
        found = [self._kind(primitive) for primitive in self._primitives(mesh_index)]
        return [kind for kind in (TRIANGLES, POINTS, LINES) if kind in found]

    def signature(self, mesh_index: Any, kind: str) -> str:
        """Return a text that is equal for meshes with the same data of a kind; raises Malformed."""
        own = [primitive for primitive in self._primitives(mesh_index) if self._kind(primitive) == kind]
        return json.dumps([{key: primitive.get(key) for key in _GEOMETRY} for primitive in own], sort_keys=True)

    def shape(self, mesh_index: Any, kind: str, weights: tuple[float, ...], joints: np.ndarray | None) -> PartShape:
        """Return the triangles or the points of a mesh, without unused vertices.

        Args:
            mesh_index: index of the mesh.
            kind: TRIANGLES or POINTS.
            weights: weights of its morph targets.
            joints: matrices (k, 4, 4) from the mesh to the world for each joint of its skin; None without a
                skin.

        Raises:
            Malformed: the mesh is damaged, or a part of it is not in the file.
        """
        pieces = [
            self._piece(primitive, kind, weights, joints is not None)
            for primitive in self._primitives(mesh_index)
            if self._kind(primitive) == kind
        ]
        starts: dict[tuple[int, ...], int] = {}
        vertices, faces, bounds, total = list[np.ndarray](), list[np.ndarray](), [], 0
        for piece in pieces:
            if piece.source not in starts:
                starts[piece.source] = total
                vertices.append(piece.vertices)
                bounds.append(piece.bound)
                total += len(piece.vertices)
            faces.append(piece.triangles + starts[piece.source])
        known = [piece.resolution for piece in pieces if piece.resolution is not None]
        points, rows = np.concatenate(vertices), np.concatenate(faces)
        resolution = max(known, default=None)
        if joints is not None:
            points, stretch = _skinned(points, bounds, joints)
            resolution = None if resolution is None else stretch * resolution
        points, rows = _used(points, rows)
        _refuse_infinite(points)
        return PartShape(points, rows.astype(np.int32) if kind == TRIANGLES else None, None, resolution)

    def weights(self, node: dict[str, Any]) -> tuple[float, ...]:
        """Return the weights of the morph targets of a node's mesh; raises Malformed."""
        mesh = self._document.object_of("meshes", node.get("mesh"))
        owner = node if "weights" in node else mesh
        given = owner.get("weights", [])
        return numbers({"weights": given}, "weights", len(given) if isinstance(given, list) else -1, ())

    def _primitives(self, mesh_index: Any) -> list[dict[str, Any]]:
        return objects(self._document.object_of("meshes", mesh_index), "primitives")

    def _kind(self, primitive: dict[str, Any]) -> str:
        mode = primitive.get("mode", 4)
        if type(mode) is not int or mode not in KINDS:
            raise Malformed(f"a primitive has the unsupported mode {mode!r:.20}")
        return KINDS[mode]

    def _piece(self, primitive: dict[str, Any], kind: str, weights: tuple[float, ...], is_skinned: bool) -> _Piece:
        attributes = names_of(primitive, "attributes")
        if "POSITION" not in attributes:
            raise Malformed("a primitive has no positions: its attributes must contain POSITION")
        packed = self._decoded(primitive, attributes)
        index = attributes["POSITION"]
        vertices = self.accessors.floats(index, "VEC3", None if packed is None else packed.attributes.get("POSITION"))
        resolution = self.accessors.resolution(index)
        if packed is not None:
            resolution = packed.resolution if resolution is None else max(resolution, packed.resolution or 0.0)
        source: tuple[int, ...] = (index, -1 if packed is None else id(packed))
        targets = objects(primitive, "targets")
        if any(weights):
            vertices, resolution = self._morphed(vertices, resolution, targets, weights)
            source += tuple(target.get("POSITION", -1) for target in targets)
        bound = None
        if is_skinned:
            bound = self._bound(attributes, packed, len(vertices))
            source += tuple(attributes[name] for name in sorted(attributes) if name.startswith(("JOINTS", "WEIGHTS")))
        corners = self._corners(primitive, len(vertices), packed, kind)
        return _Piece(source, vertices, bound, corners, resolution)

    def _decoded(self, primitive: dict[str, Any], attributes: dict[str, int]) -> Decoded | None:
        """Decompress a primitive with Draco; None if the file also contains its uncompressed data."""
        if DRACO not in extensions_of(primitive):
            return None
        wanted = [*attributes.values(), *([primitive["indices"]] if "indices" in primitive else [])]
        if all(self.accessors.is_stored(index) for index in wanted):
            return None
        return decoded(self._document, primitive)

    def _corners(self, primitive: dict[str, Any], count: int, packed: Decoded | None, kind: str) -> np.ndarray:
        """Return the corners of triangles (m, 3), or of points (m, 1)."""
        if packed is not None:
            triangles = packed.triangles
        elif "indices" in primitive:
            triangles = self.accessors.indices(primitive["indices"])
        else:
            triangles = np.arange(count, dtype=np.int64)
        if triangles.size and not 0 <= triangles.max() < count:
            raise Malformed(f"a primitive refers to vertex {triangles.max()}, but has only {count} vertices")
        if kind == POINTS:
            return triangles.reshape(-1, 1)
        return triangles if packed is not None else _triangles(triangles, primitive.get("mode", _LISTS))

    def _morphed(
        self, vertices: np.ndarray, resolution: float | None, targets: list[dict[str, Any]], weights: tuple[float, ...]
    ) -> tuple[np.ndarray, float | None]:
        """Move vertices by morph targets; return them and their resolution."""
        if len(targets) != len(weights):
            raise Malformed(f"there are {len(weights)} weights for {len(targets)} morph targets")
        for target, weight in zip(targets, weights, strict=True):
            if weight == 0.0 or "POSITION" not in target:
                continue
            moves = self.accessors.floats(target["POSITION"], "VEC3")
            if len(moves) != len(vertices):
                raise Malformed(f"a morph target has {len(moves)} vertices, but the mesh has {len(vertices)}")
            vertices = vertices + weight * moves
            finer = self.accessors.resolution(target["POSITION"])
            if finer is not None:
                resolution = (resolution or 0.0) + abs(weight) * finer
        return vertices, resolution

    def _bound(self, attributes: dict[str, int], packed: Decoded | None, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the joints of each vertex (n, 4 s) and their weights (n, 4 s), which add up to 1."""
        sets = sorted(name.removeprefix("JOINTS_") for name in attributes if name.startswith("JOINTS_"))
        if not sets:
            raise Malformed(
                "a primitive of a skinned mesh has no joints: its attributes must contain JOINTS_0 and WEIGHTS_0"
            )
        held = {} if packed is None else packed.attributes
        joints, shares = [], []
        for number in sets:
            names = f"JOINTS_{number}", f"WEIGHTS_{number}"
            if names[1] not in attributes:
                raise Malformed(f"a primitive has {names[0]}, but no {names[1]}")
            joints.append(self.accessors.joints(attributes[names[0]], held.get(names[0])))
            shares.append(self.accessors.floats(attributes[names[1]], "VEC4", held.get(names[1])))
        all_joints, all_shares = np.concatenate(joints, axis=1), np.concatenate(shares, axis=1)
        if len(all_joints) != count or len(all_shares) != count:
            raise Malformed(f"only {len(all_joints)} of {count} vertices have joints")
        sums = all_shares.sum(axis=1, keepdims=True)
        if not (np.isfinite(all_shares).all() and (sums > 0.0).all()):
            raise Malformed(f"vertex {int((~(sums[:, 0] > 0.0)).argmax())} is not bound to a joint")
        return all_joints, all_shares / sums


def _triangles(corners: np.ndarray, mode: int) -> np.ndarray:
    """Return the triangles (m, 3) of a list, a strip or a fan.

    Triangles of strips and fans that use a vertex twice are dropped.
    """
    if mode == _LISTS:
        if len(corners) % 3:
            raise Malformed(f"{len(corners)} vertex indices do not form a list of triangles")
        return corners.reshape(-1, 3)
    count = max(len(corners) - 2, 0)
    first = np.arange(count)
    if mode == _STRIPS:
        odd = first % 2
        rows = np.column_stack([corners[first], corners[first + 1 + odd], corners[first + 2 - odd]])
    else:
        rows = np.column_stack([corners[first + 1], corners[first + 2], np.full(count, corners[:1].sum())])
    a, b, c = rows.T
    return rows[(a != b) & (b != c) & (c != a)]


def _skinned(
    points: np.ndarray, bounds: list[tuple[np.ndarray, np.ndarray] | None], joints: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return points moved to the world by their joints, and the largest factor by which the joints stretch."""
    found, start = np.empty_like(points), 0
    for bound in bounds:
        assert bound is not None  # every piece of a skinned mesh has one
        names, shares = bound
        if names.size and names[shares > 0.0].max() >= len(joints):
            raise Malformed(
                f"a vertex refers to joint {names[shares > 0.0].max()}, but there are only {len(joints)} joints"
            )
        own = points[start : start + len(names)]
        moved = np.zeros_like(own)
        for k in range(names.shape[1]):
            matrices = joints[np.where(shares[:, k] > 0.0, names[:, k], 0)]
            moved += shares[:, k, None] * (np.einsum("nij,nj->ni", matrices[:, :3, :3], own) + matrices[:, :3, 3])
        found[start : start + len(names)] = moved
        start += len(names)
    return found, float(np.linalg.norm(joints[:, :3, :3], 2, axis=(1, 2)).max(initial=0.0))


def _used(points: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points that rows use, in their order, and the rows with new indices."""
    used = np.zeros(len(points), bool)
    used[rows.ravel()] = True
    if used.all():
        return points, rows
    return points[used], (np.cumsum(used) - 1)[rows]


def _refuse_infinite(points: np.ndarray) -> None:
    usable = np.isfinite(points).all(axis=1)
    if not usable.all():
        place = int(np.argmin(usable))
        raise Malformed(f"vertex {place} is {points[place].tolist()}: coordinates must be finite")
