"""The zip: its manifest, its notices, and what moderators refuse."""

import base64
import hashlib
import importlib.util
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from meshclash.kernels.sources import whole_hash

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("build_extension", ROOT / "blender_scripts" / "build_extension.py")
build_extension = importlib.util.module_from_spec(spec)
sys.modules["build_extension"] = build_extension
spec.loader.exec_module(build_extension)

FORBIDDEN = {
    "threads": r"^\s*(import|from)\s+(threading|_thread|concurrent|multiprocessing|asyncio)\b",
    "sub-processes": r"^\s*(import|from)\s+subprocess\b",
    "eval and exec": r"(?<![\w.])(eval|exec)\(",
    "sys.path": r"\bsys\.path\b",
    "sys.modules": r"\bsys\.modules\b",
    "pip": r"\b(ensurepip|pip\.main|-m pip|import pip)\b",
    "the network": r"^\s*(import|from)\s+(socket|urllib|http|requests)\b",
    "absolute imports of itself": r"^\s*(import|from)\s+(addon|bl_ext|meshclash)\b",
}

ALLOWED = {"sub-processes": ["meshclash/kernels/builder.py: import subprocess"]}  # Blender's own Python, to compile


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stage") / "meshclash"
    build_extension.copy_sources(folder)
    return folder


def fake_wheel(folder, name, members):
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        for member in members:
            archive.writestr(member, f"text of {member}")
    return path


@pytest.mark.parametrize("what", FORBIDDEN)
def test_shipped_sources_have_nothing_that_moderators_refuse(stage, what):
    pattern = re.compile(FORBIDDEN[what], re.MULTILINE)
    found = [
        f"{path.relative_to(stage).as_posix()}: {match.group().strip()}"
        for path in sorted(stage.rglob("*.py"))
        for match in pattern.finditer(path.read_text("utf-8"))
    ]
    assert found == ALLOWED.get(what, [])


def test_the_engine_is_a_sub_package_without_benchmarks_and_caches(stage):
    assert (stage / "meshclash" / "__init__.py").is_file()
    names = {path.name for path in stage.rglob("*")}
    assert not names & {"bench", "oracles", "tasks", "__pycache__"}
    assert not [name for name in names if name.endswith((".pyc", ".nbi", ".nbc"))]


def test_kernels_of_the_engine_are_those_of_what_is_shipped(stage):
    """A store carries the hash of the sources that it was compiled from, and is used for no others."""
    assert whole_hash(stage / "meshclash") == whole_hash()


def test_the_engine_imports_itself_relatively_only(stage):
    absolute = re.compile(r"^\s*(import|from)\s+meshclash\b", re.MULTILINE)
    assert not [path for path in (stage / "meshclash").rglob("*.py") if absolute.search(path.read_text("utf-8"))]


def test_manifest_of_a_range(stage):
    text = (stage / "blender_manifest.toml").read_text("utf-8")
    wheels = [Path("numba-0-cp311-cp311-any.whl"), Path("llvmlite-0-cp311-cp311-any.whl")]
    done = tomllib.loads(build_extension.complete_manifest(text, "linux-x64", build_extension.RANGES["py311"], wheels))
    assert (done["blender_version_min"], done["blender_version_max"]) == ("4.2.0", "5.1.0")
    assert done["platforms"] == ["linux-x64"]
    assert done["wheels"] == [f"./wheels/{wheel.name}" for wheel in wheels]
    newer = tomllib.loads(build_extension.complete_manifest(text, "linux-x64", build_extension.RANGES["py313"], wheels))
    assert newer["blender_version_min"] == "5.1.0" and "blender_version_max" not in newer


def test_manifest_limits_of_the_extensions_site():
    manifest = tomllib.loads((ROOT / "addon" / "blender_manifest.toml").read_text("utf-8"))
    assert len(manifest["tagline"]) <= 64 and not manifest["tagline"].endswith(".")
    assert all(len(text) <= 64 and not text.endswith(".") for text in manifest["permissions"].values())


def test_one_version_everywhere():
    manifest = tomllib.loads((ROOT / "addon" / "blender_manifest.toml").read_text("utf-8"))
    assert manifest["version"] == tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def test_name_of_the_zip(stage):
    text = (stage / "blender_manifest.toml").read_text("utf-8")
    versions = build_extension.BlenderRange(("311", "314"), "4.2.0", None)
    assert re.fullmatch(
        r"meshclash-[\d.]+-linux-x64-py311-py314\.zip", build_extension.zip_name(text, "linux-x64", versions)
    )


def test_a_zip_for_a_gpu_says_so(stage, tmp_path, capsys):
    text = (stage / "blender_manifest.toml").read_text("utf-8")
    assert build_extension.zip_name(text, "linux-x64", build_extension.RANGES["py313"], True).endswith("-py313-gpu.zip")
    for wrong in (["--all"], ["--platform", "macos-arm64"]):
        with pytest.raises(SystemExit):
            build_extension.main(["--gpu", "--platform", "linux-x64", *wrong, "--output", str(tmp_path)])
        assert "Linux or Windows" in capsys.readouterr().err


def test_wheels_for_any_python_or_platform_are_taken(tmp_path):
    for name in (
        "nvidia_nvvm-13.5.37-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl",
        "nvidia_nvvm-13.5.37-py3-none-win_amd64.whl",
        "packaging-26.3-py3-none-any.whl",
        "cuda_core-1.2.2-cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64.whl",
        "cuda_core-1.2.2-cp313-cp313-manylinux_2_24_x86_64.manylinux_2_28_x86_64.whl",
    ):
        fake_wheel(tmp_path, name, [])
    for requirement in ("nvidia-nvvm==13.5.37", "packaging==26.3", "cuda-core==1.2.2"):
        assert len(build_extension._downloaded(requirement, "linux-x64", "311", tmp_path)) == 1
    assert build_extension._downloaded("cuda-core==1.2.2", "windows-x64", "311", tmp_path) == []


def test_licences_are_readable_in_the_zip(tmp_path):
    wheel = fake_wheel(tmp_path, "numba-1-cp311-any.whl", ["numba-1.dist-info/licenses/LICENSE", "numba/LICENSE.py"])
    build_extension.add_notices(tmp_path, [wheel])
    notices = {path.name: path.read_text() for path in (tmp_path / "third_party_notices").iterdir()}
    assert notices == {"numba-LICENSE.txt": "text of numba-1.dist-info/licenses/LICENSE"}


def test_a_wheel_without_a_licence_is_refused(tmp_path):
    with pytest.raises(build_extension.BuildError, match="no licence"):
        build_extension.add_notices(tmp_path, [fake_wheel(tmp_path, "numba-1-cp311-any.whl", ["numba/a.py"])])


def test_wheels_of_another_platform_are_not_taken(tmp_path):
    for name in ("numba-0.68.1-cp311-cp311-win_amd64.whl", "numba-0.68.1-cp313-cp313-manylinux_2_28_x86_64.whl"):
        fake_wheel(tmp_path, name, [])
    found = build_extension._downloaded("numba==0.68.1", "linux-x64", "311", tmp_path)
    assert found == []
    assert len(build_extension._downloaded("numba==0.68.1", "windows-x64", "311", tmp_path)) == 1


def test_a_failing_download_is_explained(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(build_extension, "REQUIREMENTS", ("numba==0.0.0.dev999",))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert build_extension.main(["--output", str(tmp_path), "--platform", "linux-x64"]) == 2
    assert "pip failed" in capsys.readouterr().err


def test_no_blender_tool_is_explained(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(build_extension.importlib.util, "find_spec", lambda _name: None)
    assert build_extension.main(["--output", str(tmp_path)]) == 2
    assert "pip install" in capsys.readouterr().err


def wheel_for(folder, python, library=b"machine code"):
    path = folder / f"llvmlite-0.50.0-{python}-{python}-manylinux_2_28_x86_64.whl"
    info = "llvmlite-0.50.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("llvmlite/lib.so", library)
        archive.writestr(f"{info}/WHEEL", f"Root-Is-Purelib: false\nTag: {python}-{python}-manylinux_2_28_x86_64\n")
        archive.writestr(f"{info}/RECORD", f"llvmlite/lib.so,sha256=x,1\n{info}/WHEEL,sha256=y,2\n{info}/RECORD,,\n")
    return path


def test_wheels_that_hold_the_same_become_one(tmp_path):
    wheels = [wheel_for(tmp_path, python) for python in ("cp311", "cp313")]
    (shared,) = build_extension.shared_wheels(wheels, tmp_path / "shared")
    assert shared.name == "llvmlite-0.50.0-py3-none-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(shared) as archive:
        text = archive.read("llvmlite-0.50.0.dist-info/WHEEL")
        record = archive.read("llvmlite-0.50.0.dist-info/RECORD").decode()
        assert archive.read("llvmlite/lib.so") == b"machine code"
    assert text == b"Root-Is-Purelib: false\nTag: py3-none-manylinux_2_28_x86_64\n"
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    assert f"WHEEL,sha256={digest},{len(text)}\n" in record
    assert "llvmlite/lib.so,sha256=x,1\n" in record


def test_wheels_that_differ_stay_as_they_are(tmp_path):
    wheels = [wheel_for(tmp_path, "cp311"), wheel_for(tmp_path, "cp313", b"other machine code")]
    assert build_extension.shared_wheels(wheels, tmp_path / "shared") == wheels


def test_wheels_for_all_pythons_are_passed_on_unchanged(tmp_path):
    wheel = wheel_for(tmp_path, "py3")
    assert build_extension.shared_wheels([wheel, wheel, wheel], tmp_path / "shared") == [wheel]
    assert not (tmp_path / "shared").exists()


def test_the_same_files_give_the_same_bytes(tmp_path):
    contents = []
    for order, date in ((("b.py", "a.whl"), (2026, 1, 1, 0, 0, 0)), (("a.whl", "b.py"), (2027, 2, 2, 2, 2, 2))):
        path = tmp_path / "extension.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name in order:
                archive.writestr(zipfile.ZipInfo(name, date), f"text of {name}")
        build_extension.make_reproducible(path)
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]


def test_a_release_has_every_platform_and_one_zip_for_linux_distributions():
    pairs = {
        (platform, name) for platform in ("linux-x64", "windows-x64", "macos-arm64") for name in ("py311", "py313")
    }
    assert set(build_extension.RELEASE) == pairs | {("linux-x64", "distribution")}


def test_only_linux_has_distribution_packages(tmp_path, capsys):
    with pytest.raises(SystemExit):
        build_extension.main(["--range", "distribution", "--platform", "windows-x64", "--output", str(tmp_path)])
    assert "Linux" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "levels"), [("py313", {"v3", "v4"}), ("distribution", {"v3"})])
def test_a_zip_for_several_pythons_has_kernels_of_one_level_each(tmp_path, name, levels):
    versions, folder = build_extension.RANGES[name], tmp_path / "kernels"
    for python in versions.pythons:
        for level in ("v3", "v4"):
            (folder / f"cp{python}-win32-x86-64-{level}").mkdir(parents=True)
            (folder / f"cp{python}-win32-x86-64-{level}" / "some.kernel").touch()
    build_extension.add_kernels(tmp_path / "stage", "windows-x64", versions, folder)
    found = {path.parent.name for path in (tmp_path / "stage").rglob("*.kernel")}
    assert found == {f"cp{python}-win32-x86-64-{level}" for python in versions.pythons for level in levels}


@pytest.fixture
def built(monkeypatch):
    """What is compiled for whom: instead of compiling it."""
    calls = []
    monkeypatch.setattr(build_extension, "build_kernels", lambda *given: calls.append(given[1:]))
    return calls


def test_kernels_are_compiled_for_every_python_of_a_zip_and_no_others(built, tmp_path, monkeypatch, capsys):
    """Both levels of one Python, the least of several; a Python that is not here is named with what to do."""
    system = build_extension.PLATFORM_OF_SYSTEM[sys.platform]
    found = {"311": Path("python3.11"), "313": Path("python3.13"), "314": None}
    monkeypatch.setattr(build_extension, "kernel_python", lambda python, kernels: found[python])
    parts = build_extension.extension_parts()
    build_extension.add_kernels(tmp_path, system, build_extension.RANGES["py313"], tmp_path / "kernels")
    assert built == [([], parts, found["313"])]
    build_extension.add_kernels(tmp_path, system, build_extension.RANGES["distribution"], tmp_path / "kernels")
    assert built[1:] == [([build_extension.LEAST_LEVEL], parts, found[python]) for python in ("311", "313")]
    told = capsys.readouterr().err
    assert f"python3.14 -m meshclash.kernels build --output {tmp_path / 'kernels'}" in told
    other = next(name for name in build_extension.PLATFORM_TAGS if name != system)
    build_extension.add_kernels(tmp_path, other, build_extension.RANGES["py313"], tmp_path / "kernels")
    build_extension.add_kernels(tmp_path, system, build_extension.RANGES["py313"], tmp_path / "kernels", False)
    assert len(built) == 3, "not for another system, nor where nothing is to be compiled"


def test_zips_carry_what_the_extension_asks_for_and_nothing_else():
    parts = build_extension.extension_parts()
    assert {"contacts", "large", "massive", "clouds", "obb contacts"} <= set(parts)
    assert not {"continuous", "motion", "paper", "seldom"} & set(parts)


def test_pythons_are_tried_before_they_are_believed(tmp_path, monkeypatch):
    own = f"{sys.version_info[0]}{sys.version_info[1]}"
    assert build_extension.kernel_python(own, tmp_path) == Path(sys.executable)
    assert build_extension.kernel_python("399", tmp_path / "kernels") is None
    liar = tmp_path / "python3.99"
    liar.write_text("#!/bin/sh\necho 311\n")
    liar.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build_extension._pythons("399")[0] == liar
    assert build_extension.kernel_python("399", tmp_path / "kernels") is None
    assert build_extension._says(Path(sys.executable), own, "import venv")
    assert not build_extension._says(Path(sys.executable), "399", "import venv")
    assert not build_extension._says(Path(sys.executable), own, "raise SystemExit(3)")
    assert not build_extension._says(Path(sys.executable), own, "print('0.1.0+0.2.0')"), "another Numba"
