"""The examples of Python's users give what is known by construction, and notice what is not."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
import arm_planning
import box_stack
import haptic_probe


@pytest.mark.slow
def test_boxes_stand_on_each_other(capsys):
    assert box_stack.main(["--boxes", "3", "--steps", "60"]) == 0
    assert "3 boxes, 60 steps" in capsys.readouterr().out


@pytest.mark.slow
def test_a_stack_that_leans_too_far_is_noticed():
    bodies = box_stack.stack(2)
    bodies[2].pose[0, 3] += 0.45 * box_stack.SIZES[0]
    bodies[1].pose[0, 3] -= 0.45 * box_stack.SIZES[0]
    sideways, _ = box_stack.simulate(bodies, 60)
    assert sideways > box_stack.SLOP


@pytest.mark.slow
def test_a_probe_is_pushed_out(capsys, monkeypatch):
    monkeypatch.setattr(haptic_probe, "STEPS", 30)
    assert haptic_probe.main() == 0
    assert "us a step" in capsys.readouterr().out
    model = haptic_probe.mc.shapes.ConvexHull(haptic_probe.ball(0.1, 500)).mesh()
    force, torque = haptic_probe.force_on(model, np.array([[0.098, 0.0, 0.0], [0.2, 0.0, 0.0]]))
    assert force[0] > 0.0 and abs(torque).max() < 0.1 * force[0]
    monkeypatch.setattr(haptic_probe, "force_on", lambda *_: (np.zeros(3), np.zeros(3)))
    assert haptic_probe.main() == 1


@pytest.mark.slow
def test_the_arm_goes_around_the_wall(capsys, monkeypatch):
    straight = arm_planning.along(arm_planning.START, arm_planning.GOAL)
    assert not arm_planning.is_free(straight)
    assert arm_planning.main(["--seed", "3"]) == 0
    assert "free when looked at finely" in capsys.readouterr().out
    everywhere = (
        arm_planning.box((-3.0, -0.1, -3.0), (3.0, 0.1, -0.06)),
        arm_planning.box((0.1, -0.1, -3.0), (3, 0.1, 3)),
    )
    monkeypatch.setattr(arm_planning, "OBSTACLES", list(everywhere))
    assert arm_planning.plan(arm_planning.START, arm_planning.GOAL, tries=20) == []
    monkeypatch.setattr(arm_planning, "plan", lambda *_: [arm_planning.START, arm_planning.GOAL])
    assert arm_planning.main([]) == 1
