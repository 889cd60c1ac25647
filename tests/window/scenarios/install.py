"""Install the zip with Blender's own installer, see it in the preferences, press Detect, remove it again."""

import sys
from collections.abc import Generator
from typing import Any

import bpy


def play(window: Any) -> Generator[float, None, None]:
    """Plays the scenario."""
    assert not window.package
    installer = bpy.ops.extensions.package_install_files
    with window.context():
        installer(filepath=window.arguments["zip"], repo="user_default", enable_on_install=True)
    yield from window.wait_for(lambda: window.package, "the enabled extension", 120)
    assert "numba" not in sys.modules, "the engine is loaded on first use only"
    yield from _show_preferences(window)

    yield from window.open_tab()
    for x in (0.0, 1.0):
        bpy.ops.mesh.primitive_cube_add(location=(x, 0.5, 0.25))
    yield from window.detect()
    assert [row.verdict for row in window.rows].count("clash") == 3, [(row.name, row.verdict) for row in window.rows]
    yield from window.show("first_result")
    handlers = [handler for name in dir(bpy.app.handlers) for handler in _list(getattr(bpy.app.handlers, name))]
    assert any("meshclash" in handler.__module__ for handler in handlers)

    bpy.ops.extensions.package_uninstall(repo_index=_repository(), pkg_id="meshclash")
    yield from window.wait_for(lambda: not window.package, "the removal", 60)
    handlers = [handler for name in dir(bpy.app.handlers) for handler in _list(getattr(bpy.app.handlers, name))]
    assert not [handler for handler in handlers if "meshclash" in handler.__module__]
    assert not hasattr(bpy.types.Scene, "meshclash")
    yield from window.show("removed")


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _repository() -> int:
    repositories = bpy.context.preferences.extensions.repos
    return next(index for index, found in enumerate(repositories) if found.module == "user_default")


def _show_preferences(window: Any) -> Generator[float, None, None]:
    """A picture of the extension's page in a part of the main window, where no window manager is needed."""
    area = window.area()
    before, area.type = area.type, "PREFERENCES"
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "MeshClash"
    bpy.ops.preferences.addon_expand(module=window.package)
    yield 0.5
    yield from window.show("preferences")
    area.type = before
    yield 0.5
