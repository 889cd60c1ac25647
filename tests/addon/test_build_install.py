"""The zip, built, validated by Blender's tool, installed and used in a Python that has no Numba of its own."""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest
from meshclash import jit

ROOT = Path(__file__).resolve().parents[2]
OWN_NUMBA = ("numba", "llvmlite", "meshclash", "__editable__", "_meshclash")


@pytest.fixture(scope="module")
def zip_path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    script = ROOT / "blender_scripts" / "build_extension.py"
    finished = subprocess.run(
        [sys.executable, str(script), "--output", str(folder), "--without-kernels"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return next(folder.glob("*.zip"))


@pytest.fixture(scope="module")
def packages_without_numba(tmp_path_factory):
    """The packages of this environment as links, without those that the zip brings."""
    folder = tmp_path_factory.mktemp("packages")
    for package in Path(importlib.metadata.distribution("bpy").locate_file("")).iterdir():
        if not package.name.startswith(OWN_NUMBA) and package.suffix != ".pth":
            (folder / package.name).symlink_to(package)
    return folder


@pytest.mark.slow
def test_installs_detects_and_leaves(zip_path, packages_without_numba):
    """With kernels that were compiled elsewhere, but for a few: its own Numba compiles them, and loads the others."""
    environment = {**os.environ, "PYTHONPATH": str(packages_without_numba), "PYTHONNOUSERSITE": "1"}
    arguments = [str(Path(__file__).with_name("installed_zip.py")), str(zip_path), str(jit.CACHE_DIRECTORY)]
    finished = subprocess.run(
        [sys.executable, "-S", *arguments],
        env=environment, capture_output=True, text=True, check=False, timeout=540,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "installed, detected and disabled" in finished.stdout
