"""What reproduces Klein and Zachmann (2004) agrees with the searches that are in use."""

import meshclash as mc
import numpy as np
import pytest
from clouds import plane, shifted, sphere, torus

POSES = {
    "sphere": lambda gap: shifted(2.0 + gap),
    "plane": lambda gap: shifted(z=-1.0 - gap),
    "torus": lambda gap: shifted(2.4 + gap),
}
"""Of each shape, with a known gap to a unit sphere about the origin; negative: they cross."""


@pytest.fixture(scope="module")
def shapes():
    rng = np.random.default_rng(0)
    made = {"sphere": sphere, "plane": plane, "torus": torus}
    return {name: mc.clouds.PointCloud(make(rng, 20_000, noise=0.004)[0]) for name, make in made.items()}


@pytest.mark.slow
def test_the_papers_mode_agrees_on_clear_cases(shapes):
    a = shapes["sphere"]
    control = mc.lab.PaperControl(0.5)
    for second in ("sphere", "plane", "torus"):
        for gap in (-0.3, -0.1, 0.1, 0.3):
            answer = mc.lab.cloud_collision(
                a, shapes[second], None, POSES[second](gap), method="paper", control=control
            )
            assert answer.colliding == (gap < 0), (second, gap)
            again = mc.lab.cloud_collision(a, shapes[second], None, POSES[second](gap), method="paper")
            once_more = mc.lab.cloud_collision(a, shapes[second], None, POSES[second](gap), method="paper")
            assert again.stats.exact_tests == once_more.stats.exact_tests
            assert again.colliding == once_more.colliding == (gap < 0)


def test_the_papers_control_follows_the_clock():
    control = mc.lab.PaperControl(1e-3)
    start = control.test_points, control.enough
    control.after(4e-3)
    assert control.test_points == pytest.approx(start[0] / 2)
    assert control.enough == pytest.approx(start[1] * 2)
    for _ in range(20):
        control.after(1e-6)
    assert (control.test_points, control.enough) == (1000.0, 0.05)


@pytest.mark.slow
def test_a_query_ends_when_the_budget_of_its_control_is_spent(shapes):
    a, b = shapes["sphere"], shapes["torus"]
    plain = mc.lab.cloud_collision(a, b, None, POSES["torus"](0.02), method="paper")
    short = mc.lab.cloud_collision(
        a, b, None, POSES["torus"](0.02), method="paper", control=mc.lab.PaperControl(1e-9)
    )  # fmt: skip
    assert plain.complete and not short.complete and short.stats.volume_tests < plain.stats.volume_tests
