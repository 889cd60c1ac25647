"""The result for every pair of objects when a search stops: where the objects probably meet, and the probability of a
contact.
"""

import numpy as np

from ..jit import inlined, inner, kernel
from .collision_probability import collision_probability, measures
from .heap import JOB, NODE_A, NODE_B, SET_ASIDE, probability_of
from .traversal import APART, FILLED, HEIGHTS, LEFT, MEET, MET, OPENED, STATUS, TESTED, TRIANGLE_A, USED, common_share
from .trees import SPREAD, forest_at, nodes_at

LOOKED_AT = 1 << 14
"""How many pairs of nodes, from the top of the heap on, are searched for the most likely one of each job."""


@kernel
def conclude(
    trees, sizes, jobs, poses, frames, state, rows, hazards, keys, entries, width, zero, best, probabilities, intervals,
    regions, measured,
):  # fmt: skip
    """Compute for every job the probability that the objects collide, its interval, and the world box of the place.

    The box, (2, 3) [m], is NaN if no location is known. ``measured`` receives the measures of
    ``collision_probability.py``; the measures are NaN if the result is exact. ``best`` (k,) int64 is a work array.
    """
    best[:] = -1
    for e in range(min(state[USED], LOOKED_AT)):
        job = entries[e, JOB]
        if best[job] < 0 or _probability(keys, entries, e) > _probability(keys, entries, best[job]):
            best[job] = e
    for job in range(jobs.shape[0]):
        status = rows[job, STATUS]
        if status == MEET:
            probabilities[job] = intervals[job, 0] = intervals[job, 1] = 1.0
            measured[job] = np.nan
            regions[job] = np.nan
            if rows[job, TRIANGLE_A] >= 0:
                _meeting_box(trees, jobs, poses, rows, job, width, zero, regions[job])
        elif status == APART:
            probabilities[job] = intervals[job, 0] = intervals[job, 1] = 0.0
            measured[job] = np.nan
            regions[job] = np.nan
        else:
            _, _, _, boxes_a, _, heights_a = nodes_at(trees, jobs[job, 0], width)
            _, _, _, boxes_b, _, heights_b = nodes_at(trees, jobs[job, 1], width)
            common, ratio = common_share(boxes_a[0], boxes_b[0], frames[job])
            measures(
                hazards[job], rows[job, LEFT], rows[job, OPENED], rows[job, HEIGHTS],
                np.int64(heights_a[0]) + np.int64(heights_b[0]), rows[job, FILLED],
                0.5 * (sizes[jobs[job, 0], SPREAD] + sizes[jobs[job, 1], SPREAD]), common, ratio,
                rows[job, TESTED], rows[job, MET], measured[job],
            )  # fmt: skip
            probabilities[job] = collision_probability(measured[job], intervals[job])
            regions[job] = np.nan
            if best[job] >= 0:
                node_a, node_b = entries[best[job], NODE_A], entries[best[job], NODE_B]
                box_a = nodes_at(trees, jobs[job, 0], width)[3][node_a]
                box_b = nodes_at(trees, jobs[job, 1], width)[3][node_b]
                _common_box(box_a, box_b, frames[job], sizes[jobs[job, 0]], poses[job, 0], regions[job])


@inlined
def _probability(keys, entries, e):
    return probability_of(keys[e], entries[e, SET_ASIDE])


@inner
def _common_box(box_a, box_b, relative, size_a, pose_a, region):
    """Write the world box of the intersection of two nodes' boxes, computed in a's frame."""
    low, high = np.empty(3), np.empty(3)
    for i in range(3):
        middle, extent = relative[9 + i], 0.0
        for j in range(3):
            middle += relative[3 * i + j] * 0.5 * (np.float64(box_b[j]) + np.float64(box_b[3 + j]))
            extent += abs(relative[3 * i + j]) * 0.5 * (np.float64(box_b[3 + j]) - np.float64(box_b[j]))
        low[i] = size_a[i] + max(np.float64(box_a[i]), middle - extent)
        high[i] = size_a[i] + min(np.float64(box_a[3 + i]), middle + extent)
    for i in range(3):
        lowest = highest = pose_a[i, 3]
        for j in range(3):
            first, second = pose_a[i, j] * low[j], pose_a[i, j] * high[j]
            lowest += min(first, second)
            highest += max(first, second)
        region[0, i], region[1, i] = lowest, highest


@inner
def _meeting_box(trees, jobs, poses, rows, job, width, zero, region):
    """Write the intersection of the world boxes of the two triangles that meet."""
    region[0] = -np.inf
    region[1] = np.inf
    for side in range(2):
        forest = forest_at(trees, jobs[job, side], width, zero)
        pose = poses[job, side]
        triangle = rows[job, TRIANGLE_A + side]
        for i in range(3):
            lowest, highest = np.inf, -np.inf
            for corner in range(3):
                v = forest.triangles[triangle, corner]
                x, y, z = forest.vertices[v, 0], forest.vertices[v, 1], forest.vertices[v, 2]
                w = pose[i, 0] * x + pose[i, 1] * y + pose[i, 2] * z + pose[i, 3]
                lowest, highest = min(lowest, w), max(highest, w)
            region[0, i] = max(region[0, i], lowest)
            region[1, i] = min(region[1, i], highest)
