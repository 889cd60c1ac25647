"""What the wheel brings: the package, and nothing that is run from a checkout."""

from pathlib import Path, PurePosixPath

from hatchling.builders.wheel import WheelBuilder

SUFFIXES = (".py", ".pyi", ".js", ".css", ".txt")
ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_has_the_package_and_nothing_of_a_checkout():
    files = {PurePosixPath(file.distribution_path) for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    store = {file for file in files if file.is_relative_to("meshclash/kernels/store")}
    package = ROOT / "engine" / "meshclash"
    sources = {path.relative_to(ROOT / "engine").as_posix() for path in package.rglob("*") if path.suffix in SUFFIXES}
    assert {file.as_posix() for file in files - store} == sources | {"meshclash/py.typed"}
    assert not [name for name in sources if {"bench", "oracles", "tasks"} & set(PurePosixPath(name).parts)]
