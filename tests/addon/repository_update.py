"""Run by test_build_repository: adds a repository on the web, installs from it, updates when a new version is there.

    python repository_update.py ADDRESS

After the installation it waits for a line on stdin: until then the test puts another version into the folder.
"""

import os
import sys
import tempfile
import traceback

os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="meshclash-repository-")

import bpy  # isort: skip


def main(address):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.system.use_online_access = True
    repositories = bpy.context.preferences.extensions.repos
    bpy.ops.preferences.extension_repo_add(name="MeshClash", remote_url=address, type="REMOTE")
    index = next(number for number, found in enumerate(repositories) if found.remote_url == address)
    bpy.ops.extensions.repo_sync(repo_index=index)
    bpy.ops.extensions.package_install(repo_index=index, pkg_id="meshclash", enable_on_install=True)
    module = f"bl_ext.{repositories[index].module}.meshclash"
    assert module in bpy.context.preferences.addons, list(bpy.context.preferences.addons.keys())
    assert bpy.ops.meshclash.detect.poll()
    print("installed", version(index), flush=True)
    sys.stdin.readline()

    bpy.ops.extensions.repo_sync(repo_index=index)
    bpy.ops.extensions.package_upgrade_all()
    assert module in bpy.context.preferences.addons, "still enabled after the update"
    assert bpy.ops.meshclash.detect.poll()
    print("updated", version(index), flush=True)


def version(index):
    """The version that Blender has installed."""
    import tomllib
    from pathlib import Path

    folder = Path(bpy.context.preferences.extensions.repos[index].directory) / "meshclash"
    return tomllib.loads((folder / "blender_manifest.toml").read_text("utf-8"))["version"]


try:
    main(sys.argv[1])
    status = 0
except BaseException:
    traceback.print_exc()
    status = 1
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)
