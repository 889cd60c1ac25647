"""`python -m meshclash massive`: what the commands say and write, and their exit status."""

import subprocess
import sys

import meshclash as mc
import numpy as np
import pytest
from meshclash.__main__ import main
from solids import refined, torus
from strategies import matrix

RING = refined(torus(1.0, 0.4), 1)


@pytest.fixture
def files(tmp_path):
    np.savez(tmp_path / "ring.npz", vertices=RING[0], triangles=RING[1])
    assert main(["massive", "build", str(tmp_path / "ring.npz"), str(tmp_path / "a"), "--cluster-triangles", "64"]) == 0
    return tmp_path


def test_build_info_and_verify_say_what_a_file_holds(files, capsys):
    assert main(["massive", "build", str(files / "ring.npz"), str(files / "a"), "--cluster-triangles", "64"]) == 0
    built = capsys.readouterr().out
    assert f"{len(RING[1])} triangles, {len(RING[0])} vertices in " in built and "built in" in built
    assert main(["massive", "info", str(files / "a"), "--memory", "8"]) == 0
    assert capsys.readouterr().out.splitlines() == built.splitlines()[:2]
    assert main(["massive", "verify", str(files / "a")]) == 0
    assert "pages are as they were written" in capsys.readouterr().out


def test_collide_writes_what_it_finds_and_tells_by_its_status(files, capsys):
    pose = matrix(shift=(0.5, 0.0, 0.1))
    np.savetxt(files / "pose.txt", pose)
    both = [str(files / "a"), str(files / "a")]
    out = str(files / "found.npz")
    assert main(["massive", "collide", *both, "--pose-b", str(files / "pose.txt"), "--output", out]) == 1
    mesh = mc.TriangleMesh(*RING)
    expected = mc.collide(mesh, mesh, None, pose)
    assert str(expected) in capsys.readouterr().out
    with np.load(out) as found:
        assert (found["pairs"] == expected.pairs).all() and (found["kinds"] == expected.kinds).all()
        assert (found["segments"] == expected.segments()).all()
    np.savetxt(files / "pose.txt", matrix(shift=(9.0, 0.0, 0.0)))
    assert main(["massive", "collide", *both, "--pose-a", str(files / "pose.txt")]) == 0


def test_progressive_meshes_are_built_told_verified_and_asked(files, capsys):
    build = ["massive", "build", str(files / "ring.npz"), str(files / "p"), "--cluster-triangles", "64"]
    assert main([*build, "--progressive"]) == 0
    assert "progressive meshes: " in capsys.readouterr().out and (files / "p.progressive").exists()
    assert main(["massive", "verify", str(files / "p")]) == 0
    assert "p.progressive: all " in capsys.readouterr().out
    assert main(["massive", "collide", str(files / "p"), str(files / "p"), "--epsilon", "0.1", "--mode", "pm"]) == 1
    assert "MassiveCollision(" in capsys.readouterr().out


def test_levels_are_built_told_verified_and_asked(files, capsys):
    build = ["massive", "build", str(files / "ring.npz"), str(files / "a"), "--cluster-triangles", "64", "--levels"]
    assert main(build) == 0
    assert "levels: " in capsys.readouterr().out and (files / "a.levels").exists()
    assert main(["massive", "info", str(files / "a")]) == 0
    assert "(0.01 of the width): " in capsys.readouterr().out
    assert main(["massive", "verify", str(files / "a")]) == 0
    assert "a.levels: all " in capsys.readouterr().out
    np.savetxt(files / "pose.txt", matrix(shift=(2.81, 0.0, 0.0)))
    out = files / "found.npz"
    ask = ["massive", "collide", *[str(files / "a")] * 2, "--pose-b", str(files / "pose.txt"), "--output", str(out)]
    with mc.ClusteredMesh.open(files / "a") as mesh:
        for options in ({"epsilon": 0.1}, {"epsilon": 0.001}, {"epsilon": 0.001, "delta": 0.02}):
            expected = mc.massive_collide(mesh, mesh, None, matrix(shift=(2.81, 0.0, 0.0)), **options)
            status = main([*ask, *(word for name, value in options.items() for word in (f"--{name}", str(value)))])
            assert status == (expected.answer != "apart") and str(expected) in capsys.readouterr().out
            with np.load(out) as found:
                assert (found["clusters_b"] == expected.clusters_b).all() and (found["upper"] == expected.upper).all()
    (files / "a.levels").write_bytes(b"")
    assert main(["massive", "info", str(files / "a")]) == 2


def test_errors_are_one_line_and_status_2(files, capsys):
    (files / "cut").write_bytes((files / "a").read_bytes()[:-1])
    np.savetxt(files / "pose.txt", np.diag([2.0, 2.0, 2.0, 1.0]))
    for arguments, message in (
        (["info", str(files / "cut")], "bytes, but its header says"),
        (["verify", str(files / "none")], "No such file"),
        (["build", str(files / "a"), str(files / "b")], "meshes are read from"),
        (["collide", str(files / "a"), str(files / "a"), "--pose-a", str(files / "pose.txt")], "not rigid"),
        (["collide", str(files / "a"), str(files / "a"), "--pose-a", str(files / "a")], "no 4x4 matrix"),
        (["collide", str(files / "a"), str(files / "a"), "--pose-a", str(files / "none.txt")], "none.txt"),
        (["info", str(files / "a"), "--memory", "1"], "memory must be"),
    ):
        capsys.readouterr()
        assert main(["massive", *arguments]) == 2
        error = capsys.readouterr().err
        assert error.startswith("error: ") and message in error and error.count("\n") == 1, error


@pytest.mark.slow
def test_it_is_a_command_of_the_package(files):
    done = subprocess.run(
        [sys.executable, "-m", "meshclash", "massive", "info", str(files / "a")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "triangles" in done.stdout
