"""The bench of devices, on machines without one: it says so, measures the twin, and notices a wrong answer."""

import argparse

import pytest
from meshclash.bench import gpu
from meshclash.gpu import device
from meshclash.gpu.state import DeviceState

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


def test_without_a_device_the_twin_is_measured(run):
    status, text = run()
    assert status == 0
    assert "No GPU: there is none." in text
    assert "NO" not in text.replace("No GPU", "")
    assert text.count("| bumpy") == 3
    assert "| count_pairs" in text


def test_a_wrong_answer_is_noticed(run, monkeypatch):
    right = gpu.finish
    monkeypatch.setattr(gpu, "finish", lambda *given: right(*given)._replace(pairs=right(*given).pairs[:, ::-1].copy()))
    status, text = run()
    assert status == 1
    assert "| NO" in text


def test_sizes_that_would_take_too_long_are_named(run):
    status, text = run("--seconds", "0")
    assert status == 0
    assert "Left out for lack of time: 3k." in text
