"""Who compiles says so once; a cache that cannot be written is warned of once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from meshclash.compile_notice import COMPILING, QUIET

ENGINE = Path(__file__).resolve().parents[2] / "engine"
ASK = """
import numpy as np
import meshclash as mc
mc.Pose, mc.TriangleMesh
from meshclash.types.pose import check_stack
check_stack(np.eye(4)[None])
"""


def stderr_of(folder, **environment):
    given = {**os.environ, "PYTHONPATH": str(ENGINE), "MESHCLASH_CACHE_DIR": str(folder), **environment}
    done = subprocess.run([sys.executable, "-c", ASK], env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.slow
@pytest.mark.needs_jit
def test_who_compiles_says_so_once_and_later_nothing(tmp_path):
    assert stderr_of(tmp_path).count(COMPILING) == 1
    assert stderr_of(tmp_path) == ""


@pytest.mark.parametrize("name", ["shapes.ConvexHull", "clouds.PointCloud", "collide"])
def test_whoever_asks_for_a_public_name_first_is_told(name):
    program = f"import meshclash as mc; mc.{name}; print(len(mc.kernels.cache.before_compiling))"
    given = {**os.environ, "PYTHONPATH": str(ENGINE)}
    done = subprocess.run([sys.executable, "-c", program], env=given, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


@pytest.mark.slow
@pytest.mark.needs_jit
def test_a_cache_that_cannot_be_written_is_warned_of_once(tmp_path):
    (tmp_path / "file").touch()
    told = stderr_of(tmp_path / "file" / "folder")
    assert told.count("RuntimeWarning") == 1 and "every session compiles them anew" in told
    assert stderr_of(tmp_path / "file" / "folder", **{QUIET: "1"}) == ""


@pytest.mark.slow
@pytest.mark.needs_jit
def test_an_application_may_say_it_itself(tmp_path):
    """Its function is called in place of ours, whoever asks for public names afterwards."""
    program = """
import numpy as np
import meshclash.compile_notice as compiling
compiling.tell_compiling([lambda: print("the window says so")])
import meshclash as mc
mc.Pose
from meshclash.types.pose import check_stack
check_stack(np.eye(4)[None])
"""
    given = {**os.environ, "PYTHONPATH": str(ENGINE), "MESHCLASH_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=given, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("the window says so", "")
