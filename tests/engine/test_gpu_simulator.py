"""Every kernel in Numba's simulator against the host: trees, pairs after every level, hits, element by element."""

import os
import subprocess
import sys
from pathlib import Path

import meshclash
import numpy as np
import pytest
from gpu_cases import TIGHT, cases, steps
from oracles.device_model.backend import HostBackend

HERE = Path(__file__).parent
pytestmark = pytest.mark.slow  # the simulation takes a minute


@pytest.fixture(scope="module")
def host():
    return steps(HostBackend(), with_fast=False)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    path = tmp_path_factory.mktemp("simulator") / "found.npz"
    engine = Path(meshclash.__file__).parents[1]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    environment["PYTHONPATH"] = f"{engine}{os.pathsep}{HERE}"
    command = [sys.executable, HERE / "gpu_simulation.py", path]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(np.load(path))


@pytest.mark.parametrize("case", [*cases(), "objects"])
def test_the_kernels_do_what_the_host_does(case, host, simulated):
    names = [name for name in host if name.startswith(f"{case}: ")]
    assert len(names) > (3 if case == "objects" else 6)
    for name in names:
        assert simulated[name].dtype == host[name].dtype, name
        assert np.array_equal(simulated[name], host[name]), name


@pytest.mark.parametrize("case", cases())
def test_the_queue_finds_what_the_levels_find(case, host, simulated):
    hits = host[f"{case}: hits"]
    assert np.array_equal(simulated[f"{case}: queue"], hits[np.lexsort(hits.T[::-1])])
    assert simulated[f"{case}: queue counts"].tolist() == host[f"{case}: counts"][:2].tolist()


@pytest.mark.parametrize("case", TIGHT)
@pytest.mark.parametrize("settings", ["_FIRST_CAPACITY, LAST_EPOCH", "_PATIENCE", "_FIRST_CAPACITY, _MOST_QUEUED"])
def test_the_queue_finds_it_without_room_and_without_patience(case, settings, simulated):
    for key in ("queue", "queue counts"):
        assert np.array_equal(simulated[f"{case}: {key}, {settings}"], simulated[f"{case}: {key}"]), key


def test_a_full_device_says_so(simulated):
    assert simulated["memory"].all()


def test_every_kernel_of_the_traversals_is_played(simulated):
    """Those of points and voxels have simulations of their own."""
    assert simulated["missing"].tolist() == []
