"""The C++ drivers of the benches: what they read, and what is said when they cannot be made."""

import shutil

import numpy as np
import pytest
from bench import native


def test_what_a_driver_reads(tmp_path):
    path = tmp_path / "mesh.bin"
    native.write_mesh(path, np.arange(9.0).reshape(3, 3), np.array([[0, 1, 2]]))
    data = path.read_bytes()
    assert np.frombuffer(data[:16], np.int64).tolist() == [3, 1]
    assert np.frombuffer(data[16:52], np.float32).tolist() == list(range(9))
    assert np.frombuffer(data[52:], np.int32).tolist() == [0, 1, 2]


def test_a_missing_compiler_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(native, "CACHE_DIRECTORY", tmp_path / "kernels")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(native.DriverUnavailable, match=r"g\+\+ is not installed"):
        native.compiled("rigid_embree", ["embree"])


@pytest.fixture
def echo(monkeypatch, tmp_path):
    """A driver that answers with the numbers it is asked."""
    if shutil.which("g++") is None:
        pytest.skip("no compiler")
    shutil.copy(native.SOURCES / "driver.h", tmp_path)
    (tmp_path / "echo.cpp").write_text(
        '#include "driver.h"\n'
        "int main() { return serve({{\"echo\", [](std::istringstream& words) {\n"
        "  double x, y; words >> x >> y; return std::vector<double>{x, y}; }}}); }\n"
    )  # fmt: skip
    monkeypatch.setattr(native, "SOURCES", tmp_path)
    monkeypatch.setattr(native, "CACHE_DIRECTORY", tmp_path / "kernels")


def test_questions_and_answers(echo):
    with native.Driver("echo", []) as driver:
        assert driver.ask("echo 0.1 -2") == [0.1, -2.0]
        assert driver.ask("echo 3 4") == [3.0, 4.0]
        with pytest.raises(RuntimeError, match="ended at 'what'"):
            driver.ask("what")


@pytest.mark.slow
def test_an_edited_source_is_compiled_again(echo):
    before = native.compiled("echo")
    assert native.compiled("echo") == before
    header = native.SOURCES / "driver.h"
    header.write_text(header.read_text() + "// edited\n")
    assert native.compiled("echo") != before
    (native.SOURCES / "echo.cpp").write_text("int main() {")
    with pytest.raises(native.DriverUnavailable, match="does not compile"):
        native.compiled("echo")
