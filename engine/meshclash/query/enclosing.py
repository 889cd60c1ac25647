"""``enclosing_spheres`` and ``enclosing_capsule``: simple shapes that contain a mesh, with a bound of their error.

A ball and a capsule are convex, so a triangle lies in one of them if its corners do. Triangles are cut into small
pieces, and every piece is assigned to one ball. The fit only decides how good the shapes are, not whether they contain
the mesh: the radii are measured after the fit, and rounded up.

The solid of a closed mesh needs more, because several balls may leave a gap inside. The cells of an octree that are in
no ball and not surely outside the solid are refined; the balls grow until they contain the cells that remain.

The distance of a point from the solid, negative inside, changes by at most the distance that the point moves. So no
point of a ball is farther outside than the centre plus the radius.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..convex.convexity import used_points
from ..convex.exact_shapes import Capsule, Sphere
from ..hierarchy.build import build
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..types.foreign_meshes import ForeignMesh, as_own
from ..types.mesh import TriangleMesh, no_mesh
from ..types.numbers import whole_number
from .signed_distance import signed_distance

_MOST_SPHERES = 128
_MOST_PIECES = 1 << 17
"""Number of pieces of triangles above which nothing is divided further."""
_MOST_CELLS = 1 << 17
_SMALLEST_CELL = 2.0**-12
_OCTANTS = np.stack(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0]), axis=-1).reshape(8, 3)
_DIRECTIONS = 256
_SEGMENT_SAMPLES = 1025
"""Number of points of a capsule's segment whose distance from the mesh is computed."""
_BLOCK = 1 << 22
"""Maximum number of distances in memory at the same time."""
_SLACK = 2.0**-45
"""Upper bound of the rounding errors of a radius, for coordinates up to 1."""
_ROUNDS = 8
_MOVES = 24
_SIDES = np.concatenate([np.eye(3), -np.eye(3)])
_BALL_STEPS = 32


@dataclass(frozen=True, eq=False)
class EnclosingSpheres:
    """Spheres that together contain a mesh.

    Attributes:
        centres: (k, 3) float64, in the frame of the mesh [m].
        radii: (k,) float64 [m].
        error: no point of the spheres is farther outside the mesh than this [m].
    """

    centres: np.ndarray
    radii: np.ndarray
    error: float

    def placed(self) -> list[tuple[Sphere, np.ndarray]]:
        """Return the spheres as exact shapes, each with its pose (4, 4), for example for ``Scene.add``."""
        return [
            (Sphere(radius), _pose(centre)) for radius, centre in zip(self.radii.tolist(), self.centres, strict=True)
        ]

    def __repr__(self) -> str:
        return f"EnclosingSpheres({len(self.radii)} spheres, error={self.error!r} m)"


@dataclass(frozen=True, eq=False)
class EnclosingCapsule:
    """A capsule that contains a mesh.

    Attributes:
        shape: the capsule, along the z axis of its own frame.
        pose: (4, 4) float64, the pose of the capsule in the frame of the mesh.
        error: no point of the capsule is farther outside the mesh than this [m].
    """

    shape: Capsule
    pose: np.ndarray
    error: float

    def __repr__(self) -> str:
        return f"EnclosingCapsule({self.shape!r}, error={self.error!r} m)"


def enclosing_spheres(mesh: MeshLike | ForeignMesh, count: int = 8) -> EnclosingSpheres:
    """Return spheres that together contain a mesh, as motion planners use them for the links of a robot.

    Every point of every triangle lies in at least one sphere, also in float64. If the mesh is closed, every point
    inside the mesh lies in a sphere, too. The spheres need not be the smallest that are possible; ``error`` bounds how
    far they extend beyond the mesh. The same mesh always gives the same spheres.

    Args:
        mesh: a mesh, or a hierarchy made by ``build``.
        count: number of spheres, from 1 to 128. The result has fewer spheres if fewer suffice, for example for a
            single point.

    Returns:
        Centres, radii and the error. For a closed mesh, ``error`` is an upper bound of the distance between the solid
        and a point of the spheres; for other meshes and for shells, of the distance between the surface and such a
        point.

    Raises:
        InvalidMesh: the argument is not a mesh, or the mesh is empty or not finite.
        UnsupportedOption: the count is not a whole number from 1 to 128.

    Example:
        >>> import meshclash as mc
        >>> link = mc.shapes.box([4.0, 1.0, 1.0])
        >>> [bool(mc.shapes.enclosing_spheres(link, count).error < error) for count, error in ((1, 1.7), (8, 0.5))]
        [True, True]
    """
    count = whole_number("count", count, 1, _MOST_SPHERES)
    frame = _Frame(mesh)
    pieces = _cut(frame.corners, _longest_edge(frame.corners, count), _MOST_PIECES)
    samples = _samples(frame, pieces, count)
    centres, radii = _fitted(samples, count, frame)
    centres = frame.stored(centres)
    radii = _covering_radii([pieces, samples[:, None]], centres, radii)
    if frame.is_solid and len(radii) > 1:
        _fill(frame, centres, radii)
    radii = radii * (1.0 + _SLACK) + _SLACK
    error = float((radii + frame.heights(centres)).max())
    return EnclosingSpheres(frame.world(centres), frame.lengths(radii), frame.length(error))


def enclosing_capsule(mesh: MeshLike | ForeignMesh) -> EnclosingCapsule:
    """Return a capsule that contains a mesh, for example a link of a robot.

    Every point of the mesh lies in the capsule, also in float64, and if the mesh is closed, every point inside it. The
    capsule need not be the smallest that is possible; ``error`` bounds how far it extends beyond the mesh.

    Args:
        mesh: a mesh, or a hierarchy made by ``build``.

    Returns:
        The capsule, its pose and the error. For a closed mesh, ``error`` is an upper bound of the distance between the
        solid and a point of the capsule; for other meshes and for shells, of the distance between the surface and such
        a point.

    Raises:
        InvalidMesh: the argument is not a mesh, or the mesh is empty or not finite.

    Example:
        >>> import meshclash as mc
        >>> found = mc.shapes.enclosing_capsule(mc.shapes.cylinder(0.5, 4.0))
        >>> round(found.shape.radius, 2), found.pose.shape, found.error < 0.51
        (0.5, (4, 4), True)
    """
    frame = _Frame(mesh)
    middle, axis, length = _fitted_segment(frame)
    pose = _pose(frame.world(middle), _turned_to(axis))
    length = frame.length(length)
    ends = pose[:3, 3] + np.array([[-0.5], [0.5]]) * length * pose[:3, 2]
    ends = np.ldexp(ends - frame.origin, -frame.exponent)
    radius = float(_from_segment(frame.points, ends).max())
    radius = radius * (1.0 + _SLACK) + _SLACK + 8.0 * frame.rounding
    along = np.linspace(0.0, 1.0, _SEGMENT_SAMPLES)[:, None]
    half_step = 0.5 / (_SEGMENT_SAMPLES - 1) * float(np.linalg.norm(ends[1] - ends[0]))
    height = float(frame.heights(ends[0] + along * (ends[1] - ends[0])).max())
    return EnclosingCapsule(Capsule(frame.length(radius), length), pose, frame.length(radius + height + half_step))


class _Frame:
    """A mesh in coordinates around its middle, scaled by a power of two so that the largest is from 0.5 to 1.

    Attributes:
        corners: corners of the triangles, (m, 3, 3).
        points: vertices that triangles use, (n, 3).
        rounding: rounding error of world coordinates, in scaled units.
        is_solid: whether the inside of the mesh is enclosed, too.
    """

    def __init__(self, mesh: Any) -> None:
        own = as_own(mesh)
        if not isinstance(own, TriangleMesh | Hierarchy):
            raise no_mesh(own)
        self.tree = own if isinstance(own, Hierarchy) else build(own)
        given = self.tree.mesh
        low, high = used_points(given).min(axis=0), used_points(given).max(axis=0)
        self.origin = low + 0.5 * (high - low)
        points = used_points(given) - self.origin
        self.exponent = math.frexp(float(np.abs(points).max()))[1]
        self.points = np.ldexp(points, -self.exponent)
        self.corners = np.ldexp(given.vertices[given.triangles] - self.origin, -self.exponent)
        self.is_solid = given.is_closed
        self.rounding = math.ldexp(float(np.abs(np.stack([low, high])).max()), -self.exponent) * 2.0**-52

    def world(self, points: np.ndarray) -> np.ndarray:
        """Return points in the frame of the mesh [m]."""
        return self.origin + np.ldexp(points, self.exponent)

    def stored(self, points: np.ndarray) -> np.ndarray:
        """Return points in scaled coordinates as they are after rounding to the frame of the mesh."""
        return np.ldexp(self.world(points) - self.origin, -self.exponent)

    def lengths(self, scaled: np.ndarray) -> np.ndarray:
        """Return lengths [m], rounded up."""
        return np.nextafter(np.ldexp(scaled, self.exponent), np.inf)

    def length(self, scaled: float) -> float:
        """Return a length [m], rounded up and not below 0."""
        return max(float(self.lengths(np.array(scaled))), 0.0)

    def heights(self, points: np.ndarray) -> np.ndarray:
        """Return upper bounds of the distance of points from the mesh, negative inside a solid."""
        found = signed_distance(self.tree, self.world(points), signed=self.is_solid).distance
        return np.ldexp(found, -self.exponent) + self.distance_error

    @property
    def distance_error(self) -> float:
        """Upper bound of the rounding error of a distance from the mesh."""
        return 2.0**-40 + 64.0 * self.rounding


def _pose(middle: np.ndarray, turn: np.ndarray | None = None) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = middle
    if turn is not None:
        pose[:3, :3] = turn
    return pose


def _longest_edge(corners: np.ndarray, count: int) -> float:
    """Return the edge length of pieces that are small compared with the spheres."""
    sides = corners[:, 1:] - corners[:, :1]
    area = 0.5 * float(np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1).sum())
    return max(0.1 * math.sqrt(area / count), 0.05 / count)


def _cut(corners: np.ndarray, longest: float, most: int) -> np.ndarray:
    """Cut triangles (m, 3, 3) at the middles of their longest edges until no edge is longer than ``longest``, or there
    are more than ``most`` pieces.
    """
    done, total = [], 0
    while len(corners) and total + len(corners) <= most:
        squares = ((np.roll(corners, -1, axis=1) - corners) ** 2).sum(axis=2)  # of the edge after each corner
        long = squares.max(axis=1) > longest * longest
        done.append(corners[~long])
        total += len(done[-1])
        first = squares[long].argmax(axis=1)[:, None] + np.arange(3)
        a, b, c = np.take_along_axis(corners[long], (first % 3)[:, :, None], axis=1).swapaxes(0, 1)
        middle = 0.5 * (a + b)
        corners = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
    return np.concatenate([*done, corners])


def _samples(frame: _Frame, pieces: np.ndarray, count: int) -> np.ndarray:
    """Return points of the surface, and for a solid of the inside, to which spheres are fitted."""
    wanted = 4096 + 32 * count
    rng = np.random.default_rng(0)
    samples = np.concatenate([rng.permutation(points)[:wanted] for points in (frame.points, pieces.reshape(-1, 3))])
    if frame.is_solid:
        low, high = frame.points.min(axis=0), frame.points.max(axis=0)
        steps = (np.arange(round(wanted ** (1 / 3))) + 0.5) / round(wanted ** (1 / 3))
        grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
        inside = low + grid * (high - low)
        samples = np.concatenate([samples, inside[frame.heights(inside) < 0.0]])
    return samples


def _fitted(samples: np.ndarray, count: int, frame: _Frame) -> tuple[np.ndarray, np.ndarray]:
    """Return centres and radii of at most ``count`` spheres around samples: as in k-means, groups of samples get balls,
    and samples move to the balls that fit them better. Of all rounds, the one with the smallest error is the result.
    """
    groups, least = [samples], np.inf
    for _ in range(_ROUNDS):
        groups, balls, error = _divided(groups, count, frame)
        if error < least:
            best, best_groups, least = balls, groups, error
        nearest = _cheapest(samples[:, None], balls[:, :3], balls[:, 3])[0]
        groups = [group for ball in range(len(balls)) if len(group := samples[nearest == ball])]
    return _moved_inward(best, best_groups, frame)


def _divided(groups: list[np.ndarray], count: int, frame: _Frame) -> tuple[list[np.ndarray], np.ndarray, float]:
    """Divide the groups of points whose balls have the largest errors, until there are ``count``; return the groups,
    their balls (k, 4) and the largest error.
    """
    balls = np.array([_ball(group) for group in groups])
    errors = balls[:, 3] + frame.heights(balls[:, :3])
    while len(balls) < count and balls[:, 3].any():
        worst = int(np.where(balls[:, 3] > 0.0, errors, -np.inf).argmax())
        ways = _halves(groups[worst])
        halves = np.array([[_ball(group) for group in way] for way in ways])
        own = halves[:, :, 3] + frame.heights(halves[:, :, :3].reshape(-1, 3)).reshape(-1, 2)
        best = int(own.max(axis=1).argmin())
        groups = [*groups[:worst], *ways[best], *groups[worst + 1 :]]
        balls = np.concatenate([balls[:worst], halves[best], balls[worst + 1 :]])
        errors = np.concatenate([errors[:worst], own[best], errors[worst + 1 :]])
    return groups, balls, float(errors.max())


def _moved_inward(balls: np.ndarray, groups: list[np.ndarray], frame: _Frame) -> tuple[np.ndarray, np.ndarray]:
    """Return centres and radii of balls around the same groups of points, moved so that their errors are smaller."""
    centres, radii = balls[:, :3], balls[:, 3]
    errors, step = radii + frame.heights(centres), 0.25 * radii
    for _ in range(_MOVES):
        moved = centres[:, None] + step[:, None, None] * _SIDES
        squares = [
            ((group[:, None] - sides) ** 2).sum(axis=2).max(axis=0) for group, sides in zip(groups, moved, strict=True)
        ]
        reach = np.sqrt(squares)
        own = reach + frame.heights(moved.reshape(-1, 3)).reshape(-1, len(_SIDES))
        side, every = own.argmin(axis=1), np.arange(len(centres))
        better = own[every, side] < errors
        centres = np.where(better[:, None], moved[every, side], centres)
        radii = np.where(better, reach[every, side], radii)
        errors = np.where(better, own[every, side], errors)
        step = np.where(better, step, 0.5 * step)
    return centres, radii


def _ball(points: np.ndarray) -> np.ndarray:
    """Return the centre and the radius of a small ball around points (n, 3), as four numbers.

    Source: Badoiu and Clarkson, "Smaller core-sets for balls" (2003).
    """
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    best = np.array([*centre, np.inf])
    for step in range(_BALL_STEPS):
        apart = points - centre
        squares = (apart * apart).sum(axis=1)
        farthest = int(squares.argmax())
        radius = math.sqrt(float(squares[farthest]))
        if radius < best[3]:
            best = np.array([*centre, radius])
        centre = centre + apart[farthest] / (step + 2.0)
    return best


def _halves(points: np.ndarray) -> list[list[np.ndarray]]:
    """Return up to three ways to divide points that are not all equal into two groups: at the middle of each side."""
    low, high = points.min(axis=0), points.max(axis=0)
    lower = points - low <= 0.5 * (high - low)
    return [[points[lower[:, axis]], points[~lower[:, axis]]] for axis in np.flatnonzero(high > low)]


def _cheapest(
    bodies: np.ndarray, centres: np.ndarray, radii: np.ndarray, half: np.ndarray | float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return for convex bodies the sphere that has to grow least to contain the body, and the radius that it needs.

    Args:
        bodies: corners of bodies, (n, c, 3); or middles of boxes, (n, 1, 3).
        half: half side lengths of the boxes, (3,).
    """
    block = max(_BLOCK // (len(centres) * bodies.shape[1] * 3), 1)
    spheres, needed = np.empty(len(bodies), np.int64), np.empty(len(bodies))
    for start in range(0, len(bodies), block):
        apart = np.abs(bodies[start : start + block, None] - centres[:, None]) + half
        far = np.sqrt((apart * apart).sum(axis=3).max(axis=2))
        own = (far - radii).argmin(axis=1)
        spheres[start : start + block] = own
        needed[start : start + block] = far[np.arange(len(own)), own]
    return spheres, needed


def _covering_radii(bodies: list[np.ndarray], centres: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Return radii with which the spheres contain all bodies, each array (n, c, 3)."""
    covering = np.zeros(len(radii))
    for own in bodies:
        np.maximum.at(covering, *_cheapest(own, centres, radii))
    return covering


def _fill(frame: _Frame, centres: np.ndarray, radii: np.ndarray) -> None:
    """Enlarge radii until the spheres contain the solid, too."""
    low, high = frame.points.min(axis=0), frame.points.max(axis=0)
    middles, half = (low + 0.5 * (high - low))[None], 0.5 * (high - low)
    while True:
        spheres, needed = _cheapest(middles[:, None], centres, radii, half)
        open_cells = needed > radii[spheres]
        middles, spheres, needed = middles[open_cells], spheres[open_cells], needed[open_cells]
        outside = frame.heights(middles) - 2.0 * frame.distance_error > float(np.linalg.norm(half))
        middles, spheres, needed = middles[~outside], spheres[~outside], needed[~outside]
        if 8 * len(middles) > _MOST_CELLS or len(middles) == 0 or half.max() < _SMALLEST_CELL:
            break
        half = 0.5 * half
        middles = (middles[:, None] + _OCTANTS * half).reshape(-1, 3)
    np.maximum.at(radii, spheres, needed)


def _fitted_segment(frame: _Frame) -> tuple[np.ndarray, np.ndarray, float]:
    """Return (middle, direction, length) of a segment that is the core of a small capsule around the mesh.

    The segment is fitted to the extreme points in some directions. The search starts at the principal axes of these
    points, and turns the best axis by smaller and smaller angles.
    """
    directions = np.random.default_rng(0).normal(size=(_DIRECTIONS, 3))
    points = frame.points[np.unique([(frame.points @ direction).argmax() for direction in directions])]
    apart = points - points.mean(axis=0)
    axes = np.linalg.eigh(apart.T @ apart)[1].T
    best = min((_segment_along(points, axis) for axis in axes), key=_cost)
    angle = 0.25
    while angle > 1e-3:
        turn = _turned_to(best[1])
        tilts = [best[1] + angle * side for side in (turn[:, 0], -turn[:, 0], turn[:, 1], -turn[:, 1])]
        found = min((_segment_along(points, axis / np.linalg.norm(axis)) for axis in tilts), key=_cost)
        if _cost(found) < _cost(best):
            best = found
        else:
            angle *= 0.5
    return best[:3]


def _segment_along(points: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return (middle, axis, length, radius) of a capsule along an axis, as short as its radius permits."""
    flat = points @ _turned_to(axis)
    heights = flat[:, 2].copy()
    flat[:, 2] = 0.0
    disc = _ball(flat)
    reach = np.sqrt(np.maximum(disc[3] ** 2 - ((flat - disc[:3]) ** 2).sum(axis=1), 0.0))
    low, high = float((heights + reach).min()), float((heights - reach).max())
    middle = _turned_to(axis) @ [disc[0], disc[1], 0.5 * (low + high)]
    return middle, axis, max(high - low, 0.0), float(disc[3])


def _cost(segment: tuple[np.ndarray, np.ndarray, float, float]) -> float:
    """Return the volume of a capsule, divided by pi."""
    _, _, length, radius = segment
    return radius * radius * (length + 4.0 / 3.0 * radius)


def _turned_to(axis: np.ndarray) -> np.ndarray:
    """Return a rotation matrix whose last column is a unit vector."""
    side = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    side /= np.linalg.norm(side)
    return np.column_stack([side, np.cross(axis, side), axis])


def _from_segment(points: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the distance of points (n, 3) from a segment, given by its ends (2, 3)."""
    along = ends[1] - ends[0]
    square = float(along @ along)
    share = np.clip((points - ends[0]) @ along / square, 0.0, 1.0) if square > 0.0 else np.zeros(len(points))
    return np.linalg.norm(points - (ends[0] + share[:, None] * along), axis=1)
