"""The parts of the documents that the tables of options and columns say: the data of ``test_option_documents.py``.

``python tests/engine/option_documents.py`` writes them anew.
"""

import json
import re
import textwrap
from pathlib import Path

from meshclash.clash.column_table import CSV, JSON, Column, pair_schema
from meshclash.clash.named_tests import schema
from meshclash.clash.option_table import OPTIONS, Option

DOCS = Path(__file__).resolve().parents[2] / "docs"
MARKS = "<!-- {}: python tests/engine/option_documents.py -->", "<!-- end of {} -->"
KINDS = {
    "length": "number [m]", "volume": "number [m³]", "time": "number [s]", "count": "integer", "flag": "boolean",
    "choice": "string", "fits": "list of two names and a length [m] each",
}  # fmt: skip


def tests_of(option: Option) -> str:
    """The tests that take an option, in words."""
    return ", ".join(f"`{name}`" for name in option.tests) or "all"


def argument_rows() -> list[str]:
    """A row for each option of the command line."""
    rows = ["| option | meaning | tests |", "|---|---|---|"]
    for option in OPTIONS.values():
        shown = f"{option.argument} {option.metavar}".strip().replace("|", r"\|")
        rows.append(f"| `{shown}` | {option.help} | {tests_of(option)} |")
    return rows


def key_rows() -> list[str]:
    """A row for each option in JSON."""
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for option in OPTIONS.values():
        words = "".join(f' or `"{word}"`' for word in option.words)
        default = json.dumps(list(option.default) if option.kind == "fits" else option.default)
        rows.append(f"| `{option.name}` | {KINDS[option.kind]}{words} | `{default}` | {option.help} |")
    return rows


def type_of(column: Column) -> str:
    """The type of a column in JSON, in words."""
    types = {"id": "string", "text": "string", "choice": "string", "flag": "boolean", "share": "number",
             "point": "3 numbers"}  # fmt: skip
    return types.get(column.kind, column.kind) + (" or null" if column.nullable else "")


def column_rows() -> list[str]:
    """A row for each key of a pair."""
    rows = ["| key | type | tests | meaning |", "|---|---|---|---|"]
    for column in JSON:
        tests = ", ".join(f"`{name}`" for name in column.tests) or "all"
        rows.append(f"| `{column.name}` | {type_of(column)} | {tests} | {column.help} |")
    return rows


def csv_names() -> list[str]:
    """The header of a CSV file, in lines."""
    return textwrap.wrap(f"`{', '.join(name for column in CSV for name in column.cells)}`", 120, break_on_hyphens=False)


PAGES = {
    "headless.md": {"options": argument_rows},
    "report-format.md": {"options": key_rows, "columns": column_rows, "CSV columns": csv_names},
}


def written(page: str) -> str:
    """A page of the documents as it should be."""
    text = (DOCS / page).read_text("utf-8")
    for name, rows in PAGES[page].items():
        begin, end = (re.escape(mark.format(name)) for mark in MARKS)
        pattern, new = f"({begin}\n\n).*?(\n\n{end})", "\n".join(rows())
        assert len(re.findall(pattern, text, re.DOTALL)) == 1, (page, name)
        text = re.sub(pattern, lambda found, new=new: f"{found[1]}{new}{found[2]}", text, flags=re.DOTALL)
    return text


def schema_text() -> str:
    """`docs/tests.schema.json` as it should be."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def report_schema_text() -> str:
    """`docs/report.schema.json` as it should be: its pairs are those of the table of columns."""
    found = json.loads((DOCS / "report.schema.json").read_text("utf-8"))
    found["properties"]["pairs"] = {"type": "array", "items": pair_schema()}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for page in PAGES:
        (DOCS / page).write_text(written(page), "utf-8")
    (DOCS / "tests.schema.json").write_text(schema_text(), "utf-8")
    (DOCS / "report.schema.json").write_text(report_schema_text(), "utf-8")
