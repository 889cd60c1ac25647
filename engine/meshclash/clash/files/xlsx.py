"""A report as a workbook: what was asked, and the pairs with units in the headers. Needs xlsxwriter."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..errors import InputError
from ..report_formats import summary
from ..words import kinds_in_words
from .junit import as_xml

Cell = Callable[[dict[str, Any]], Any]

COLUMNS: tuple[tuple[str, float, Cell], ...] = (
    ("Number", 8, lambda pair: pair["number"]),
    ("Test", 16, lambda pair: pair.get("test")),
    ("Verdict", 12, lambda pair: pair["verdict"]),
    ("New", 7, lambda pair: None if pair["new"] is None else "new" if pair["new"] else "known"),
    ("A", 32, lambda pair: pair["a"]),
    ("B", 32, lambda pair: pair["b"]),
    ("Status", 10, lambda pair: pair["status"]),
    ("Comment", 32, lambda pair: pair["comment"]),
    ("Depth [m]", 12, lambda pair: pair["depth"]),
    ("Depth at most [m]", 12, lambda pair: pair["depth_upper"]),
    ("Gap [m]", 12, lambda pair: pair["distance"]),
    ("Common volume [m³]", 14, lambda pair: pair["volume"]),
    ("X [m]", 11, lambda pair: (pair["location"] or (None,))[0]),
    ("Y [m]", 11, lambda pair: (pair["location"] or (None, None))[1]),
    ("Z [m]", 11, lambda pair: (pair["location"] or (None, None, None))[2]),
    ("Class A", 18, lambda pair: pair["told_a"].get("class")),
    ("Class B", 18, lambda pair: pair["told_b"].get("class")),
    ("Storey A", 16, lambda pair: pair["told_a"].get("storey")),
    ("Storey B", 16, lambda pair: pair["told_b"].get("storey")),
    ("GlobalId A", 25, lambda pair: pair["told_a"].get("GlobalId")),
    ("GlobalId B", 25, lambda pair: pair["told_b"].get("GlobalId")),
    ("Frame", 7, lambda pair: pair["frame"]),
    ("Contacts", 9, lambda pair: pair["contacts"]),
    ("Id", 18, lambda pair: pair["id"]),
)
MOST_ROWS, MOST_TEXT = 1_048_575, 32_767
"""Of a sheet, under its header; of a cell."""


def library() -> ModuleType:
    """What writes workbooks; raises InputError where it is not installed."""
    try:
        return importlib.import_module("xlsxwriter")  # an extra
    except ImportError as error:
        raise InputError(f".xlsx is written by xlsxwriter ({error}): pip install 'meshclash[xlsx]'") from error


def to_xlsx(report: dict[str, Any], pictures: dict[str, bytes] | None = None) -> bytes:
    """The workbook.

    Args:
        report: of schema `meshclash.report/1`.
        pictures: PNG by the ids of pairs, which get a column.

    Raises:
        InputError: xlsxwriter is not installed, or there are more pairs than a sheet has rows.
    """
    xlsxwriter = library()
    if len(report["pairs"]) > MOST_ROWS:
        raise InputError(f"a sheet has {MOST_ROWS:,} rows, and there are {len(report['pairs']):,} pairs: write .csv")
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
    _add_pairs(book, bold, report, pictures or {})
    _add_question(book, bold, report)
    book.close()
    return file.getvalue()


def _add_pairs(book: Any, bold: Any, report: dict[str, Any], pictures: dict[str, bytes]) -> None:
    sheet = book.add_worksheet("Pairs")
    titles = [*COLUMNS, *([("Picture", 24.0, lambda pair: None)] if pictures else [])]
    for column, (title, width, _) in enumerate(titles):
        sheet.set_column(column, column, width)
        sheet.write_string(0, column, title, bold)
    told = {item["name"]: item for item in report["objects"]}
    for row, pair in enumerate(report["pairs"], start=1):
        full = {**pair, "number": row, "told_a": told.get(pair["a"], {}), "told_b": told.get(pair["b"], {})}
        for column, (_, _, cell) in enumerate(COLUMNS):
            value = cell(full)
            if isinstance(value, str):
                sheet.write_string(row, column, as_xml(value)[:MOST_TEXT])
            elif value is not None:
                sheet.write_number(row, column, value)
        if pair["id"] in pictures:
            sheet.set_row(row, 96)
            image = {
                "image_data": io.BytesIO(pictures[pair["id"]]),
                "x_scale": 0.4,
                "y_scale": 0.4,
                "object_position": 2,
            }
            sheet.insert_image(row, len(COLUMNS), f"{pair['id']}.png", image)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(len(report["pairs"]), 1), len(COLUMNS) - 1)
    sheet.set_landscape()
    sheet.repeat_rows(0)
    sheet.fit_to_pages(1, 0)


def _add_question(book: Any, bold: Any, report: dict[str, Any]) -> None:
    sheet = book.add_worksheet("Question")
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 1, 80)
    facts = [
        ("Summary", summary(report)),
        ("File", report["file"]),
        ("Detected", report["created"] or ""),
        ("Unit", report["unit"]),
        *((name.replace("_", " "), str(value)) for name, value in report["options"].items()),
        *(
            (f"Test: {test['name']}", f"{test['test']}: {test['set_a']} with {test['set_b']}")
            for test in report.get("tests", ())
        ),
        *(
            (f"{'Lost' if item['lost'] else 'Left out'}: {item['name']}", item["reason"])
            for item in sorted(report["stats"]["skipped"], key=lambda item: not item["lost"])
        ),
        *(("No geometry", text) for text in [kinds_in_words(report["stats"]["no_geometry"])] if text),
    ]
    for row, (name, value) in enumerate(facts):
        sheet.write_string(row, 0, as_xml(name)[:MOST_TEXT], bold)
        sheet.write_string(row, 1, as_xml(value)[:MOST_TEXT])
