"""What a scenario sees and does in Blender's window: mouse, keys, buttons, waiting, pictures.

Methods that take time are generators: `yield from window.press("meshclash.detect")`.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import screen

TAB = "MeshClash"
HOVER = 0.06  # seconds in which Blender notices where the mouse is
SEARCH_STEP = 10  # pixels; half the height of a button
INSIDE_BORDER = 6  # pixels from a region's border to where it can be dragged
NO_STEP = 20  # pixels by which no border is dragged
EDGE = 8  # pixels between the border of a region and where buttons begin
SETTLE = 0.25  # seconds between two looks at the screen, at least
DRAWINGS = 2.0  # between two looks, as many as the window may need
TRIES = 40
MIDDLE = 0.35  # of the sidebar's width: on most buttons, beside their texts
NAMES = 56  # pixels from the left border of the sidebar at scale 1: on the first letters of names in a list
AROUND = {"ALL": 0.12, "ISOLATE": 0.35, "GHOST": 0.6}  # of the sidebar's width
ROW_HEIGHT = 34.0  # of two lines [pixels at scale 1]
SCREENFULS = 5
HEIGHTS = (0.97, 0.5, 0.03)  # of the sidebar, where the wheel is turned: no list is as tall
Play = Generator[float, None, Any]


class Window:
    """The first window of this Blender.

    Attributes:
        out: folder of the pictures.
        arguments: what the command line gave the scenario.
        notes: figures and findings for the result.
        pictures: names of the pictures taken.
        quit_keys: keys with which Blender is left at the end; "" calls its operator.
    """

    def __init__(self, out: Path, arguments: dict[str, str]) -> None:
        self.out = out
        self.arguments = arguments
        self.notes: dict[str, Any] = {}
        self.pictures: list[str] = []
        self.quit_keys = ""
        self._scrolled = False

    # Mouse and keys: real events of the screen. Points are (x, y) in pixels from the lower left corner.

    def send(self, *command: str | int) -> None:
        """Sends events, in the words of xdotool."""
        subprocess.run(["xdotool", *map(str, command)], check=True)

    def move(self, x: int, y: int) -> None:
        """Moves the mouse."""
        self.send("mousemove", x, self.window.height - 1 - y)

    def click(self, x: int, y: int, button: int = 1) -> Play:
        """Moves the mouse there and presses a button."""
        self.move(x, y)
        yield HOVER
        self.send("click", button)
        yield HOVER

    def key(self, name: str) -> Play:
        """Presses a key, as "g", "ctrl+z" or "Escape", where the mouse is."""
        self.send("key", name)
        yield HOVER

    # Parts of the window.

    @property
    def window(self) -> bpy.types.Window:
        """Blender's window."""
        return bpy.context.window_manager.windows[0]

    def area(self, kind: str = "VIEW_3D") -> bpy.types.Area:
        """The largest area of a kind."""
        areas = [area for area in self.window.screen.areas if area.type == kind]
        return max(areas, key=lambda area: area.width * area.height)

    def region(self, kind: str = "UI") -> bpy.types.Region:
        """A region of the 3D viewport: "UI" is its sidebar, "WINDOW" the view."""
        return next(region for region in self.area().regions if region.type == kind)

    def context(self, kind: str = "WINDOW") -> Any:
        """Makes a region of the 3D viewport Blender's context, for operators that the scenario calls itself."""
        return bpy.context.temp_override(window=self.window, area=self.area(), region=self.region(kind))

    @property
    def view_centre(self) -> tuple[int, int]:
        """A point of the 3D viewport that no other region covers."""
        view, sidebar = self.region("WINDOW"), self.region("UI")
        width = view.width - (sidebar.width if sidebar.width > 1 else 0)
        return view.x + width // 2, view.y + view.height // 2

    def open_tab(self, width: int = 0) -> Play:
        """Opens the sidebar of the 3D viewport at the extension's tab."""
        self.area().spaces.active.show_region_ui = True
        yield from self.wait_for(lambda: self.region().width > 1, "the sidebar")
        yield 0.5  # the tabs exist after the sidebar was drawn
        self.region().active_panel_category = TAB
        self.region().tag_redraw()
        yield 0.5
        if width:
            yield from self._widen(width)

    def unfold(self, module: str, *panels: str) -> None:
        """Makes panels that are closed at first open, parents first; to be called before the tab is drawn."""
        found = [getattr(self.module(module), panel) for panel in panels]
        for panel in reversed(found):
            bpy.utils.unregister_class(panel)
        for panel in found:
            panel.bl_options = panel.bl_options - {"DEFAULT_CLOSED"}
            bpy.utils.register_class(panel)

    def show_research(self) -> None:
        """Shows the tools for research, as the box in the preferences does."""
        bpy.context.preferences.addons[self.package].preferences.show_research = True

    def _widen(self, width: int) -> Play:
        """Drags the left border to another width, beside a panel: elsewhere the sidebar lets the mouse through."""
        region = self.region()
        before = region.width
        if abs(width - before) < NO_STEP:
            return
        x, y = region.x + INSIDE_BORDER, region.y + region.height - EDGE - 2 * SEARCH_STEP
        self.move(*self.view_centre)
        yield 0.3
        self.move(x, y)
        yield 0.3
        self.send("mousedown", 1)
        yield 0.3
        for share in (0.1, 0.4, 0.7, 1.0):
            self.move(x - round(share * (width - before)), y)
            yield 0.2
        self.send("mouseup", 1)
        most = abs(before - width) // 2
        yield from self.wait_for(lambda: abs(self.region().width - width) <= most, "another width", 5)
        yield 0.3

    # Buttons, found by moving over them and asking Blender what is there.

    def press(self, operator: str, across: float = MIDDLE, option: str = "") -> Play:
        """Clicks the sidebar's button of an operator, as "meshclash.detect"; gives the point.

        Args:
            operator: its name.
            across: where to look between the left (0) and the right (1) border.
            option: of several buttons of one operator, the one whose command has this text, as "APPROVED".
        """
        x, y = yield from self.find_button(operator, across, option)
        yield from self.click(x, y)
        return x, y

    def find_button(self, operator: str, across: float = MIDDLE, option: str = "") -> Play:
        """Moves the mouse over the sidebar's button of an operator and gives the point, without a click."""

        def is_it() -> bool:
            command = self._hovered_command()
            return f"bpy.ops.{operator}(" in command and option in command

        return (yield from self.find(is_it, f"{operator} {option}".rstrip(), across))

    def toggle(self, name: str, across: float = MIDDLE) -> Play:
        """Clicks the sidebar's button of a property, as "overlay_xray"."""
        x, y = yield from self.find(lambda: self.hovered_property() == name, name, across)
        yield from self.click(x, y)

    def look_around(self, kind: str) -> Play:
        """Clicks what is to be seen around the selected pair: "ALL", "ISOLATE" or "GHOST"."""
        yield from self.toggle("around", AROUND[kind])

    def click_row(self, index: int, name: str = "active_row") -> Play:
        """Clicks a row of the list whose active row is the property `name`."""
        picks = f"bpy.ops.meshclash.pick_{name.removeprefix('active_')}("
        across = NAMES * bpy.context.preferences.system.ui_scale / self.region().width
        x, y = yield from self.find(lambda: picks in self._hovered_command(), f"the list of {name}", across)
        while picks in self._hovered_command():  # up to the first pixel above the first row
            y += 1
            self.move(x, y)
            yield HOVER
        height = round(ROW_HEIGHT * bpy.context.preferences.system.ui_scale)
        yield from self.click(x, y - height // 2 - index * height)

    def find(self, matches: Callable[[], bool], what: str, across: float = MIDDLE) -> Play:
        """Looks through the sidebar from the top for a button, scrolling down where it does not end; gives its point.

        Args:
            matches: whether the button under the mouse is the one.
            what: its name for the message.
            across: where to look between the left (0) and the right (1) border.

        Raises:
            LookupError: it is not there; the message says what is.
        """
        seen = []
        yield from self._scroll(up=True)
        for _ in range(SCREENFULS):
            region = self.region()
            x = region.x + int(region.width * across)
            for y in range(region.y + region.height - EDGE, region.y + EDGE, -SEARCH_STEP):
                self.move(x, y)
                yield HOVER
                if matches():
                    yield 2 * HOVER  # a busy machine: Blender may not have noticed yet that the mouse has moved
                    if matches():
                        return x, y
                seen.append(self.hovered_property() or self._hovered_command())
            yield from self._scroll(up=False)
        raise LookupError(f"no button of {what} among {sorted(set(filter(None, seen)))}")

    def _scroll(self, up: bool) -> Play:
        """Turns the mouse wheel over the sidebar: all the way up, or one screenful down.

        Where a list lies or comes under the mouse, the wheel turns the list: it is turned at other heights, too. Where
        no panel lies it moves the view, which is put back.
        """
        if up and not self._scrolled:
            return
        region, view = self.region(), self.area().spaces.active.region_3d
        distance, location = view.view_distance, view.view_location.copy()
        for height in HEIGHTS:
            before = region.view2d.region_to_view(0, 0)
            self.move(region.x + region.width // 2, region.y + round(region.height * height))
            yield HOVER
            self.send("click", "--repeat", 60 if up else 12, "--delay", 10, 4 if up else 5)
            yield 0.3
            if not up and region.view2d.region_to_view(0, 0) != before:
                break
        view.view_distance, view.view_location = distance, location
        self._scrolled = not up

    def _hovered_command(self) -> str:
        bpy.context.window_manager.clipboard = ""
        with self.context("UI"):
            if bpy.ops.ui.copy_python_command_button.poll():
                bpy.ops.ui.copy_python_command_button()
        return bpy.context.window_manager.clipboard

    def hovered_property(self) -> str:
        with self.context("UI"):
            found = bpy.context.property
        return found[1].rpartition(".")[2] if found else ""

    def search(self, words: str) -> Play:
        """Types words into Blender's search over the view; a key is to say what then. The screen has no key F3."""
        self.move(*self.view_centre)
        yield 0.3
        with self.context():
            bpy.ops.wm.search_menu("INVOKE_DEFAULT")
        yield from self.settle()
        before = screen.pixels()
        self.send("type", "--delay", 60, words)
        yield from self.wait_for(lambda: not np.array_equal(before, screen.pixels()), f"'{words}' to be seen", 20)
        yield from self.settle()

    def choose_file(self, words: str, path: Path) -> Play:
        """Finds an operator by words and chooses a file in the browser that opens; a key is to say what then."""
        yield from self.search(words)
        self.picture("search")
        yield from self.key("Return")
        yield from self.wait_for(lambda: self._file_browser() is not None, "the file browser", 20)
        yield 1.0
        area = self._file_browser()
        area.spaces.active.params.directory = str(path.parent).encode()
        area.spaces.active.params.filename = path.name
        yield 0.5
        self.point_at_files()
        yield 0.3

    def point_at_files(self) -> None:
        """Moves the mouse over the file browser, which takes its keys from there."""
        area = self._file_browser()
        self.move(area.x + area.width // 2, area.y + area.height // 2)

    def _file_browser(self) -> Any:
        found = [area for area in self.window.screen.areas if area.type == "FILE_BROWSER"]
        return found[0] if found and found[0].spaces.active.params is not None else None

    # Waiting and looking.

    def wait_for(self, condition: Callable[[], object], what: str, seconds: float = 60.0) -> Play:
        """Waits until the condition holds.

        Raises:
            TimeoutError: it does not within `seconds`.
        """
        end = time.perf_counter() + seconds
        while not condition():
            if time.perf_counter() > end:
                raise TimeoutError(f"waited {seconds:.0f} s for {what}")
            yield 0.1

    def settle(self) -> Play:
        """Waits until the screen does not change any more, on a busy machine, too."""
        pause = max(SETTLE, DRAWINGS * self.redraw())
        before = screen.pixels()
        for _ in range(TRIES):
            yield pause
            now = screen.pixels()
            if np.array_equal(before, now):
                return
            before = now

    def redraw(self) -> float:
        """Draws the window; returns the seconds that it took."""
        begin = time.perf_counter()
        with bpy.context.temp_override(window=self.window):
            bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
        return time.perf_counter() - begin

    def show(self, name: str, region: str = "") -> Play:
        """Takes a picture when the window has come to rest: of all of it, or of one region of the 3D viewport."""
        self.move(self.window.width - 1, self.window.height - 1)  # away from buttons, which light up under it
        yield from self.settle()
        self.picture(name, region)

    def picture(self, name: str, region: str = "") -> None:
        """Takes a picture now."""
        seen = screen.pixels()
        if region:
            part = self.region(region)
            top = self.window.height - part.y - part.height
            seen = seen[top : top + part.height, part.x : part.x + part.width]
        screen.write_png(self.out / f"{name}.png", seen)
        self.pictures.append(name)

    def colour_share(self, colour: tuple[float, float, float], within: int = 60) -> float:
        """The share of the view's pixels that look like a colour (0 to 1 each), to so many of 255 steps."""
        return float((np.abs(self.view_pixels() - np.rint(255 * np.array(colour))).max(axis=-1) < within).mean())

    def view_pixels(self) -> np.ndarray:
        """The view's pixels, left of the sidebar, (height, width, 3) int16."""
        view = self.region("WINDOW")
        top, right = self.window.height - view.y - view.height, view.x + view.width
        if self.region().width > 1:
            right = self.region().x
        return screen.pixels()[top : top + view.height, view.x : right].astype(np.int16)

    # The extension.

    @property
    def package(self) -> str:
        """Name of the installed extension's package, "" while it is not enabled."""
        enabled = (addon.module for addon in bpy.context.preferences.addons)
        return next((name for name in enabled if name.endswith(".meshclash")), "")

    def module(self, name: str) -> ModuleType:
        """A module of the installed extension."""
        return importlib.import_module(f".{name}", self.package)

    @property
    def kernels(self) -> dict[str, str]:
        """The engine's kernels that this Blender has used, and where each came from; none before it is loaded."""
        engine = sys.modules.get(f"{self.package}.meshclash.kernels.cache")
        return dict(engine.origins) if engine else {}

    @property
    def rows(self) -> list[Any]:
        """The rows of the result list."""
        return list(bpy.context.window_manager.meshclash.rows)

    def busy(self) -> bool:
        """Whether a detection is running."""
        return self.module("running_work").running_task() is not None

    def detect(self, seconds: float = 600.0) -> Play:
        """Clicks Detect and waits for the end; the first detection of a home compiles the engine."""
        yield from self.press("meshclash.detect")
        yield from self.wait_for(self.busy, "the start of the detection")
        yield from self.wait_for(lambda: not self.busy(), "the end of the detection", seconds)
        yield 0.3

    def quit(self) -> None:
        """Leaves Blender the usual way, so that everything is unregistered and freed."""
        if self.quit_keys:
            self.send("key", self.quit_keys)
            return
        with bpy.context.temp_override(window=self.window):
            bpy.ops.wm.quit_blender()
