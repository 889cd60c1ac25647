"""Signed distances of round shapes by closed forms in 60 digits, from the float64 numbers of their poses.

A shape is ``(kind, *lengths)``: ``("sphere", r)``, ``("capsule", r, lz)``, ``("box", x, y, z)``,
``("cylinder", r, lz)``, ``("cone", r, lz)``, ``("ellipsoid", a, b, c)``, ``("triangle", a, b, c)``,
``("halfspace", n, d)`` or ``("plane", n, d)``. Values are above 0 where the shapes are apart. Where they overlap the
value is minus the depth for two spheres or capsules whose cores are apart, and for half-spaces and planes; for others
it is only below 0.
"""

from decimal import Decimal, localcontext
from itertools import pairwise, product

import numpy as np

ZERO, ONE, HALF = Decimal(0), Decimal(1), Decimal("0.5")
DIGITS = 60


def signed_distance(first, pose_a, second, pose_b):
    """The signed distance of two shapes; poses are rotations (3, 3) and translations (3,) of float64."""
    with localcontext() as context:
        context.prec = DIGITS
        if (first[0], second[0]) not in PAIRS:
            first, pose_a, second, pose_b = second, pose_b, first, pose_a
        return PAIRS[first[0], second[0]](first, _pose(*pose_a), second, _pose(*pose_b))


def _pose(rotation, translation):
    rows = [[Decimal(x) for x in row] for row in np.asarray(rotation, float).tolist()]
    return rows, [Decimal(x) for x in np.asarray(translation, float).tolist()]


def _lengths(shape):
    return [Decimal(float(x)) for x in shape[1:]]


def dot(p, q):
    return sum(a * b for a, b in zip(p, q, strict=True))


def minus(p, q):
    return [a - b for a, b in zip(p, q, strict=True)]


def norm(p):
    return dot(p, p).sqrt()


def placed(pose, p):
    return [dot(row, p) + t for row, t in zip(*pose, strict=True)]


def local(pose, p):
    """The point in the shape's axes; the rotation is one but for rounding, so its transpose serves."""
    moved = minus(p, pose[1])
    return [sum(pose[0][i][k] * moved[i] for i in range(3)) for k in range(3)]


def core(shape, pose):
    """The ends of the segment of a sphere or capsule."""
    half = HALF * Decimal(float(shape[2])) if shape[0] == "capsule" else ZERO
    return placed(pose, [ZERO, ZERO, -half]), placed(pose, [ZERO, ZERO, half])


def point_segment(p, a, b):
    ab = minus(b, a)
    square = dot(ab, ab)
    t = min(max(dot(minus(p, a), ab) / square, ZERO), ONE) if square else ZERO
    return norm([x - (y + t * z) for x, y, z in zip(p, a, ab, strict=True)])


def segment_segment(a, b, c, d):
    """The least of the ends' distances and of that of the lines, where its points are within both segments."""
    found = [point_segment(a, c, d), point_segment(b, c, d), point_segment(c, a, b), point_segment(d, a, b)]
    u, v, w = minus(b, a), minus(d, c), minus(a, c)
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    area = uu * vv - uv * uv
    if area > 0:
        s, t = (uv * vw - vv * uw) / area, (uu * vw - uv * uw) / area
        if 0 <= s <= 1 and 0 <= t <= 1:
            found.append(norm([x + s * y - t * z for x, y, z in zip(w, u, v, strict=True)]))
    return min(found)


def rounds(first, pose_a, second, pose_b):
    """Two spheres or capsules."""
    radii = Decimal(float(first[1])) + Decimal(float(second[1]))
    return segment_segment(*core(first, pose_a), *core(second, pose_b)) - radii


def round_box(first, pose_a, second, pose_b):
    ends = [local(pose_b, end) for end in core(first, pose_a)]
    half = [HALF * x for x in _lengths(second)]
    radius = Decimal(float(first[1]))
    low, high = ZERO, ONE  # of the segment within the box
    for p, q, h in zip(*ends, half, strict=True):
        way = q - p
        if way == 0:
            low, high = (low, high) if abs(p) <= h else (ONE, ZERO)
        else:
            first_t, second_t = sorted(((-h - p) / way, (h - p) / way))
            low, high = max(low, first_t), min(high, second_t)
    if low <= high:
        return -radius
    found = [norm([max(abs(x) - h, ZERO) for x, h in zip(end, half, strict=True)]) for end in ends]
    for axis in range(3):
        for signs in product((-1, 1), repeat=2):
            others = [k for k in range(3) if k != axis]
            corner = [ZERO] * 3
            for k, sign in zip(others, signs, strict=True):
                corner[k] = sign * half[k]
            other = list(corner)
            corner[axis], other[axis] = -half[axis], half[axis]
            found.append(segment_segment(*ends, corner, other))
    return min(found) - radius


def cross(p, q):
    return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]


def round_triangle(first, pose_a, second, pose_b):
    """The least of the distances to the sides, and of the ends to the plane where they are above the triangle."""
    corners = [placed(pose_b, [Decimal(float(x)) for x in corner]) for corner in second[1:]]
    sides = [(corners[k], corners[k - 2]) for k in range(3)]
    ends, radius = core(first, pose_a), Decimal(float(first[1]))
    normal = cross(minus(*sides[0]), minus(*sides[1]))

    def is_above(p):
        """Whether a point's projection is in the triangle."""
        turns = [dot(cross(minus(q, p), minus(r, p)), normal) for q, r in sides]
        return min(turns) >= 0 or max(turns) <= 0

    found = [segment_segment(*ends, *side) for side in sides]
    heights = [dot(minus(end, corners[0]), normal) / norm(normal) for end in ends]
    found += [abs(height) for end, height in zip(ends, heights, strict=True) if is_above(end)]
    if heights[0] * heights[1] < 0:
        share = heights[0] / (heights[0] - heights[1])
        if is_above([p + share * (q - p) for p, q in zip(*ends, strict=True)]):
            found.append(ZERO)
    return min(found) - radius


def _profile_distance(rho, z, profile):
    """From a point beside the axis to a convex solid of revolution, whose profile runs from top to bottom; 0 inside."""
    inside = all((q[0] - p[0]) * (z - p[1]) - (q[1] - p[1]) * (rho - p[0]) <= 0 for p, q in pairwise(profile))
    if inside:
        return ZERO
    return min(point_segment([rho, z], list(p), list(q)) for p, q in pairwise(profile))


def point_cylinder(p, r, lz):
    h = HALF * lz
    return _profile_distance(norm(p[:2]), p[2], [(ZERO, h), (r, h), (r, -h), (ZERO, -h)])


def point_cone(p, r, lz):
    h = HALF * lz
    return _profile_distance(norm(p[:2]), p[2], [(ZERO, h), (r, -h), (ZERO, -h)])


def point_ellipsoid(p, *radii):
    """By bisection for the multiplier t: the nearest point is r^2 p / (r^2 + t), where it lies on the surface."""

    def level(t):
        return sum((r * x / (r * r + t)) ** 2 for r, x in zip(radii, p, strict=True))

    if level(ZERO) <= 1:
        return ZERO
    low, high = ZERO, norm([r * x for r, x in zip(radii, p, strict=True)])
    for _ in range(190):
        middle = HALF * (low + high)
        low, high = (middle, high) if level(middle) > 1 else (low, middle)
    return norm([x * low / (r * r + low) for r, x in zip(radii, p, strict=True)])


def _sphere_and(point_distance):
    def value(first, pose_a, second, pose_b):
        centre = local(pose_b, pose_a[1])
        return point_distance(centre, *_lengths(second)) - Decimal(float(first[1]))

    return value


def heights(first, pose_a, second, pose_b):
    """The lowest and highest height of a bounded shape above a flat face."""
    normal = [Decimal(float(x)) for x in second[1]]
    offset, length = Decimal(float(second[2])), norm(normal)
    turned = [dot(row, normal) / length for row in pose_b[0]]
    turned = [x / norm(turned) for x in turned]
    middle = dot(turned, minus(pose_a[1], pose_b[1])) - offset / length
    along = local((pose_a[0], [ZERO] * 3), turned)
    kind, lengths = first[0], _lengths(first)
    if kind in ("sphere", "capsule"):
        spread = lengths[0] + (abs(along[2]) * HALF * lengths[1] if kind == "capsule" else ZERO)
        return middle - spread, middle + spread
    if kind == "box":
        spread = sum(abs(x) * HALF * side for x, side in zip(along, lengths, strict=True))
        return middle - spread, middle + spread
    if kind == "ellipsoid":
        spread = norm([x * r for x, r in zip(along, lengths, strict=True)])
        return middle - spread, middle + spread
    rim, end = lengths[0] * norm(along[:2]), HALF * lengths[1] * along[2]
    if kind == "cylinder":
        return middle - rim - abs(end), middle + rim + abs(end)
    return middle + min(end, -end - rim), middle + max(end, -end + rim)  # a cone: its apex, or the rim at its foot


def above_halfspace(*pair):
    return heights(*pair)[0]


def beside_plane(*pair):
    low, high = heights(*pair)
    return max(low, -high)


PAIRS = {
    **dict.fromkeys(product(("sphere", "capsule"), repeat=2), rounds),
    **{(kind, "box"): round_box for kind in ("sphere", "capsule")},
    **{(kind, "triangle"): round_triangle for kind in ("sphere", "capsule")},
    ("sphere", "cylinder"): _sphere_and(point_cylinder),
    ("sphere", "cone"): _sphere_and(point_cone),
    ("sphere", "ellipsoid"): _sphere_and(point_ellipsoid),
}
for _kind in ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid"):
    PAIRS[_kind, "halfspace"], PAIRS[_kind, "plane"] = above_halfspace, beside_plane
