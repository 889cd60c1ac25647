"""The repository folder: its index, and Blender installing and updating from it over http."""

import functools
import hashlib
import http.server
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("7.0.0", "7.0.1")


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "blender_scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


build_extension = load("build_extension")
build_repository = load("build_repository")


def small_zip(folder, version, platform="linux-x64", versions=build_extension.RANGES["py311"]):
    """The extension without wheels: they are not what is tested here, and large."""
    stage = folder / "stage" / version / "meshclash"
    if not stage.exists():
        build_extension.copy_sources(stage)
    manifest = (stage / "blender_manifest.toml").read_text("utf-8")
    manifest = re.sub(r'^version = ".*"$', f'version = "{version}"', manifest, flags=re.MULTILINE)
    manifest = build_extension.complete_manifest(manifest, platform, versions, [])
    files = {str(path.relative_to(stage)): path.read_bytes() for path in stage.rglob("*") if path.is_file()}
    files["blender_manifest.toml"] = manifest.replace("wheels = [\n]\n", "").encode()
    (folder / version).mkdir(exist_ok=True)
    path = folder / version / build_extension.zip_name(manifest, platform, versions)
    build_extension.write_zip(path, files)
    return path


def test_index_has_all_zips_in_order_and_distributions_apart(tmp_path):
    targets = [("windows-x64", "py313"), ("linux-x64", "py313"), ("linux-x64", "py311"), ("linux-x64", "distribution")]
    zips = [small_zip(tmp_path, VERSIONS[0], platform, build_extension.RANGES[name]) for platform, name in targets]
    found = build_repository.build(zips, tmp_path / "site")
    assert found == [tmp_path / "site" / "index.json", tmp_path / "site" / "distribution" / "index.json"]
    listed, apart = (json.loads(index.read_text())["data"] for index in found)
    urls = [entry["archive_url"] for entry in listed]
    assert urls == sorted(urls) and len(urls) == 3
    assert [entry["archive_url"] for entry in apart] == ["./meshclash-7.0.0-linux-x64-distribution.zip"]
    for index, entries in zip(found, (listed, apart), strict=True):
        for entry in entries:
            path = index.parent / entry["archive_url"]
            assert entry["archive_size"] == path.stat().st_size
            assert entry["archive_hash"] == f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    assert "drag" in (tmp_path / "site" / "index.html").read_text().lower()
    again = build_repository.build(reversed(zips), tmp_path / "other")
    assert [index.read_bytes() for index in again] == [index.read_bytes() for index in found]


def test_two_versions_in_one_folder_are_refused(tmp_path):
    zips = [small_zip(tmp_path, version) for version in VERSIONS]
    with pytest.raises(build_extension.BuildError, match="one version"):
        build_repository.build(zips, tmp_path / "site")


def test_two_zips_for_one_blender_are_refused(tmp_path):
    first = small_zip(tmp_path, VERSIONS[0])
    second = first.with_name("copy.zip")
    second.write_bytes(first.read_bytes())
    with pytest.raises(build_extension.BuildError, match="server-generate"):
        build_repository.build([first, second], tmp_path / "site")


def test_nothing_to_list_is_explained(tmp_path, capsys):
    assert build_repository.main([str(tmp_path)]) == 2
    assert "none" in capsys.readouterr().err


def test_a_zip_that_is_no_extension_is_named(tmp_path, capsys):
    (tmp_path / "broken.zip").write_bytes(b"no zip")
    assert build_repository.main([str(tmp_path)]) == 2
    assert "broken.zip" in capsys.readouterr().err


@pytest.fixture
def website(tmp_path):
    """A folder and its address on this machine."""
    folder = tmp_path / "site"
    folder.mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}/index.json"
        server.shutdown()


def test_blender_installs_from_the_web_and_updates(tmp_path, website):
    folder, address = website
    platform = build_extension.PLATFORM_OF_SYSTEM[sys.platform]
    versions = build_extension.BlenderRange((), "4.2.0", None)
    build_repository.build([small_zip(tmp_path, VERSIONS[0], platform, versions)], folder)
    command = [sys.executable, str(Path(__file__).with_name("repository_update.py")), address]
    environment = {name: value for name, value in os.environ.items() if name != "BLENDER_USER_RESOURCES"}
    running = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    printed = until(running, "installed")
    assert printed[-1] == f"installed {VERSIONS[0]}\n", "".join(printed)
    build_repository.build([small_zip(tmp_path, VERSIONS[1], platform, versions)], folder)
    rest, _ = running.communicate("\n", timeout=300)
    assert running.returncode == 0, rest
    assert f"updated {VERSIONS[1]}" in rest


def until(running, word):
    """The lines that the process prints, up to one that begins with `word` or the last."""
    lines = []
    for line in running.stdout:
        lines.append(line)
        if line.startswith(word):
            break
    return lines
