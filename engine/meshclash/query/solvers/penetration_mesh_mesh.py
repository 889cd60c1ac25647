"""``penetration`` of two closed meshes: translations are tried, and those are kept after which nothing touches."""

from collections.abc import Generator
from functools import cached_property

import numpy as np

from ...errors import InvalidMesh
from ...geometry.directions import CUBE_DIRECTIONS
from ...geometry.hull_separation import Separation, hull_separation
from ...hierarchy.build import as_boxes
from ...hierarchy.bvh import Hierarchy
from ...solid.apart import common_ball, is_outside
from ...types.mesh import TriangleMesh
from ...types.pose import Pose
from ...types.results import Verdict
from ..collide import collide, collides
from ..distance import distance
from ..results import Distance, Penetration, no_start
from ..table import Asked
from ..verdict import verdict

_CONVEX = 1e-12  # of the size: how far a convex mesh may be dented
_CERTAIN = 1e-9  # of the coordinates: hulls that overlap, or are apart, by more need no exact decision
_MARGIN = 4e-15  # of the coordinates: first attempt to come apart after touching, some twenty roundings
_LEAST_MARGIN = 1e-300  # [m]: points at the origin have no size
_LENGTHS = 24  # translations tried along a direction
_MOST_NORMALS = 12  # directions taken from contacts
_ROUNDS = 4  # of turning the best direction
_TURNS = 10
_HALVINGS = 30
_LONGER = (1.0, 1.01, 1.03, 1.1, 1.3)  # factors by which a known length is tried to be lengthened
_FITTED = 1e-3  # of the length: how near to touching a known translation is fitted
_SHORTENINGS = 3
_PARTS = np.array([1e-3, 0.2])  # of the way from what a normal asks for to what is known
_STACKED = "depth", "direction", "lower_bound"
_MOST_CHECKS = 40  # of translations that are free of contact, but may be inside


def solve(asked: Asked) -> Generator[float, None, Penetration]:
    """The translation for each pose, from the answer before."""
    trees, start = (as_boxes(asked.things[0]), as_boxes(asked.things[1])), asked.options.start
    for name, tree in zip("ab", trees, strict=True):
        if not tree.mesh.is_closed:
            state = "a shell" if tree.mesh.shell else "not closed"
            raise InvalidMesh(
                f"penetration needs solids, but mesh {name} is {state}: {tree.mesh!r}; use distance or verdict"
            )
    if not isinstance(start, Penetration | None):
        raise no_start("penetration", start)
    found, last = [], None if start is None else start.last
    rows_a, rows_b = asked.every_row
    for k in range(len(rows_a)):
        yield k / len(rows_a)
        last = _of_one_pose(trees, Pose(rows_a[k]), Pose(rows_b[k]), last)
        found.append(last)
    if not asked.stacked:
        return found[0]
    depths, directions, lower = (np.array([getattr(f, name) for f in found]) for name in _STACKED)
    return Penetration(depths, directions, lower, found[-1].centres, found[-1].pairs)


def _of_one_pose(
    trees: tuple[Hierarchy, Hierarchy], pose_a: Pose, pose_b: Pose, start: Penetration | None
) -> Penetration:
    search = _Search(trees, pose_a, pose_b)
    quick = search.of_convex(start) if search.are_convex() else None if start is None else search.follow(start)
    if quick is not None:
        return quick
    found = verdict(*trees, search.pose_a, search.pose_b)
    if found in (Verdict.APART, Verdict.TOUCHING):
        return Penetration(0.0, np.zeros(3), 0.0)
    return search.answer(found.depth_lower or 0.0)


class _Search:
    """Two solids with common volume, and the translations of the second that were tried."""

    def __init__(self, trees: tuple[Hierarchy, Hierarchy], pose_a: Pose, pose_b: Pose) -> None:
        self.trees = trees
        self.pose_a, self.pose_b = pose_a, pose_b
        self._near: Distance | None = None

    @cached_property
    def points(self) -> list[np.ndarray]:
        """World points that the triangles of each solid use, (n, 3) [m]."""
        poses = (self.pose_a, self.pose_b)
        return [p.apply(_used_points(t.mesh)) for p, t in zip(poses, self.trees, strict=True)]

    @cached_property
    def size(self) -> float:
        """Largest absolute coordinate of both [m]."""
        return max(float(np.abs(p).max()) for p in self.points)

    def answer(self, ball: float) -> Penetration:
        """The translation; ``ball`` is the diameter [m] of a ball in the common volume."""
        hulls = hull_separation(*self.points)
        if self.are_convex():
            return self._out_of_hull(hulls)
        direction, length = self._shorten(hulls)
        length = self._apart(direction, length)
        contacts = collide(*self.trees, self.pose_a, self.pose_b)
        middle = contacts.segments().mean(axis=(0, 1)) if len(contacts) else self.points[0].mean(axis=0)
        radius, centre = self._ball([middle])
        return Penetration(length, direction, min(max(ball, 2.0 * radius), length), self._in_both_frames(centre))

    def are_convex(self) -> bool:
        """Whether both solids are certainly convex."""
        return all(is_convex(tree.mesh) for tree in self.trees)

    def of_convex(self, start: Penetration | None) -> Penetration | None:
        """The answer for convex solids; None where rounding leaves open whether they have volume in common."""
        known = None if start is None else start.pairs
        if known is not None and (known >= [len(points) for points in self.points]).any():
            known = None  # of other meshes
        hulls = hull_separation(self.points[0], self.points[1], known)
        if hulls.length < -_CERTAIN * self.size:
            return Penetration(0.0, np.zeros(3), 0.0, pairs=hulls.pairs)
        return self._out_of_hull(hulls) if hulls.lower > _CERTAIN * self.size else None

    def _out_of_hull(self, hulls: Separation) -> Penetration:
        length = self._apart(hulls.direction, hulls.length)
        return Penetration(length, hulls.direction, min(hulls.lower, length), pairs=hulls.pairs)

    def follow(self, start: Penetration) -> Penetration | None:
        """The answer from that for an earlier pose; None where that does not help."""
        if start.depth == 0.0 or start.centres is None:
            return None
        here = [pose.apply(c)[0] for pose, c in zip((self.pose_a, self.pose_b), start.centres, strict=True)]
        radius, centre = self._ball([0.5 * (here[0] + here[1]), *here])
        if radius == 0.0:
            return None
        found = self._fitted(start.direction, start.depth)
        if found is None:
            return None
        direction, length = self._turned(*found)
        if not self._is_outside(length * direction):
            return None
        return Penetration(length, direction, min(2.0 * radius, length), self._in_both_frames(centre))

    def _ball(self, places: list[np.ndarray]) -> tuple[float, np.ndarray]:
        """Radius and centre of a ball in the common volume, from the first place that is inside."""
        rows = self.pose_a.rows, self.pose_b.rows
        for place in places:
            radius, centre = common_ball(self.trees, rows, place)
            if radius > 0.0:
                break
        return radius, centre

    def _in_both_frames(self, point: np.ndarray) -> np.ndarray:
        """A world point in the frames of a and of b, (2, 3); up to what poses lack to be rigid."""
        return np.stack([(point - row[:, 3]) @ row[:, :3] for row in (self.pose_a.rows, self.pose_b.rows)])

    def _meets(self, translation: np.ndarray) -> bool:
        return bool(collides(*self.trees, self.pose_a, self.moved(translation[None])[0]))

    def _gap(self, translation: np.ndarray) -> Distance:
        """The distance after a translation, from the pair of triangles that were nearest before."""
        pose = self.moved(translation[None])[0]
        self._near = distance(*self.trees, self.pose_a, pose, start=self._near)
        return self._near

    def _fitted(self, direction: np.ndarray, length: float) -> tuple[np.ndarray, float, Distance] | None:
        """The length near another one from which on a translation is free, to a thousandth, and the gap there."""
        for factor in _LONGER:
            if not self._meets(factor * length * direction):
                length *= factor
                break
        else:
            return None
        gap = self._gap(length * direction)
        for _ in range(_SHORTENINGS):
            if gap.distance <= _FITTED * length or gap.distance >= length:
                break
            shorter = length - gap.distance * (1.0 - 1e-9)
            nearer = self._gap(shorter * direction)
            if nearer.distance == 0.0:
                break
            length, gap = shorter, nearer
        return direction, length, gap

    def _turned(self, direction: np.ndarray, length: float, gap: Distance) -> tuple[np.ndarray, float]:
        """A shorter translation towards the normal at the nearest points, if one is free."""
        normal = (gap.point_b - gap.point_a) / gap.distance
        enough = float(length * (direction @ normal)) - gap.distance  # as far as these two points are concerned
        if not 0.0 < enough < (1.0 - _FITTED) * length:
            return direction, length
        middle = direction + normal
        towards = np.array([normal, middle / np.linalg.norm(middle)])
        least = enough / (towards @ normal)
        lengths = least[:, None] + (length - least)[:, None] * _PARTS
        translations = (lengths[..., None] * towards[:, None]).reshape(-1, 3)
        free = ~np.asarray(collides(*self.trees, self.pose_a, self.moved(translations)))
        free &= lengths.ravel() < length
        if not free.any():
            return direction, length
        best = int(np.where(free, lengths.ravel(), np.inf).argmin())
        return towards[best // len(_PARTS)], float(lengths.ravel()[best])

    def moved(self, translations: np.ndarray) -> np.ndarray:
        """Poses (k, 4, 4) of b after translations (k, 3)."""
        poses = np.repeat(self.pose_b.matrix[None], len(translations), axis=0)
        poses[:, :3, 3] += translations
        return poses

    def is_apart(self, translation: np.ndarray) -> bool:
        """Whether the solids have nothing in common after a translation of b."""
        return not self._meets(translation) and self._is_outside(translation)

    def _is_outside(self, translation: np.ndarray) -> bool:
        """Whether solids that do not meet after a translation of b are apart, and not one inside the other."""
        pose = self.moved(translation[None])[0]
        return is_outside(self.trees, (self.pose_a.rows, np.ascontiguousarray(pose[:3])))

    def _apart(self, direction: np.ndarray, length: float) -> float:
        """The least length from the given one on, up to rounding, that leaves nothing touching."""
        margin = max(_MARGIN * (self.size + length), _LEAST_MARGIN)
        while not self.is_apart((length + margin) * direction):
            margin *= 4.0
        return length + margin

    def _shorten(self, hulls: Separation) -> tuple[np.ndarray, float]:
        """A direction and length not longer than what separates the hulls, free as far as was tried."""
        best = hulls.direction, hulls.length
        best = self._try(self._directions(hulls.direction), best)
        rng = np.random.default_rng(0)
        for k in range(_ROUNDS):
            turned = best[0] + 0.4 / 2**k * rng.normal(size=(_TURNS, 3))
            best = self._try(turned / np.linalg.norm(turned, axis=1)[:, None], best)
        return best

    def _directions(self, first: np.ndarray) -> np.ndarray:
        """Unit vectors (k, 3): of the hulls, of a cube's faces, edges and corners, and normals of the contacts."""
        contacts = collide(*self.trees, self.pose_a, self.pose_b)
        step = max(1, len(contacts) // _MOST_NORMALS)
        corners = np.concatenate([contacts.world_triangles(side, slice(None, None, step)) for side in range(2)])
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        every = np.concatenate([first[None], CUBE_DIRECTIONS, -CUBE_DIRECTIONS, normals, -normals])
        lengths = np.linalg.norm(every, axis=1)
        return every[lengths > 0.0] / lengths[lengths > 0.0][:, None]

    def _try(self, directions: np.ndarray, best: tuple[np.ndarray, float]) -> tuple[np.ndarray, float]:
        """The best of shorter translations along directions."""
        shares = np.arange(1, _LENGTHS) / _LENGTHS
        lengths = np.minimum(self._hull_lengths(directions), best[1])[:, None] * shares
        translations = (lengths[..., None] * directions[:, None]).reshape(-1, 3)
        free = ~np.asarray(collides(*self.trees, self.pose_a, self.moved(translations)))
        lengths = lengths.ravel()
        for k in np.flatnonzero(free)[np.argsort(lengths[free], kind="stable")][:_MOST_CHECKS]:
            if self.is_apart(translations[k]):
                direction = directions[k // len(shares)]
                return direction, self._halve(direction, lengths[k] - lengths[k] / (k % len(shares) + 1), lengths[k])
        return best

    def _hull_lengths(self, directions: np.ndarray) -> np.ndarray:
        """How far b must go along directions until its hull has left that of a."""
        return (self.points[0] @ directions.T).max(axis=0) - (self.points[1] @ directions.T).min(axis=0)

    def _halve(self, direction: np.ndarray, blocked: float, free: float) -> float:
        """The end of the free part between two lengths."""
        for _ in range(_HALVINGS):
            middle = 0.5 * (blocked + free)
            if collides(*self.trees, self.pose_a, self.moved(middle * direction[None])[0]):
                blocked = middle
            else:
                free = middle
        return free


def _used_points(mesh: TriangleMesh) -> np.ndarray:
    """The vertices that triangles use, (n, 3) float64 [m], kept with the mesh."""
    if "used points" not in mesh.derived:
        mesh.derived["used points"] = mesh.vertices[np.unique(mesh.triangles)]
    return mesh.derived["used points"]


def is_convex(mesh: TriangleMesh) -> bool:
    """Whether a closed mesh is certainly convex: one component, without dents at its edges or faces without area.

    A surface that goes round its middle twice, such as a pyramid over a pentagram, has no dents either.
    """
    if "convex" not in mesh.derived:
        mesh.derived["convex"] = _find_convex(mesh)
    return mesh.derived["convex"]


def _find_convex(mesh: TriangleMesh) -> bool:
    if mesh.topology.component_count != 1:
        return False
    points, triangles = mesh.vertices, mesh.topology.welded[mesh.triangles]
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    opposite = np.concatenate([triangles[:, 2], triangles[:, 0], triangles[:, 1]])
    faces = np.tile(np.arange(len(triangles)), 3)
    order = np.lexsort((edges.max(axis=1), edges.min(axis=1)))
    first, second = order[0::2], order[1::2]
    if not np.array_equal(np.sort(edges[first], axis=1), np.sort(edges[second], axis=1)):
        return False
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    if not lengths.all():
        return False
    normals /= lengths[:, None]
    heights = ((points[opposite[second]] - points[edges[first, 0]]) * normals[faces[first]]).sum(axis=1)
    rounding = _CONVEX * float(np.ptp(mesh.bounds, axis=0).max())
    dentless = bool((heights <= rounding).all() or (heights >= -rounding).all())
    return dentless and _goes_round_once(corners)


def _goes_round_once(corners: np.ndarray) -> bool:
    """Whether the middle of a closed surface (n, 3, 3) sees all of it from one side, and everywhere once.

    The signed solid angles of the triangles have one sign then and add up to 4 pi (van Oosterom, Strackee 1983).
    """
    p, q, r = np.moveaxis(corners - corners.mean(axis=(0, 1)), 1, 0)
    volumes = (p * np.cross(q, r)).sum(axis=1)
    if not ((volumes > 0.0).all() or (volumes < 0.0).all()):
        return False
    lengths = [np.linalg.norm(side, axis=1) for side in (p, q, r)]
    rest = lengths[0] * lengths[1] * lengths[2]
    for k, (u, v) in enumerate(((q, r), (r, p), (p, q))):
        rest += (u * v).sum(axis=1) * lengths[k]
    return float(2.0 * np.arctan2(np.abs(volumes), rest).sum()) < 6.0 * np.pi
