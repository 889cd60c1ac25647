"""A campaign: exact shapes against whole numbers, and round solids against 200 bits.

``python tests/engine/round_campaign.py [pairs] [seed]`` prints a line for each kind of pair. The oracle is written from
the definitions. Corners are the float64 numbers of the poses' definition, as multiples of a power of two; distances of
points, segments, triangles and hulls are quotients of whole numbers by closed forms of their features; hulls are apart
where a plane through their edges and faces is between them. Nothing here is iterative, and nothing is from the engine.

Round solids are judged by proof: both nearest points lie in their solids, and the plane across the way between them has
a solid on each side, by support functions in 200 bits. The difference of these two bounds is the error.
"""

import math
import sys
import time
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import combinations, product

import meshclash as mc
import numpy as np
from meshclash.convex.convex_distance import ACROSS, bounds_steps
from meshclash.types.steps import run

S = mc.shapes
DIGITS = 61
"""200 bits."""


# Whole numbers.


def whole(*arrays):
    """Float64 arrays as lists of whole numbers, multiples of one power of two; and its exponent."""
    parts = [[x.as_integer_ratio() for x in np.ravel(a).tolist()] for a in arrays]
    shift = max(d.bit_length() for part in parts for _, d in part) - 1
    return [[(n << shift) // d for n, d in part] for part in parts], shift


def vectors(numbers):
    return [tuple(numbers[k : k + 3]) for k in range(0, len(numbers), 3)]


def minus(p, q):
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def dot(p, q):
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def cross(p, q):
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


def least(squares):
    """The least of quotients (number, number above 0)."""
    best = None
    for n, d in squares:
        if best is None or n * best[1] < best[0] * d:
            best = n, d
    return best


def point_segment(p, a, b):
    d, r = minus(b, a), minus(p, a)
    t, square = dot(d, r), dot(d, d)
    if t <= 0:
        return dot(r, r), 1
    if t >= square:
        r = minus(p, b)
        return dot(r, r), 1
    n = cross(d, r)
    return dot(n, n), square


def segment_segment(a, b, c, d):
    u, v, r = minus(b, a), minus(d, c), minus(a, c)
    n = cross(u, v)
    square = dot(n, n)
    if square:
        uu, vv, uv, ur, vr = dot(u, u), dot(v, v), dot(u, v), dot(u, r), dot(v, r)
        s, t = uv * vr - vv * ur, uu * vr - uv * ur
        if 0 <= s <= square and 0 <= t <= square:
            return dot(n, r) ** 2, square
    return least([point_segment(a, c, d), point_segment(b, c, d), point_segment(c, a, b), point_segment(d, a, b)])


def point_triangle(p, a, b, c):
    n = cross(minus(b, a), minus(c, a))
    square = dot(n, n)
    edges = (a, b), (b, c), (c, a)
    if square and all(dot(n, cross(minus(y, x), minus(p, x))) >= 0 for x, y in edges):
        return dot(n, minus(p, a)) ** 2, square
    return least(point_segment(p, x, y) for x, y in edges)


def segment_pierces(p, q, a, b, c):
    """Whether a segment has a point in common with a triangle and is not in its plane."""
    n = cross(minus(b, a), minus(c, a))
    s, t = dot(n, minus(p, a)), dot(n, minus(q, a))
    if s == t or s * t > 0:
        return False
    sides = [dot(minus(q, p), cross(minus(x, p), minus(y, p))) for x, y in ((a, b), (b, c), (c, a))]
    return all(x >= 0 for x in sides) or all(x <= 0 for x in sides)


def square_of_features(first, second):
    """The squared distance of two sets of simplices, (points, edges, triangles), whose hulls are apart or pierce."""
    (p, e, f), (q, g, h) = first, second
    found = [(dot(minus(x, y), minus(x, y)), 1) for x in p for y in q]
    found += [point_segment(x, *y) for x in p for y in g] + [point_segment(y, *x) for x in e for y in q]
    found += [segment_segment(*x, *y) for x in e for y in g]
    found += [point_triangle(x, *y) for x in p for y in h] + [point_triangle(y, *x) for x in f for y in q]
    if any(segment_pierces(*x, *y) for x in e for y in h) or any(segment_pierces(*y, *x) for x in f for y in g):
        return 0, 1
    return least(found)


def hull_features(points):
    """All simplices that the surface of a box, or a smaller hull, may have: of a box those of its six faces."""
    if len(points) < 8:
        return points, list(combinations(points, 2)), list(combinations(points, 3))
    faces = [[k for k in range(8) if (k >> (2 - axis) & 1) == side] for axis in range(3) for side in range(2)]
    edges = {pair for face in faces for pair in combinations(face, 2)}
    triangles = [three for face in faces for three in combinations(face, 3)]
    corners = [tuple(points[k] for k in three) for three in triangles]
    return points, [(points[i], points[j]) for i, j in sorted(edges)], corners


def between(first, second):
    """Whether a plane across a face of one hull, or an edge of each, has one hull on each side, strictly."""
    normals = [cross(minus(b, a), minus(c, a)) for _, _, triangles in (first, second) for a, b, c in triangles]
    normals += [cross(minus(b, a), minus(d, c)) for a, b in first[1] for c, d in second[1]]
    for n in normals:
        low, high = [dot(n, p) for p in first[0]], [dot(n, p) for p in second[0]]
        if max(low) < min(high) or max(high) < min(low):
            return True
    return False


def hull_square(a, b):
    """The squared distance of two hulls of whole points."""
    first, second = hull_features(a), hull_features(b)
    if max(len(a), len(b)) == 8:
        n = minus(b[0], a[0])  # most are apart along a way between corners, and need no search for a plane
        apart = max(dot(n, p) for p in a) < min(dot(n, p) for p in b)
        if not apart and not between(first, second) and volume(first, second):
            return 0, 1
    return square_of_features(first, second)


def volume(first, second):
    """Whether one of two hulls has a volume, so that the other may be inside it."""
    return any(
        dot(minus(d, a), cross(minus(b, a), minus(c, a))) != 0
        for points, _, triangles in (first, second)
        for a, b, c in triangles
        for d in points
    )


def root(square, shift):
    """A quotient's square root as a float, rounded to nearest or next to that; whole numbers are in units 2^-shift."""
    number, share = square
    if number == 0:
        return 0.0
    more = 2 * max(0, 160 - (number.bit_length() - share.bit_length()) // 2)
    return float(Fraction(math.isqrt((number << more) // share), 1 << (more // 2 + shift)))


# Shapes and poses.


def placed(row, points):
    """World coordinates as they are defined, (n, 3)."""
    out = []
    for x, y, z in points:
        out.append([row[k][0] * x + row[k][1] * y + row[k][2] * z + row[k][3] for k in range(3)])
    return np.array(out)


def rotation(random):
    kind = random.integers(4)
    if kind == 0:
        return np.eye(3)
    if kind == 1:
        turn = np.eye(3)[random.permutation(3)] * random.choice([-1.0, 1.0], 3)[:, None]
        return turn * np.linalg.det(turn)
    q = random.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def matrix(turn, place):
    m = np.eye(4)
    m[:3, :3], m[:3, 3] = turn, place
    return m


KINDS = "point", "segment", "box", "halfspace", "plane"


def drawn(kind, random, scale):
    """Corners in the shape's frame, or a normal and an offset."""
    coarse = random.integers(2) == 0  # whole numbers, for faces and edges that are parallel

    def numbers(*shape):
        given = random.integers(-4, 5, shape).astype(float) if coarse else random.normal(size=shape)
        return given * scale

    if kind == "point":
        return numbers(1, 3)
    if kind == "segment":
        return numbers(2, 3)
    if kind == "box":
        half = 0.5 * np.maximum(np.abs(numbers(3)), scale / 8)
        return np.array(list(product((-1.0, 1.0), repeat=3))) * half
    normal = random.integers(-3, 4, 3).astype(float) if coarse else random.normal(size=3)
    return (normal if normal.any() else np.array([0.0, 0.0, 1.0])), float(numbers(1)[0])


def shape(kind, core, radius):
    if kind == "box":
        return S.Box(2.0 * core[-1], radius) if random_choice(core) else S.Inflated(S.ConvexHull(core), radius)
    if kind in ("halfspace", "plane"):
        return (S.Halfspace if kind == "halfspace" else S.Plane)(*core)
    return S.Inflated(core, radius)


def random_choice(core):
    return bool(np.frexp(core[-1, 0])[0] > 0.75)


def exact_square(kinds, cores, poses):
    """The squared distance of the cores, number and share in whole units, and how fine these are."""
    if kinds[0] in ("halfspace", "plane"):
        points = placed(poses[1][:3], cores[1])
        normal = [
            sum(Fraction(r) * Fraction(n) for r, n in zip(row, cores[0][0], strict=True))
            for row in poses[0][:3, :3].tolist()
        ]
        heights = [
            sum(n * (Fraction(x) - Fraction(t)) for n, x, t in zip(normal, p, poses[0][:3, 3].tolist(), strict=True))
            - Fraction(cores[0][1])
            for p in points.tolist()
        ]
        low, high = min(heights), max(heights)
        gap = max(low, 0) if kinds[0] == "halfspace" else (low if low > 0 else -high if high < 0 else Fraction(0))
        square = gap * gap / sum(n * n for n in normal)
        return (square.numerator, square.denominator), 0
    a, b = (placed(pose[:3], core) for pose, core in zip(poses, cores, strict=True))
    (a, b), shift = whole(a, b)
    return hull_square(vectors(a), vectors(b)), shift


def is_within(square, shift, radii):
    """Whether a distance is at most the sum of two radii."""
    reach = Fraction(radii[0]) + Fraction(radii[1])
    number, share = reach.numerator << shift, reach.denominator
    return square[0] * share * share <= number * number * square[1]


def one_pair(kinds, random):
    """Draw a pair and its radii; returns the engine's and the oracle's answers."""
    scale = math.ldexp(1.0, int(random.choice([0, 0, 0, -3, 20, -40, 60, -120, 80])))
    poses = [
        matrix(rotation(random), random.normal(size=3) * scale * random.choice([0.0, 1.0, 3.0, 1e3])) for _ in kinds
    ]
    if random.integers(2):
        poses[1][:3, 3] = poses[0][:3, 3] + np.round(random.normal(size=3) * 4.0) * scale
    cores = [drawn(kind, random, scale) for kind in kinds]
    square, shift = exact_square(kinds, cores, poses)
    length = root(square, shift)
    flat = kinds[0] in ("halfspace", "plane")
    mode = random.integers(4)
    if mode == 0:
        radii = [abs(random.normal()) * scale, abs(random.normal()) * scale]
    elif mode == 1:
        radii = [0.0, 0.0]
    else:  # touching within ulps
        first = 0.0 if flat else length * float(random.choice([0.0, 0.25, 0.5, random.random(), 1.0]))
        second = length - first
        for _ in range(int(random.integers(0, 4))):
            second = np.nextafter(second, np.inf if mode == 2 else -np.inf)
        radii = [first, max(float(second), 0.0)]
    if flat:
        radii[0] = 0.0
    things = [shape(*given) for given in zip(kinds, cores, radii, strict=True)]
    expected = is_within(square, shift, radii)
    told = mc.collides(*things, *poses), mc.collides(*things[::-1], *poses[::-1])
    found = mc.distance(*things, *poses)
    size = max(scale * 8.0, *(float(np.abs(p[:3, 3]).max()) for p in poses), sum(radii)) * 8.0
    gap = max(length - radii[0] - radii[1], 0.0)
    error = abs(found.distance - gap) / size
    right = told == (expected, expected) and (found.distance == 0.0) == expected
    if not right or error > 1e-13:
        print("WRONG", kinds, cores, [p.tolist() for p in poses], radii, "expected", expected, told, found, gap)
    return right and error <= 1e-13, mode >= 2 and length > 0.0, error


def analytic(pairs, seed):
    """Points, segments, boxes, half-spaces and planes."""
    wrong = 0
    for number, kinds in enumerate((a, b) for a in KINDS[::-1] for b in KINDS[:3] if KINDS.index(a) >= KINDS.index(b)):
        share = 0.04 if kinds == ("box", "box") else 1.0 if "box" not in kinds else 0.3
        count, begin = max(int(pairs * share), 1), time.perf_counter()
        random = np.random.default_rng([seed, number])
        told = [one_pair(kinds, random) for _ in range(count)]
        bad = sum(not right for right, _, _ in told)
        wrong += bad
        touching, error = sum(near for _, near, _ in told), max(e for _, _, e in told)
        print(f"{kinds[0]:10} {kinds[1]:8} {count:8} pairs, {touching} within ulps, {bad} wrong, "
              f"error {error:.1e} of the size, {time.perf_counter() - begin:.0f} s", flush=True)  # fmt: skip
    return wrong


# Round solids.


def _root(x):
    return Decimal(x).sqrt()


def support(shape, row, n):
    """The largest n . x of a shape's core in a pose, in DIGITS digits."""
    u = [sum(Decimal(row[k][j]) * n[k] for k in range(3)) for j in range(3)]
    kind, lengths = shape
    lengths = [Decimal(x) for x in lengths]
    if kind == "cylinder":
        value = lengths[0] * _root(u[0] ** 2 + u[1] ** 2) + lengths[1] / 2 * abs(u[2])
    elif kind == "cone":
        value = max(lengths[1] / 2 * u[2], lengths[0] * _root(u[0] ** 2 + u[1] ** 2) - lengths[1] / 2 * u[2])
    elif kind == "ellipsoid":
        value = _root(sum((a * x) ** 2 for a, x in zip(lengths, u, strict=True)))
    elif kind == "box":
        value = sum(abs(x) * a for x, a in zip(u, lengths, strict=True)) / 2
    elif kind == "capsule":
        value = abs(u[2]) * lengths[1] / 2 + lengths[0] * _root(sum(x * x for x in n))
    else:
        value = lengths[0] * _root(sum(x * x for x in n))
    return value + sum(Decimal(row[k][3]) * n[k] for k in range(3))


def outside(shape, row, point):
    """About how far a point is outside a shape, in DIGITS digits."""
    moved = [Decimal(float(x)) - Decimal(t) for x, t in zip(point, [r[3] for r in row], strict=True)]
    x, y, z = (sum(Decimal(row[k][j]) * moved[k] for k in range(3)) for j in range(3))
    kind, lengths = shape
    lengths = [Decimal(a) for a in lengths]
    across = _root(x * x + y * y)
    if kind == "cylinder":
        return max(across - lengths[0], abs(z) - lengths[1] / 2, 0)
    if kind == "cone":
        slope = _root(lengths[0] ** 2 + lengths[1] ** 2)
        return max((across * lengths[1] - lengths[0] * (lengths[1] / 2 - z)) / slope, -z - lengths[1] / 2, 0)
    if kind == "ellipsoid":
        return max((_root(sum((a / b) ** 2 for a, b in zip((x, y, z), lengths, strict=True))) - 1) * min(lengths), 0)
    if kind == "box":
        return max(*(abs(a) - b / 2 for a, b in zip((x, y, z), lengths, strict=True)), 0)
    if kind == "capsule":
        rest = max(abs(z) - lengths[1] / 2, 0)
        return max(_root(x * x + y * y + rest * rest) - lengths[0], 0)
    return max(_root(x * x + y * y + z * z) - lengths[0], 0)


ROUND = {
    "cylinder": lambda r, h, _: S.Cylinder(r, h),
    "cone": lambda r, h, _: S.Cone(r, h),
    "ellipsoid": lambda a, b, c: S.Ellipsoid([a, b, c]),
    "box": lambda a, b, c: S.Box([a, b, c]),
    "capsule": lambda r, h, _: S.Capsule(r, h),
    "sphere": lambda r, *_: S.Sphere(r),
}


def one_round_pair(kinds, random):
    """The error of a distance as a share of the size, also where it is 0."""
    scale = float(random.choice([1.0, 1.0, 1e-6, 1e6]))
    lengths = [(np.exp(random.normal(size=3) * 0.7) * scale).tolist() for _ in kinds]
    near = [np.exp(random.normal()) * scale * random.choice([0.3, 1.0, 2.0]) * d for d in random.normal(size=(2, 3))]
    poses = [matrix(rotation(random), place) for place in near]
    things = [ROUND[kind](*given) for kind, given in zip(kinds, lengths, strict=True)]
    found = mc.distance(*things, *poses)
    size = max(*map(max, lengths), *(float(np.abs(p[:3, 3]).max()) for p in poses))
    shapes = list(zip(kinds, lengths, strict=True))
    told, n = float(found.distance), found.points[1] - found.points[0]
    worst, known = _proved(shapes, poses, found, things, size)
    if told == 0.0 or known is None or random.integers(2):
        return worst
    # The same pair nearly touching: moved along the way between the nearest points, which stays the way between them.
    step = told * (1.0 - float(random.choice([0.0, 1e-3, 1e-6, 1e-9, 1e-11, 1e-12, 1e-13, -1e-12, -1e-9, -1e-3])))
    poses[1][:3, 3] -= n / np.linalg.norm(n) * step
    there = float(mc.distance(*things, *poses).distance)
    if step > told:  # past each other: most overlap, and tips may pass
        return max(worst, (there - (step - told)) / size)
    return max(worst, abs(there - (told - step)) / size)


def _proved(shapes, poses, found, things, size):
    """The error of a distance that its points and a plane across them leave open, as a share of the size; the bound."""
    rows = [pose[:3].tolist() for pose in poses]
    out = max(float(outside(s, r, p)) / size for s, r, p in zip(shapes, rows, found.points, strict=True))
    if found.distance == 0.0:
        return (0.0 if out < 1e-8 else out), None  # a common point need not be as good
    n = [Decimal(float(x)) for x in _across(things, poses)]
    gap = -(support(shapes[0], rows[0], n) + support(shapes[1], rows[1], [-x for x in n])) / _root(
        sum(x * x for x in n)
    )
    way = [Decimal(float(x)) - Decimal(float(y)) for x, y in zip(*found.points, strict=True)]
    length, told = _root(sum(x * x for x in way)), Decimal(float(found.distance))
    if length > gap + Decimal(1e-12 * size) and length < Decimal(1e-4 * size):
        length = gap  # the points of shapes that nearly touch are not as good as the distance
    return max(out, float(max(abs(told - gap), abs(told - length))) / size), gap


def _across(things, poses):
    """A direction whose planes prove a distance: the engine's, which the support functions judge."""
    sides = [(thing.points, thing.form, pose[None, :3].copy()) for thing, pose in zip(things, poses, strict=True)]
    found = run(bounds_steps(*sides[0], *sides[1]))[0, ACROSS : ACROSS + 3]
    return found


def round_solids(pairs, seed):
    """Cylinders, cones and ellipsoids with each other and with boxes, capsules and spheres."""
    wrong, names = 0, tuple(ROUND)
    for number, kinds in enumerate((a, b) for a in names[:3] for b in names if names.index(b) >= names.index(a)):
        random, begin = np.random.default_rng([seed, 100 + number]), time.perf_counter()
        errors = [one_round_pair(kinds, random) for _ in range(pairs)]
        bad = sum(error > 1e-12 for error in errors)
        wrong += bad
        print(f"{kinds[0]:10} {kinds[1]:10} {pairs:7} pairs, {bad} wrong, error {max(errors):.1e} of the size, "
              f"{time.perf_counter() - begin:.0f} s", flush=True)  # fmt: skip
    return wrong


if __name__ == "__main__":
    getcontext().prec = DIGITS
    chosen, start = (int(sys.argv[k]) if len(sys.argv) > k else given for k, given in ((1, 2000), (2, 0)))
    sys.exit(1 if analytic(chosen, start) + round_solids(max(chosen // 20, 20), start) else 0)
