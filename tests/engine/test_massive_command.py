"""`python -m meshclash massive`: what the commands say and write, and their exit status."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import meshclash as mc
import numpy as np
import pytest
from meshclash import commands as command
from meshclash.__main__ import main
from solids import refined, torus
from strategies import matrix
from tasks.__main__ import main as tasks_main

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


def test_what_cannot_be_simplified_is_told_and_welded(files, capsys):
    ring = np.load(files / "ring.npz")
    corners = ring["vertices"][ring["triangles"]] + np.random.default_rng(1).uniform(-1e-6, 1e-6, (len(RING[1]), 3, 3))
    triangles = np.arange(3 * len(corners)).reshape(-1, 3)
    np.savez(files / "soup.npz", vertices=corners.reshape(-1, 3), triangles=triangles)
    build = ["massive", "build", str(files / "soup.npz"), str(files / "s"), "--cluster-triangles", "64", "--levels"]
    assert main(build) == 0
    assert "levels: nothing could be simplified" in capsys.readouterr().out
    assert main([*build, "--weld", "5e-6"]) == 0
    assert "bytes a triangle of the mesh" in capsys.readouterr().out
    assert main([*build, "--weld", "-1"]) == 2


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
    with mc.massive.ClusteredMesh.open(files / "a") as mesh:
        for options in ({"epsilon": 0.1}, {"epsilon": 0.001}, {"epsilon": 0.001, "delta": 0.02}):
            expected = mc.massive.massive_collide(mesh, mesh, None, matrix(shift=(2.81, 0.0, 0.0)), **options)
            status = main([*ask, *(word for name, value in options.items() for word in (f"--{name}", str(value)))])
            assert status == (expected.answer != "apart") and str(expected) in capsys.readouterr().out
            with np.load(out) as found:
                assert (found["clusters_b"] == expected.clusters_b).all() and (found["upper"] == expected.upper).all()
    (files / "a.levels").write_bytes(b"")
    assert main(["massive", "info", str(files / "a")]) == 2


def test_errors_are_one_line_and_status_2(files, capsys):
    shutil.copy(files / "a", files / "b.npz")
    (files / "bomb.txt").write_text("1_0 0 0 0\n" * 4)
    (files / "cut").write_bytes((files / "a").read_bytes()[:-1])
    np.savetxt(files / "pose.txt", np.diag([2.0, 2.0, 2.0, 1.0]))
    for arguments, message in (
        (["info", str(files / "cut")], "bytes, but its header says"),
        (["verify", str(files / "none")], "No such file"),
        (["build", str(files / "a"), str(files / "b")], "supported endings are"),
        (["collide", str(files / "a"), str(files / "a"), "--pose-a", str(files / "pose.txt")], "not rigid"),
        (["collide", str(files / "a"), str(files / "a"), "--pose-a", str(files / "a")], "not contain a 4x4 matrix"),
        (["collide", str(files / "a"), str(files / "a"), "--pose-a", str(files / "none.txt")], "none.txt"),
        (["info", str(files / "a"), "--memory", "1"], "memory must be"),
        (["info", str(files / "a"), "--memory", "nan"], "memory must be"),
        (["info", str(files / "a"), "--memory", "1e400"], "memory must be"),
        (["build", str(files / "ring.npz"), str(files / "ring.npz")], "which MeshClash needs to make it"),
        (["collide", str(files / "a"), str(files / "a"), "--output", str(files / "a")], "must end in .npz"),
        (
            ["collide", str(files / "b.npz"), str(files / "a"), "--output", str(files / "b.npz")],
            "which MeshClash needs to make it",
        ),
        (
            ["collide", str(files / "a"), str(files / "a"), "--pose-a", str(files / "bomb.txt")],
            "not contain a 4x4 matrix",
        ),
    ):
        capsys.readouterr()
        assert main(["massive", *arguments]) == 2
        error = capsys.readouterr().err
        assert error.startswith("error: ") and message in error and error.count("\n") == 1, error


FULL = "/dev/full"


def broken_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w")


def closed():
    stream = io.StringIO()
    stream.close()
    return stream


STREAMS = {
    "none": lambda: None,
    "closed": closed,
    "broken": broken_pipe,
    "full": lambda: os.fdopen(os.open(FULL, os.O_WRONLY), "w"),
}


@pytest.mark.parametrize("name", STREAMS)
def test_the_status_does_not_depend_on_streams(files, monkeypatch, name):
    """Contacts are 1 also where nobody can read of them, and what was asked for is written."""
    if name == "full" and not Path(FULL).exists():
        pytest.skip("this system has no device that is always full")
    out = files / "found.npz"
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", STREAMS[name]())
        patched.setattr(sys, "stderr", STREAMS[name]())
        assert main(["massive", "collide", *[str(files / "a")] * 2, "--output", str(out)]) == 1
        assert main(["massive", "info", str(files / "a")]) == 0
        assert main(["massive", "info", str(files / "none")]) == 2
    with np.load(out) as found:
        assert len(found["pairs"])


def test_a_fault_of_the_program_is_no_contact(files, monkeypatch, capsys):
    def fail(*_arguments, **_options):
        raise OverflowError("a fault")

    monkeypatch.setattr(command, "collide", fail)
    assert main(["massive", "collide", *[str(files / "a")] * 2]) == 3
    assert "internal error" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="limits of files are of POSIX")
def test_an_output_is_written_whole_or_not_at_all(files, capsys):
    resource = pytest.importorskip("resource")
    out, limits = files / "found.npz", resource.getrlimit(resource.RLIMIT_FSIZE)
    out.write_text("old")
    for name in ("levels", "pairs"):
        more = ["--epsilon", "0"] if name == "levels" else []
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
        try:
            assert main(["massive", "collide", *[str(files / "a")] * 2, "--output", str(out), *more]) == 2
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert out.read_text() == "old" and not list(files.glob(".meshclash*")), name
        assert f"error: the output '{out}' cannot be written: " in capsys.readouterr().err


def test_workers_without_certificates_are_an_error_of_one_line(files, monkeypatch, capsys):
    security = pytest.importorskip("distributed.security")

    def missing():
        raise ImportError("No module named 'cryptography'")

    monkeypatch.setattr(security.Security, "temporary", missing)
    assert tasks_main([*[str(files / "a")] * 2, "--workers", "1"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "cryptography" in error and "pip install" in error


@pytest.mark.slow
def test_it_is_a_command_of_the_package(files):
    done = subprocess.run(
        [sys.executable, "-m", "meshclash", "massive", "info", str(files / "a")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "triangles" in done.stdout


def test_the_command_tells_its_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0 and capsys.readouterr().out == f"meshclash {mc.__version__}\n"


def test_a_python_without_numba_is_told_in_one_line():
    code = "import sys; sys.modules['numba'] = None; from meshclash.__main__ import main; print(main(['--version']))"
    engine = Path(mc.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(engine)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "2"
    assert done.stderr.startswith("meshclash: ") and "has no numba" in done.stderr and done.stderr.count("\n") == 1
