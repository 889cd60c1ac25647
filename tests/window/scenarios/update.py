"""Add a repository on the web, install from it, use the extension, and update it when a new version is there."""

import contextlib
import importlib.util
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import bpy

ROOT = Path(__file__).resolve().parents[3]
NEXT = "999.0.0"


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    zip_path, site = Path(window.arguments["zip"]), window.out / "site"
    first = _publish(zip_path, site)
    bpy.context.preferences.system.use_online_access = True
    with _served(site) as address:
        bpy.ops.preferences.extension_repo_add(name="MeshClash", remote_url=address, type="REMOTE")
        repositories = bpy.context.preferences.extensions.repos
        index = next(number for number, found in enumerate(repositories) if found.remote_url == address)
        bpy.ops.extensions.repo_sync(repo_index=index)
        bpy.ops.extensions.package_install(repo_index=index, pkg_id="meshclash", enable_on_install=True)
        yield from window.wait_for(lambda: window.package, "the extension from the repository")
        assert _version(index) == first
        yield from window.open_tab()
        bpy.ops.mesh.primitive_cube_add(location=(1.0, 0.5, 0.25))
        yield from window.detect()  # its libraries are loaded now: Windows would keep their files
        assert [row.verdict for row in window.rows] == ["clash"]

        _publish(_next_version(zip_path, window.out), site)
        bpy.ops.extensions.repo_sync(repo_index=index)
        yield 1.0
        yield from _show_preferences(window)
        bpy.ops.extensions.package_upgrade_all()
        yield from window.wait_for(lambda: window.package, "the updated extension")
        assert _version(index) == NEXT
        yield from window.open_tab()
        yield from window.detect()
        assert [row.verdict for row in window.rows] == ["clash"]
    window.notes["versions"] = [first, NEXT]


def _publish(zip_path: Path, site: Path) -> str:
    """Makes the repository of one zip; returns its version."""
    sys.path.insert(0, str(ROOT / "blender_scripts"))
    build_repository = importlib.import_module("build_repository")
    tool = next(Path(folder, "bl_pkg/cli/blender_ext.py") for folder in _system_addons())
    named = zip_path.with_name("meshclash.zip")  # in the main index, not in that for distributions
    named.write_bytes(zip_path.read_bytes())
    (index,) = build_repository.build([named], site, tool)
    return json.loads(index.read_text("utf-8"))["data"][0]["version"]


def _system_addons() -> Iterator[str]:
    return (folder for folder in sys.path if Path(folder, "bl_pkg/cli/blender_ext.py").exists())


def _next_version(zip_path: Path, folder: Path) -> Path:
    build_extension = importlib.import_module("build_extension")
    with zipfile.ZipFile(zip_path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = files["blender_manifest.toml"].decode()
    manifest = re.sub(r'^version = ".*"$', f'version = "{NEXT}"', manifest, flags=re.MULTILINE)
    path = folder / "next.zip"
    build_extension.write_zip(path, {**files, "blender_manifest.toml": manifest.encode()})
    return path


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[str]:
    """Serves a folder over http on this machine; gives the address of its index."""
    command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(folder), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        port = re.search(r"port (\d+)", server.stdout.readline())[1]
        try:
            yield f"http://127.0.0.1:{port}/index.json"
        finally:
            server.terminate()


def _version(index: int) -> str:
    folder = Path(bpy.context.preferences.extensions.repos[index].directory)
    manifest = (folder / "meshclash" / "blender_manifest.toml").read_text("utf-8")
    return re.search(r'^version = "(.*)"$', manifest, re.MULTILINE)[1]


def _show_preferences(window: Any) -> Generator[float, None, None]:
    area = window.area()
    before, area.type = area.type, "PREFERENCES"
    bpy.context.preferences.active_section = "EXTENSIONS"
    yield 1.0
    yield from window.show("update_offered")
    area.type = before
    yield 0.5
