"""The bench of devices, on backends without one: it says so, measures the host backend, and notices a wrong answer."""

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from bench import device_near, device_times, gpu
from bench.device_times import Clock, in_turn
from gpu_cases import needs_cuda_target
from meshclash.gpu import device
from meshclash.gpu.state import DeviceFault, DeviceState
from oracles.device_model.backend import HostBackend

pytestmark = pytest.mark.needs_jit


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.setattr(device, "_look", lambda: DeviceState(False, "there is none"))
    device._state.clear()

    def run(*arguments):
        parser = argparse.ArgumentParser()
        gpu.add_arguments(parser)
        output = tmp_path / "table.md"
        given = ["--sizes", "300,3k", "--checked", "300", "--runs", "1", "--output", str(output), *arguments]
        return gpu.run(parser.parse_args(given)), output.read_text()

    yield run
    device._state.clear()


@pytest.mark.slow
def test_without_a_device_the_host_is_measured(run):
    status, text = run()
    assert status == 0
    assert "No GPU: there is none." in text
    assert "NO" not in text.replace("No GPU", "")
    assert text.count("| bumpy") == 3
    assert "| count_pairs" in text


def test_a_wrong_answer_is_noticed(run, monkeypatch):
    right = gpu.contacts_of

    def wrong(*given):
        answer = right(*given)
        return answer._replace(pairs=answer.pairs[:, ::-1].copy())

    monkeypatch.setattr(gpu, "contacts_of", wrong)
    status, text = run()
    assert status == 1
    assert "| NO" in text


def test_a_wrong_distance_is_noticed(run, monkeypatch):
    right = device_near.find_distances

    def wrong(*given):
        (pairs, distances, jobs, points), counts = right(*given)
        return (pairs, np.zeros_like(distances), jobs, points), counts

    monkeypatch.setattr(device_near, "find_distances", wrong)
    assert run()[0] == 1


def test_what_would_take_too_long_is_named(run):
    status, text = run("--seconds", "0")
    assert status == 0
    checks = "checks of bumpy 300, checks of part 300, checks of scan 300"
    assert f"Left out for lack of time: {checks}, what is near, 3k, bumpy 3k." in text
    assert "Left out for lack of time: nothing." in run("--seconds", "200")[1]


def test_a_part_that_fails_is_named_and_the_others_go_on(run, monkeypatch):
    def failing(*arguments):
        raise DeviceFault("the device failed: [700] lost")

    monkeypatch.setattr(gpu.device_times, "times", failing)
    status, text = run()
    assert status == 1
    assert "FAILED: times: DeviceFault: the device failed: [700] lost" in text
    assert "| count_pairs" in text


def test_what_was_measured_before_a_part_failed_is_written(run, monkeypatch):
    times = gpu.device_times.times

    def failing(*arguments):
        yield next(times(*arguments))
        raise DeviceFault("the device did not finish a queue")

    monkeypatch.setattr(gpu.device_times, "times", failing)
    status, text = run()
    assert status == 1
    assert "FAILED: times: DeviceFault: the device did not finish a queue" in text
    assert "| bumpy 300 |       300 |" in text.partition("FAILED")[2]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system cannot interrupt")
def test_what_takes_too_long_is_stopped(run, monkeypatch):
    def endless(*arguments):
        yield from ()
        time.sleep(60.0)

    monkeypatch.setattr(gpu.device_times, "times", endless)
    monkeypatch.setattr(gpu, "STOPPED_AFTER", 0.2)
    status, text = run("--seconds", "0")
    assert status == 1
    assert "FAILED: times: TimeoutError: stopped: the time is over" in text
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_row_of_a_million_beside_what_is_aimed_at():
    row = {"model": "bumpy 1M", "triangles": 1_002_252, "queue ms": 0.8, "build ms": 1.7, "CPU / queue": 20.0}
    told = device_times.beside_the_aims(row)
    assert "all pairs 0.8 ms (aim: 1.0) reached, hierarchy 1.7 ms (aim: 1.5) missed" in told
    assert "20.0 times our CPU path on all cores (aim: 20.0) reached" in told
    assert device_times.beside_the_aims({**row, "triangles": 300_000}) == ""


def test_a_queue_that_fails_leaves_the_other_times(monkeypatch):
    class Failing(HostBackend):
        name = "cuda"

        def traverse_fast(self, *arguments):
            raise DeviceFault("the device did not finish a queue")

    rows = []
    with pytest.raises(DeviceFault, match="bumpy 300: the device did not finish"):
        rows.extend(device_times.times([300], ["bumpy"], Failing(), 1, Clock(100.0)))
    [row] = rows
    assert row["same"] == "NO"
    assert math.isnan(row["queue ms"])
    assert row["levels ms"] > 0.0


def test_where_the_device_wins_to_the_end_is_the_crossover():
    assert "from 30 points on" in gpu._crossover("p", "points", [(10, 2.0), (20, 0.9), (30, 1.5), (40, 3.0)])
    assert "no size" in gpu._crossover("p", "points", [(10, 2.0), (20, 1.0)])
    assert "no size" in gpu._crossover("p", "points", [])


def test_rounds_end_with_the_time_and_are_at_least_two():
    calls = []
    for left, rounds in ((1e3, 4), (0.0, 2)):
        calls.clear()
        clock = Clock(left)
        seconds, done, _ = in_turn({"a": lambda: calls.append(1)}, 3, clock, time.perf_counter)
        assert (len(calls), done) == (rounds, rounds - 1)
        assert seconds["a"] >= 0.0


@pytest.mark.slow
@needs_cuda_target
def test_the_whole_bench_in_the_simulator(tmp_path):
    """What is run once on a rented GPU must not fail by an error of its own."""
    engine = Path(gpu.__file__).parents[1]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    environment["PYTHONPATH"] = f"{engine}{os.pathsep}{Path(__file__).parent}"
    options = ["--sizes", "24", "--checked", "24", "--points", "12", "--runs", "1", "--output", str(tmp_path / "t.md")]
    code = "import sys, simulated_blocks as s; s.use(); from bench.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "gpu", *options, "--json", str(tmp_path / "t.json")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "t.md").read_text()
    assert "Numba's simulator" in text
    assert "| NO " not in text
    assert "FAILED" not in text
    found = json.loads((tmp_path / "t.json").read_text())
    assert [row["levels as the host's"] for row in found["checks"]] == ["yes"] * 3
    assert len(found["points"]) == len(found["near"]) == 3
    assert [(row["same"], row["levels as the host's"]) for row in found["near"]] == [("yes", "yes")] * 3
    assert {row["part"] for row in found["profile"]} == {"build", "levels", "queue", "nothing"}
    assert {"queue ms", "levels ms", "CPU / queue"} <= set(found["times"][0])
    for name in device.CROSSOVERS:
        assert f"{name}: " in text
    assert "MB" in text
