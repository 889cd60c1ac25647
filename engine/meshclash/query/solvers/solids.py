"""Compute the penetration of closed meshes: the shortest translation that separates two meshes."""

from collections.abc import Generator
from functools import cached_property
from typing import Any

import numpy as np

from ...convex.convexity import convex_points, is_convex, used_points
from ...convex.expanding_polytope import APART, OPEN
from ...convex.hull_separation import Separation, hull_separation, part_each, part_steps
from ...errors import InvalidMesh
from ...geometry.directions import CUBE_DIRECTIONS
from ...hierarchy.build import as_boxes
from ...hierarchy.bvh import Hierarchy
from ...solid.boundary_mesh import find_boundary_mesh
from ...solid.moving_pair import common_ball, is_outside
from ...types.pose import Pose, pose_of
from ...types.steps import UNANSWERED, Unanswered, map_progress
from ...types.verdict import Verdict
from ..collide import collide, collides
from ..distance import distance
from ..results import Distance, Penetration, no_penetration, no_start, stacked_penetrations
from ..shortcuts.prepared_penetration import known_pairs
from ..table import Request
from ..verdict import verdict

_MARGIN = 4e-15  # relative to the coordinates: first gap to try after touching, about twenty rounding errors
_LEAST_MARGIN = 1e-300  # [m]: if all points are at the origin
_LENGTHS = 24  # translations tried along a direction
_MOST_NORMALS = 12  # directions taken from contacts
_ROUNDS = 4  # in which the best direction is turned
_TURNS = 10
_HALVINGS = 30
_LONGER = (1.0, 1.01, 1.03, 1.1, 1.3)  # factors to try for a known length that is too short now
_FITTED = 1e-3  # relative to the length: accuracy with which a known translation is fitted
_SHORTENINGS = 3
_PARTS = np.array([1e-3, 0.2])  # positions between the length that a normal suggests and the known one
_MOST_CHECKS = 40  # of translations that are free of contact, but may leave one solid inside the other


def find_convex_penetration(request: Request) -> Generator[float, None, Penetration | Unanswered]:
    """Implement ``penetration`` for two convex solids, all poses in one call; ``UNANSWERED`` if a mesh is not a convex
    solid.

    The translation leads to the nearest facet of the polytope of differences (``convex/expanding_polytope.py``).
    """
    trees, start = (as_boxes(request.things[0]), as_boxes(request.things[1])), request.options.start
    a, b = (convex_points(tree.mesh) for tree in trees)
    if a is None or b is None:
        return UNANSWERED
    if not isinstance(start, Penetration | None):
        raise no_start("penetration", start)
    rows_a, rows_b = request.every_row
    known = known_pairs(start, a, b)
    parted = yield from map_progress(
        part_steps(a, b, rows_a, rows_b, known, request.options.threads), lambda done: 0.9 * done
    )
    found = Penetration(
        parted.lengths.copy(), parted.directions.copy(), parted.lower.copy(), None, parted.pairs,
        parted.points[:, 0].copy(), parted.points[:, 1].copy(),
    )  # fmt: skip
    apart = parted.told == APART
    for values, nothing in zip(found.columns, no_penetration().columns, strict=True):
        values[apart] = nothing
    for k in np.flatnonzero(parted.told == OPEN).tolist():
        yield 0.9 + 0.1 * k / len(rows_a)
        one = penetration_of_pose(trees, pose_of(rows_a[k]), pose_of(rows_b[k]), None)
        for values, value in zip(found.columns, one.columns, strict=True):
            values[k] = value
    return found if request.stacked else found.last


def find_penetration(request: Request) -> Generator[float, None, Penetration]:
    """Implement ``penetration`` for two closed meshes, pose by pose, each starting from the previous result.

    Translations are tested, and those that separate the meshes are kept.
    """
    trees, start = (_solid("a", request.things[0]), _solid("b", request.things[1])), request.options.start
    if not isinstance(start, Penetration | None):
        raise no_start("penetration", start)
    found, last = [], None if start is None else start.last
    rows_a, rows_b = request.every_row
    for k in range(len(rows_a)):
        yield k / len(rows_a)
        last = penetration_of_pose(trees, pose_of(rows_a[k]), pose_of(rows_b[k]), last)
        found.append(last)
    return stacked_penetrations(found) if request.stacked else found[0]


def _solid(name: str, thing: Any) -> Hierarchy:
    """Return the hierarchy of an object's closed boundary mesh, or of its own closed mesh; raise InvalidMesh."""
    tree = as_boxes(thing)
    mesh = find_boundary_mesh(tree.mesh).mesh
    if not mesh.is_closed:
        if tree.mesh.is_closed:
            return tree
        state = "a shell" if mesh.shell else "not closed"
        raise InvalidMesh(f"penetration needs solids, but mesh {name} is {state}: {mesh!r}; use distance or verdict")
    return tree if mesh is tree.mesh else as_boxes(mesh)


def penetration_of_pose(
    trees: tuple[Hierarchy, Hierarchy], pose_a: Pose, pose_b: Pose, start: Penetration | None
) -> Penetration:
    """Return the result for one pose of two closed meshes, starting from an earlier result."""
    search = _Search(trees, pose_a, pose_b)
    quick = None if start is None else search.follow(start)
    if quick is not None:
        return quick
    found = verdict(*trees, search.pose_a, search.pose_b)
    if found in (Verdict.APART, Verdict.TOUCHING):
        return no_penetration()
    return search.answer(found.depth_lower or 0.0)


class _Search:
    """Two solids with common volume, and the search for a translation of the second."""

    def __init__(self, trees: tuple[Hierarchy, Hierarchy], pose_a: Pose, pose_b: Pose) -> None:
        self.trees = trees
        self.pose_a, self.pose_b = pose_a, pose_b
        self._near: Distance | None = None

    @cached_property
    def points(self) -> list[np.ndarray]:
        """World points of each solid that its triangles use, (n, 3) [m]."""
        poses = (self.pose_a, self.pose_b)
        return [p.apply(used_points(t.mesh)) for p, t in zip(poses, self.trees, strict=True)]

    @cached_property
    def size(self) -> float:
        """Largest absolute coordinate of both solids [m]."""
        return max(float(np.abs(p).max()) for p in self.points)

    def answer(self, ball: float) -> Penetration:
        """Return the translation; ``ball`` is the diameter [m] of a ball in the common volume."""
        rows = self.pose_a.rows, self.pose_b.rows
        if all(is_convex(tree.mesh) for tree in self.trees):
            a, b = (used_points(tree.mesh) for tree in self.trees)
            parted = part_each(a, b, rows[0][None].copy(), rows[1][None].copy(), None)
            direction, points = parted.directions[0], parted.points[0]
            length = self._apart(direction, float(parted.lengths[0]))
            lower = min(float(parted.lower[0]), length)
            return Penetration(length, direction, lower, None, parted.pairs, points[0], points[1])
        direction, length = self._shorten(hull_separation(*self.points))
        length = self._apart(direction, length)
        contacts = collide(*self.trees, self.pose_a, self.pose_b)
        middle = contacts.segments().mean(axis=(0, 1)) if len(contacts) else self.points[0].mean(axis=0)
        radius, centre = self._ball([middle])
        return self._told(length, direction, max(ball, 2.0 * radius), centre)

    def _told(self, length: float, direction: np.ndarray, lower: float, centre: np.ndarray) -> Penetration:
        """Return the result, with the nearest points after b was moved out of a, and a ball's centre (3,) in both
        frames.
        """
        gap = self._gap(length * direction)
        points = gap.point_a.copy(), gap.point_b - length * direction
        return Penetration(length, direction, min(lower, length), self._in_both_frames(centre), None, *points)

    def follow(self, start: Penetration) -> Penetration | None:
        """Return the result, starting from an earlier result; None if the earlier result does not help."""
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
        return self._told(length, direction, 2.0 * radius, centre)

    def _ball(self, places: list[np.ndarray]) -> tuple[float, np.ndarray]:
        """Return radius and centre of a ball in the common volume, grown from the first place that is inside."""
        rows = self.pose_a.rows, self.pose_b.rows
        for place in places:
            radius, centre = common_ball(self.trees, rows, place)
            if radius > 0.0:
                break
        return radius, centre

    def _in_both_frames(self, point: np.ndarray) -> np.ndarray:
        """Return a world point in the frames of a and b, (2, 3); exact up to the poses' deviation from rigid."""
        return np.stack([(point - row[:, 3]) @ row[:, :3] for row in (self.pose_a.rows, self.pose_b.rows)])

    def _meets(self, translation: np.ndarray) -> bool:
        return bool(collides(*self.trees, self.pose_a, self.moved(translation[None])[0]))

    def _gap(self, translation: np.ndarray) -> Distance:
        """Return the distance after a translation; the search starts at the pair of triangles nearest before."""
        pose = self.moved(translation[None])[0]
        self._near = distance(*self.trees, self.pose_a, pose, start=self._near)
        return self._near

    def _fitted(self, direction: np.ndarray, length: float) -> tuple[np.ndarray, float, Distance] | None:
        """Return a length near the given one at which the solids are just separated, to a thousandth, and the gap
        there.
        """
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
        """Return a shorter translation, turned towards the normal at the nearest points, if one is free."""
        normal = (gap.point_b - gap.point_a) / gap.distance
        enough = float(length * (direction @ normal)) - gap.distance  # sufficient for these two points
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
        """Return poses (k, 4, 4) of b after translations (k, 3)."""
        poses = np.repeat(self.pose_b.matrix[None], len(translations), axis=0)
        poses[:, :3, 3] += translations
        return poses

    def is_apart(self, translation: np.ndarray) -> bool:
        """Return whether the solids have no common point after a translation of b."""
        return not self._meets(translation) and self._is_outside(translation)

    def _is_outside(self, translation: np.ndarray) -> bool:
        """Return whether solids whose surfaces do not meet after a translation of b are apart, not nested."""
        pose = self.moved(translation[None])[0]
        return is_outside(self.trees, (self.pose_a.rows, np.ascontiguousarray(pose[:3])))

    def _apart(self, direction: np.ndarray, length: float) -> float:
        """Return the smallest length, from the given length on and up to rounding, after which the meshes are apart."""
        margin = max(_MARGIN * (self.size + length), _LEAST_MARGIN)
        while not self.is_apart((length + margin) * direction):
            margin *= 4.0
        return length + margin

    def _shorten(self, hulls: Separation) -> tuple[np.ndarray, float]:
        """Return a direction and length that separate the solids, at most as long as the translation that separates
        their hulls.
        """
        best = hulls.direction, hulls.length
        best = self._try(self._directions(hulls.direction), best)
        rng = np.random.default_rng(0)
        for k in range(_ROUNDS):
            turned = best[0] + 0.4 / 2**k * rng.normal(size=(_TURNS, 3))
            best = self._try(turned / np.linalg.norm(turned, axis=1)[:, None], best)
        return best

    def _directions(self, first: np.ndarray) -> np.ndarray:
        """Return unit vectors (k, 3): of the hulls, of a cube's faces, edges and corners, and normals of contacts."""
        contacts = collide(*self.trees, self.pose_a, self.pose_b)
        step = max(1, len(contacts) // _MOST_NORMALS)
        corners = np.concatenate([contacts.world_triangles(side, slice(None, None, step)) for side in range(2)])
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        every = np.concatenate([first[None], CUBE_DIRECTIONS, -CUBE_DIRECTIONS, normals, -normals])
        lengths = np.linalg.norm(every, axis=1)
        return every[lengths > 0.0] / lengths[lengths > 0.0][:, None]

    def _try(self, directions: np.ndarray, best: tuple[np.ndarray, float]) -> tuple[np.ndarray, float]:
        """Return the best of shorter translations along given directions."""
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
        """Return how far b must move along directions until its hull is separated from that of a."""
        return (self.points[0] @ directions.T).max(axis=0) - (self.points[1] @ directions.T).min(axis=0)

    def _halve(self, direction: np.ndarray, blocked: float, free: float) -> float:
        """Return the boundary between lengths that separate the solids and lengths that do not, by bisection."""
        for _ in range(_HALVINGS):
            middle = 0.5 * (blocked + free)
            if collides(*self.trees, self.pose_a, self.moved(middle * direction[None])[0]):
                blocked = middle
            else:
                free = middle
        return free
