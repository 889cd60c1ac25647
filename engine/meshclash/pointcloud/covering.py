"""What the nodes of a point hierarchy carry beside boxes: borders, samples, covering spheres, mean planes.

Source: Klein and Zachmann (2004), section 4.2. The surface of a leaf lies in the convex hull of the leaf's points and
its border; H is the union of these hulls. The samples of a node are the centres of spheres of one radius that cover
H.

*Certified radius.* For each leaf, the farthest corner of the box around its points and border is measured from every
sample; the nearest sample counts, and of all leaves the farthest. One sphere thus contains the leaf's whole box, hence
its hull. The paper's own radius comes from random points of H and can be too small.
"""

import math

import numpy as np

from ..jit import inner, kernel
from .surface import HORIZON2, MARGIN, smallest_eigenvector
from .tree import SAMPLE_COUNT, STACK_SIZE

_UP = 1.0 + 2.0**-20  # covers the rounding of radii, boxes and planes to float32


@inner
def _box_gap2(boxes, a, b):
    total = 0.0
    for k in range(3):
        gap = max(
            np.float64(boxes[a, k]) - np.float64(boxes[b, k + 3]),
            np.float64(boxes[b, k]) - np.float64(boxes[a, k + 3]),
            0.0,
        )
        total += gap * gap
    return total


@inner
def _visit_border(points, origin, first, count, boxes, leaf, reach, stack, border, start):
    """Write the points outside a leaf but within reach of its box, where there is room; returns their number."""
    found = 0
    reach2 = reach * reach
    stack[0] = 0
    used = 1
    while used > 0:
        used -= 1
        node = stack[used]
        if node == leaf or _box_gap2(boxes, leaf, node) > reach2:
            continue
        begin = first[node]
        if count[node] == 0:
            stack[used] = begin + 1
            stack[used + 1] = begin
            used += 2
            continue
        for i in range(begin, begin + count[node]):
            total = 0.0
            for k in range(3):
                c = points[i, k] - origin[k]
                gap = max(boxes[leaf, k] - c, c - boxes[leaf, k + 3], 0.0)
                total += gap * gap
            if total <= reach2:
                if start + found < border.shape[0]:
                    border[start + found] = i
                found += 1
    return found


@kernel
def collect_borders(points, origin, first, count, boxes, reach, border_start, border):
    """Fill the borders of all leaves; returns how many entries they need (``border`` may be too short)."""
    stack = np.empty(STACK_SIZE, np.int64)
    total = 0
    for node in range(first.shape[0]):
        border_start[node] = total
        if count[node] > 0:
            total += _visit_border(points, origin, first, count, boxes, node, reach, stack, border, total)
    border_start[first.shape[0]] = total
    return total


@kernel
def node_ranges(first, count, ranges):
    """First point and end of each node, (nodes, 2) int64."""
    for node in range(first.shape[0] - 1, -1, -1):
        begin = first[node]
        if count[node] > 0:
            ranges[node, 0] = begin
            ranges[node, 1] = begin + count[node]
        else:
            ranges[node, 0] = ranges[begin, 0]
            ranges[node, 1] = ranges[begin + 1, 1]


@kernel
def describe_leaves(tree, ranges, leaf_of, leaf_boxes, central):
    """For each leaf, numbered along the points: its box with its border, and the point nearest to its mean.

    ``leaf_of`` (n,) int32 becomes the number of each point's leaf.
    """
    number = 0
    stack = np.empty(STACK_SIZE, np.int64)
    stack[0] = 0
    used = 1
    while used > 0:
        used -= 1
        node = stack[used]
        if tree.count[node] == 0:
            stack[used] = tree.first[node] + 1
            stack[used + 1] = tree.first[node]
            used += 2
            continue
        begin, end = ranges[node, 0], ranges[node, 1]
        mean = np.zeros(3)
        for i in range(begin, end):
            leaf_of[i] = number
            for k in range(3):
                mean[k] += (tree.points[i, k] - tree.origin[k]) / (end - begin)
        best = np.inf
        for i in range(begin, end):
            d2 = 0.0
            for k in range(3):
                d2 += (tree.points[i, k] - tree.origin[k] - mean[k]) ** 2
            if d2 < best:
                best = d2
                central[number] = i
        for k in range(3):
            low = np.float64(tree.boxes[node, k])
            high = np.float64(tree.boxes[node, k + 3])
            for entry in range(tree.border_start[node], tree.border_start[node + 1]):
                c = tree.points[tree.border[entry], k] - tree.origin[k]
                low = min(low, c)
                high = max(high, c)
            leaf_boxes[number, k] = low
            leaf_boxes[number, k + 3] = high
        number += 1
    return number


@inner
def _choose_samples(ranges, node, leaf_of, central, samples):
    """Sample points evenly along the leaf order: leaves' central points where there are enough leaves."""
    begin, end = ranges[node, 0], ranges[node, 1]
    leaves = leaf_of[end - 1] - leaf_of[begin] + 1
    wanted = min(SAMPLE_COUNT, end - begin)
    for k in range(SAMPLE_COUNT):
        samples[node, k] = -1
    for k in range(wanted):
        if leaves >= SAMPLE_COUNT:
            samples[node, k] = central[leaf_of[begin] + ((2 * k + 1) * leaves) // (2 * wanted)]
        else:
            samples[node, k] = begin + ((2 * k + 1) * (end - begin)) // (2 * wanted)


@inner
def _farthest_corner2(box, x):
    total = 0.0
    for k in range(3):
        far = max(x[k] - box[k], box[k + 3] - x[k])
        total += far * far
    return total


@inner
def _sample(tree, node, k):
    i = tree.samples[node, k]
    return (
        tree.points[i, 0] - tree.origin[0],
        tree.points[i, 1] - tree.origin[1],
        tree.points[i, 2] - tree.origin[2],
    )


@inner
def _certified_radius2(tree, node, leaf_begin, leaf_end, leaf_boxes):
    largest = 0.0
    for leaf in range(leaf_begin, leaf_end):
        best = np.inf
        for k in range(SAMPLE_COUNT):
            if tree.samples[node, k] >= 0:
                best = min(best, _farthest_corner2(leaf_boxes[leaf], _sample(tree, node, k)))
        largest = max(largest, best)
    return largest


@kernel
def cover(tree, ranges, leaf_of, leaf_boxes, central):
    """Samples and certified radii of all nodes."""
    for node in range(tree.first.shape[0]):
        _choose_samples(ranges, node, leaf_of, central, tree.samples)
        first_leaf = leaf_of[ranges[node, 0]]
        last_leaf = leaf_of[ranges[node, 1] - 1]
        tree.radii[node] = _UP * math.sqrt(_certified_radius2(tree, node, first_leaf, last_leaf + 1, leaf_boxes))


@inner
def _random_hull_point(tree, node, weights, x):
    """A random point of the hull of a leaf's points and border: a convex combination of four of them."""
    own = tree.count[node]
    start = tree.border_start[node]
    total = own + tree.border_start[node + 1] - start
    scale = 0.0
    for j in range(4):
        weights[j] = -math.log(1.0 - np.random.random())
        scale += weights[j]
    x[:] = 0.0
    for j in range(4):
        pick = np.random.randint(total)
        i = tree.first[node] + pick if pick < own else tree.border[start + pick - own]
        for k in range(3):
            x[k] += weights[j] / scale * (tree.points[i, k] - tree.origin[k])


@kernel
def cover_by_chance(tree, ranges, leaf_nodes, leaf_of, tries, seed):
    """The paper's radii: for each node the farthest of ``tries`` random points of H from its nearest sample."""
    np.random.seed(seed)
    weights = np.empty(4)
    x = np.empty(3)
    for node in range(tree.first.shape[0]):
        first_leaf = leaf_of[ranges[node, 0]]
        last_leaf = leaf_of[ranges[node, 1] - 1]
        largest = 0.0
        for _ in range(tries):
            leaf = first_leaf + np.random.randint(last_leaf - first_leaf + 1)
            _random_hull_point(tree, leaf_nodes[leaf], weights, x)
            best = np.inf
            for k in range(SAMPLE_COUNT):
                if tree.samples[node, k] >= 0:
                    s = _sample(tree, node, k)
                    best = min(best, (x[0] - s[0]) ** 2 + (x[1] - s[1]) ** 2 + (x[2] - s[2]) ** 2)
            largest = max(largest, best)
        tree.radii[node] = math.sqrt(largest)


@kernel
def fit_planes(tree, ranges):
    """Mean plane of each node, and the offsets between which its points, and a leaf's border, lie along its normal."""
    reach = math.sqrt(tree.parameters[HORIZON2]) + tree.parameters[MARGIN]
    for node in range(tree.first.shape[0]):
        begin, end = ranges[node, 0], ranges[node, 1]
        middle = (
            tree.origin[0] + 0.5 * (np.float64(tree.boxes[node, 0]) + np.float64(tree.boxes[node, 3])),
            tree.origin[1] + 0.5 * (np.float64(tree.boxes[node, 1]) + np.float64(tree.boxes[node, 4])),
            tree.origin[2] + 0.5 * (np.float64(tree.boxes[node, 2]) + np.float64(tree.boxes[node, 5])),
        )
        step = max(1, (end - begin) // 256)
        sx = sy = sz = xx = xy = xz = yy = yz = zz = total = 0.0
        for i in range(begin, end, step):
            dx = tree.points[i, 0] - middle[0]
            dy = tree.points[i, 1] - middle[1]
            dz = tree.points[i, 2] - middle[2]
            total += 1.0
            sx += dx
            sy += dy
            sz += dz
            xx += dx * dx
            xy += dx * dy
            xz += dx * dz
            yy += dy * dy
            yz += dy * dz
            zz += dz * dz
        n = smallest_eigenvector(
            xx - sx * sx / total, xy - sx * sy / total, xz - sx * sz / total,
            yy - sy * sy / total, yz - sy * sz / total, zz - sz * sz / total,
        )  # fmt: skip
        low = np.inf
        high = -np.inf
        for i in range(begin, end):
            offset = 0.0
            for k in range(3):
                offset += n[k] * (tree.points[i, k] - tree.origin[k])
            low = min(low, offset)
            high = max(high, offset)
        for entry in range(tree.border_start[node], tree.border_start[node + 1]):
            i = tree.border[entry]
            offset = 0.0
            for k in range(3):
                offset += n[k] * (tree.points[i, k] - tree.origin[k])
            low = min(low, offset)
            high = max(high, offset)
        slack = 1e-6 * (abs(low) + abs(high) + reach)
        for k in range(3):
            tree.planes[node, k] = n[k]
        tree.planes[node, 3] = low - slack
        tree.planes[node, 4] = high + slack
