"""Verdicts of constructed configurations (see verdict_cases.py), in exact poses and, where robust, in any pose."""

import meshclash as mc
import numpy as np
import pytest
from verdict_cases import CLASH, DUPLICATE, Case, all_cases

CASES = all_cases()
DEPTH_TOLERANCE = 0.05


def matrix(rotation, shift):
    result = np.eye(4)
    result[:3, :3] = rotation
    result[:3, 3] = shift
    return result


def rotation(axis, angle):
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


QUARTER_TURN = matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]], (2.0**20, -3.25, 17.5))
ANY_POSE = matrix(rotation((1, 2, 3), 0.7), (0.3, -11.7, 5.1))


def assert_verdict(case: Case, pose_a, pose_b, shift_b=(0.0, 0.0, 0.0)):
    """The verdict in both orders; b's vertices are shifted by -shift_b, which its pose must undo."""
    a, b = mc.TriangleMesh(*case.a), mc.TriangleMesh(case.b[0] - np.array(shift_b), case.b[1])
    options = {"permitted_overlap": case.permitted_overlap, "touch_tolerance": case.touch_tolerance}
    poses = mc.Pose.from_matrix(pose_a), mc.Pose.from_matrix(pose_b)
    found = mc.verdict(a, b, *poses, **options)
    swapped = mc.verdict(b, a, *poses[::-1], **options)
    assert (found.name, swapped.name) == (case.verdict, case.verdict)
    if case.depth is not None:
        assert (found.depth, swapped.depth) == pytest.approx((case.depth, case.depth), rel=DEPTH_TOLERANCE)


def ids(cases):
    return [case.name.replace(" ", "-") for case in cases]


def test_there_are_enough_cases_and_their_names_differ():
    assert len({case.name for case in CASES}) == len(CASES) >= 200


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_verdict_as_built(case):
    assert_verdict(case, np.eye(4), np.eye(4))


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_verdict_after_a_quarter_turn_far_from_the_origin(case):
    """Each mesh has its own pose; coordinates stay exact (those of the unrounded round bodies need not)."""
    shift = (2.5, -7.25, 64.0)
    assert_verdict(case, QUARTER_TURN, QUARTER_TURN @ matrix(np.eye(3), shift), shift)


ROBUST = [case for case in CASES if case.robust]


@pytest.mark.parametrize("case", ROBUST, ids=ids(ROBUST))
def test_verdict_in_any_pose(case):
    """Rounding moves the coordinates, so only verdicts that do not hang on exact contact are asked for; bodies that are
    duplicates keep a common pose, under which equal coordinates stay equal."""
    shift = (0.0, 0.0, 0.0) if case.verdict == DUPLICATE else (1.5, -2.25, 4.0)
    assert_verdict(case, ANY_POSE, ANY_POSE @ matrix(np.eye(3), shift), shift)


def test_most_verdicts_are_tested_in_any_pose():
    assert {case.verdict for case in ROBUST} >= {CLASH, DUPLICATE} and len(ROBUST) > len(CASES) // 2
