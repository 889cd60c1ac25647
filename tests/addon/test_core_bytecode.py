"""Bytecode is written file by file, once, for what a package imports, and only where that is possible."""

import sys

import pytest

from addon.core.bytecode import bytecode_steps


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    root = tmp_path / "some"
    for name, text in {
        "__init__.py": "from some import one\nimport some.deep.low\n",
        "one.py": "from . import (two,\n  three as four)\nfrom .deep import low\n",
        "two.py": "def f():\n    from . import never\n",
        "three.py": "import os\n",
        "never.py": "",
        "asked.py": "",
        "deep/__init__.py": "",
        "deep/low.py": "from ..three import x\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def written(root):
    return sorted(path.name.split(".")[0] for path in root.rglob("*.pyc"))


def test_each_file_is_a_step_and_the_second_time_there_is_none(package):
    given = {"some": package}, ("some.asked",)
    assert len(list(bytecode_steps(*given))) == 7
    assert written(package) == ["__init__", "__init__", "asked", "low", "one", "three", "two"]
    assert list(bytecode_steps(*given)) == []


def test_a_run_that_was_stopped_goes_on(package):
    next(bytecode_steps({"some": package}, ()))
    assert len(written(package)) == 1
    list(bytecode_steps({"some": package}, ()))
    assert len(written(package)) == 6


def test_where_nothing_can_be_written_it_ends(package):
    for folder in (package, package / "deep"):
        (folder / "__pycache__").write_text("a file is in the way")
    assert list(bytecode_steps({"some": package}, ())) == []


def test_a_source_that_python_refuses_is_left_to_the_import(package):
    (package / "one.py").write_text("from . import two\nthis is no Python\n")
    list(bytecode_steps({"some": package}, ()))
    assert "one" not in written(package)


def test_who_wants_no_bytecode_gets_none(package, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert list(bytecode_steps({"some": package}, ())) == []
