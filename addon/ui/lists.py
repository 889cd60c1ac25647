"""The rows of the result list, two lines for each pair, and of the excluded pairs."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import UIList
from meshclash.clash.column_table import COLUMNS
from meshclash.clash.surface_regions import region_numbers
from meshclash.clash.verdicts import VERDICTS

from .. import running_work, scene_results, shown_things
from ..core.short_names import CUT, told_apart
from ..props import STATUS_LABELS, STATUSES
from ..reviews import review_of
from ..texts import certainty, measure, said, text_width, text_widths, way_out
from ..translations import CONTEXT

ACCEPTED_ICON = "OUTLINER_COLLECTION"  # icon of an approved pair, without the verdict's colour
MARKED_ICON = "CHECKBOX_HLT"  # icon of pairs that are selected together
STATUS_ICONS = {status: icon for status, _label, _tip, icon, _number in STATUSES}
LINE_HEIGHT = 0.85  # share of the default height of a line
SIGNS, NUMBERS = 22.0, 72.0  # widths of the first and the last column [px at scale 1]
FRAME, PADDING = 87.0, 18.0  # [px at scale 1]: sidebar without rows, button without its text
BLOCK = 200  # number of rows of a long list whose names are shortened together
LEAST_NAME, UNKNOWN_WIDTH = 30.0, 333.0  # [px at scale 1]: smallest width of a name, width of a row without a region
CELL = 12.0  # [px] width of a cell without its text
SAMPLE, LISTS = "0", 16  # text whose width reveals the font size; number of cached lists
ITSELF = "itself"  # instead of the second name, if an object touches itself
FRAMES_TIP = "From the first frame of the event to the last"


def _row_width(context: Any) -> float:
    """Return the width of a row [px at scale 1]."""
    scale = context.preferences.system.ui_scale or 1.0
    width = context.region.width / scale - FRAME if context.region else UNKNOWN_WIDTH
    return max(width, SIGNS + NUMBERS + PADDING + LEAST_NAME)


def line_width(context: Any, share: float) -> float:
    """Return the width for text in a list that has a share of the width [px]."""
    scale = context.preferences.system.ui_scale or 1.0
    return max(share * (context.region.width if context.region else 0.0) - scale * FRAME, scale * LEAST_NAME)


def name_width(context: Any) -> float:
    """Return the width for a name [px]."""
    return (context.preferences.system.ui_scale or 1.0) * (_row_width(context) - SIGNS - NUMBERS - PADDING)


class Cell(NamedTuple):
    """The content of a cell in a row.

    Attributes:
        text: text, shortened to fit.
        tip: meaning of the cell; "" for a name, which has the tooltip of the row.
        value: full text, for the tooltip.
        icon: icon before the text.
    """

    text: str
    tip: str = ""
    value: str = ""
    icon: str = "NONE"


TOUCHED = Cell("", "An object of this pair was changed last", icon="ORIENTATION_LOCAL")
"""Cell for the pairs of a part that is dragged while Live runs."""
CONTRADICTS = Cell("", "This value contradicts the proved bounds in the list, which are correct", icon="ERROR")
"""Cell for a pair whose common solid must be wrong."""


def draw_cell(line: Any, operator: str, index: int, cell: Cell, side: str = "a") -> None:
    """Draw a cell as a button that selects its row, for the side "a" or "b"; only buttons can have our tooltips."""
    picked = line.operator(operator, text=cell.text, icon=cell.icon, translate=False, emboss=False)
    picked.index, picked.side, picked.tip, picked.value = index, side, cell.tip, cell.value


def draw_list(layout: Any, kind: str, data: Any, rows: str, active: str, count: int) -> None:
    """Draw a list of a fixed height, so that nothing below moves; its rows have two lines.

    Blender highlights only as much of a row as one line is high.
    """
    column = layout.column()
    column.scale_y = 2.0 * LINE_HEIGHT
    column.template_list(kind, "", data, rows, data, active, rows=count, maxrows=count)


def draw_pair(
    layout: Any, context: Any, operator: str, index: int, cells: tuple[Sequence[Cell], Sequence[str], Sequence[Cell]]
) -> None:
    """Draw a row of two lines: icons, A above B, numbers."""
    width, room = _row_width(context), name_width(context)
    signs, names, numbers = cells
    layout.scale_y = 0.5  # of the row
    rest = layout.split(factor=SIGNS / width, align=True)
    columns = [rest.column(align=True)]
    rest = rest.split(factor=1.0 - NUMBERS / (width - SIGNS), align=True)
    columns += [rest.column(align=True) for _ in range(2)]
    for sign in signs:
        draw_cell(columns[0], operator, index, sign)
    for side, name in zip("ab", names, strict=True):
        draw_cell(columns[1], operator, index, Cell(name + spaces(name, room)), side)
    room = (context.preferences.system.ui_scale or 1.0) * (NUMBERS - PADDING)
    for side, cell in zip("ab", numbers, strict=True):
        draw_cell(columns[2], operator, index, cell._replace(text=spaces(cell.text, room) + cell.text), side)


def spaces(text: str, room: float) -> str:
    """Return spaces that pad a text, because Blender centres the text of buttons."""
    return " " * int((room - text_width(text)) / text_width(" "))


def shortened(item: Any, room: float, names: tuple[str, ...], sought: str = "") -> list[str]:
    """Return the shortened names of a listed pair; if an object touches itself, its name and the regions."""
    texts = fitting(names, room, sought)
    if item.name_a != item.name_b:
        return [texts[item.name_a], texts[item.name_b]]
    return [texts[item.name_a], regions(item.region)]


def regions(key: str) -> str:
    """Return which regions of a surface cross each other, in words; "itself" for a surface of one region."""
    numbers = region_numbers(key)
    if not numbers:
        return said(ITSELF)
    if len(numbers) == 1:
        return said("region {number}", number=numbers[0])
    return said("regions {one} and {other}", one=numbers[0], other=numbers[1])


def fitting(names: tuple[str, ...], room: float, sought: str = "") -> dict[str, str]:
    """Return the shortened form of each name in a list."""
    return _fitting(names, room, tuple(sought.split()), text_width(SAMPLE))


@lru_cache(LISTS)
def _fitting(names: tuple[str, ...], room: float, sought: tuple[str, ...], _letters: float) -> dict[str, str]:
    """Return the shortened names like `fitting`, cached until the list, its width or its font changes."""
    return told_apart(names, room, text_widths(), sought)


class MESHCLASH_UL_pairs(UIList):
    """A page of object pairs; the pairs and their order are determined before."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, _icon: int, _active_data: Any, _active: str, index: int
    ) -> None:
        result, shown = scene_results.result_of(data.scene_uid), shown_things.listed()
        row = layout.row(align=True)
        row.active = result is not None and result.is_fresh(item.pair_id)
        review = review_of(context.scene, item.pair_id)
        wrong = result is not None and result.contradicts(item.pair_id)
        second = CONTRADICTS if wrong else touched_cell(result, item) or status_cell(review)
        signs = verdict_cell(item, review, shown.marked), second
        measures = () if result is None else result.report.measures
        numbers = measure_cell(context, item, measures, shown.typical), _second(context, result, item)
        names = shortened(item, name_width(context), shown.names, data.search)
        draw_pair(row, context, "meshclash.pick_row", index, (signs, names, numbers))

    def draw_filter(self, _context: Any, _layout: Any) -> None:
        """Draw nothing: search and filters are above the list, and apply to all pages."""

    def filter_items(self, _context: Any, _data: Any, _propname: str) -> tuple[list[int], list[int]]:
        return [], []


def _second(context: Any, result: Any, item: Any) -> Cell:
    """Return the cell below the measure: the name of the test, the verdict's certainty, the way out, or the faces."""
    pair = None if result is None else result.row(item.pair_id)
    if pair is not None and pair.test:
        room = NUMBERS * (context.preferences.system.ui_scale or 1.0) - CELL
        return Cell(begin(pair.test, room), COLUMNS["test"].tip, pair.test)
    if text := certainty(item):
        return Cell(text, COLUMNS["certainty"].tip, text)
    if text := _way(context, result, item):
        return Cell(text, COLUMNS["way_out"].tip, text)
    kind, count = "part" if result is not None and result.table.has_scans else "face", item.faces_a + item.faces_b
    text = f"{count:,} {iface_(kind if count == 1 else kind + 's', CONTEXT)}"
    return Cell(text, COLUMNS["faces"].tip, text)


def begin(text: str, room: float) -> str:
    """Return as much of the beginning of a text as fits."""
    if text_width(text) <= room:
        return text
    length = bisect_right(range(len(text)), room, key=lambda size: text_width(text[:size] + CUT))
    return text[: max(0, length - 1)].rstrip() + CUT


def _way(context: Any, result: Any, item: Any) -> str:
    """Return the translation that separates a listed pair as text; "" if none is known."""
    way = None if result is None else result.ways.get(item.pair_id)
    return "" if way is None else way_out(way, context.scene.unit_settings)


def verdict_cell(item: Any, review: Any = None, marked: frozenset[str] = frozenset()) -> Cell:
    """Return the verdict of a pair or an event as an icon; marked and approved pairs have other icons."""
    accepted = review is not None and review.status == "APPROVED"
    icon = ACCEPTED_ICON if accepted else VERDICTS[item.verdict].icon
    tip, value = COLUMNS["verdict"].tip, said(VERDICTS[item.verdict].label)
    return Cell("", tip, value, MARKED_ICON if item.pair_id in marked else icon)


def status_cell(review: Any) -> Cell:
    """Return the status of a pair as an icon; no icon if the status is open."""
    status = review.status if review else "OPEN"
    return Cell(
        "", COLUMNS["status"].tip, said(STATUS_LABELS[status]), STATUS_ICONS[status] if status != "OPEN" else "BLANK1"
    )


def touched_cell(result: Any, item: Any) -> Cell | None:
    """Return the cell of a pair with an object that was changed last while Live runs; None for others."""
    live = running_work.running_live()
    if live is None or not live.touched or result is None:
        return None
    row = result.row(item.pair_id)
    return None if row is None or live.touched.isdisjoint(row.owners) else TOUCHED


def measure_cell(context: Any, item: Any, measures: Sequence[str], like: float | None = None) -> Cell:
    """Return the first measure that a row has."""
    return Cell(measure(item, measures, context.scene.unit_settings, like), COLUMNS["measure"].tip)


class MESHCLASH_UL_excluded(UIList):
    """List of pairs that are never tested."""

    def draw_item(
        self, context: Any, layout: Any, data: Any, item: Any, _icon: int, _active_data: Any, _active: str, index: int
    ) -> None:
        first = index // BLOCK * BLOCK
        pairs = ((pair.name_a, pair.name_b) for pair in data.excluded_pairs[first : first + BLOCK])
        names = tuple(dict.fromkeys(itertools.chain.from_iterable(pairs)))
        texts = fitting(names, 0.5 * line_width(context, 1.0) - 2.0 * CELL)
        layout.label(text=f"{texts[item.name_a]} × {texts[item.name_b]}", translate=False)


class MESHCLASH_UL_fits(UIList):
    """List of pairs of names with the depth to which they may overlap."""

    def draw_item(
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: int, _active_data: Any, _active: str
    ) -> None:
        row = layout.row(align=True)
        for name in ("name_a", "name_b", "permitted"):
            row.prop(item, name, text="", emboss=False)


CLASSES = (MESHCLASH_UL_pairs, MESHCLASH_UL_excluded, MESHCLASH_UL_fits)
