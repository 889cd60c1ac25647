"""Write a report as an XLSX workbook: one sheet with the pairs, one with the settings. Needs xlsxwriter."""

from __future__ import annotations

import importlib
import io
from types import ModuleType
from typing import Any

from ...messages import Sentence
from ..column_table import WORKBOOK
from ..errors import InputError
from ..report_formats import summary, surroundings
from ..words import kinds_in_words
from .junit import as_xml

MOST_ROWS, MOST_TEXT = 1_048_575, 32_767
"""Of a sheet, under its header; of a cell."""


def library() -> ModuleType:
    """Return the module xlsxwriter; raises InputError if it is not installed."""
    try:
        return importlib.import_module("xlsxwriter")  # an extra
    except ImportError as error:
        raise InputError(f".xlsx files need the package xlsxwriter ({error}): pip install 'meshclash[xlsx]'") from error


def to_xlsx(report: dict[str, Any], pictures: dict[str, bytes] | None = None) -> bytes:
    """Return the workbook as bytes.

    Args:
        report: a report of schema `meshclash.report/1`.
        pictures: PNG by the ids of pairs, which get a column.

    Raises:
        InputError: xlsxwriter is not installed, or there are more pairs than a sheet has rows.
    """
    xlsxwriter = library()
    if len(report["pairs"]) > MOST_ROWS:
        raise InputError(
            Sentence(
                "a worksheet holds {most} rows, but there are {pairs} pairs: export to .csv instead",
                most=f"{MOST_ROWS:,}",
                pairs=f"{len(report['pairs']):,}",
            )
        )
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
    _add_pairs(book, bold, report, pictures or {})
    _add_question(book, bold, report)
    book.close()
    return file.getvalue()


def _add_pairs(book: Any, bold: Any, report: dict[str, Any], pictures: dict[str, bytes]) -> None:
    sheet = book.add_worksheet("Pairs")
    titles = [(header, column.width) for column in WORKBOOK for header in column.headers]
    for place, (title, width) in enumerate([*titles, *([("Picture", 24.0)] if pictures else [])]):
        sheet.set_column(place, place, width)
        sheet.write_string(0, place, title, bold)
    for row, (pair, around) in enumerate(surroundings(report), start=1):
        values = (value for column in WORKBOOK for value in column.file_values(pair, around))
        for place, value in enumerate(values):
            if isinstance(value, str):
                sheet.write_string(row, place, as_xml(value)[:MOST_TEXT])
            elif value is not None:
                sheet.write_number(row, place, value)
        if pair["id"] in pictures:
            sheet.set_row(row, 96)
            image = {
                "image_data": io.BytesIO(pictures[pair["id"]]),
                "x_scale": 0.4,
                "y_scale": 0.4,
                "object_position": 2,
            }
            sheet.insert_image(row, len(titles), f"{pair['id']}.png", image)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(len(report["pairs"]), 1), len(titles) - 1)
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
