"""The bench of haptic rates: a motion in contact, a table, and that it notices a translation that is too short."""

import meshclash as mc
import numpy as np
import pytest
from bench import haptic, soups
from bench.__main__ import main
from bench.mesh_generators import bumpy_sphere

pytestmark = pytest.mark.needs_jit


def test_every_pose_of_the_motion_is_rigid_and_in_contact():
    first, second = (mc.build(mc.TriangleMesh(*bumpy_sphere(600, seed))) for seed in (1, 2))
    poses = haptic.motion(first, second, 6)
    rotations = poses[:, :3, :3]
    assert np.allclose(rotations @ rotations.transpose(0, 2, 1), np.eye(3))
    assert mc.collides(first, second, None, poses).all()


@pytest.mark.slow
def test_the_table_and_the_verdict(capsys, tmp_path, monkeypatch):
    options = ["haptic", "--sizes", "600", "--steps", "4"]
    assert main([*options, "--json", str(tmp_path / "out.json")]) == 0
    table = capsys.readouterr().out
    for question in ("all contacts", "distance", "penetration", "first contact, stack"):
        assert question in table
    honest = haptic.penetration

    def short(*arguments, **options):
        found = honest(*arguments, **options)
        return mc.Penetration(0.5 * found.depth, found.direction, 0.0)

    monkeypatch.setattr(haptic, "penetration", short)
    assert main(options) == 1


@pytest.mark.slow
def test_soups_are_compared_and_differing_pairs_noticed(capsys, monkeypatch):
    options = ["soups", "--sizes", "300", "--runs", "1"]
    assert main(options) == 0
    table = capsys.readouterr().out
    assert "octree, boxes compared" in table and "octree [bytes / triangle]" in table
    honest = soups.collide_soups

    def forgetful(*arguments, **options):
        found = honest(*arguments, **options)
        found.pairs = found.pairs[1:]
        return found

    monkeypatch.setattr(soups, "collide_soups", forgetful)
    assert main(options) == 1
