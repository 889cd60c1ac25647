"""The parts of the documents that the table of options says: the data of ``test_option_documents.py``.

``python tests/engine/option_documents.py`` writes them anew.
"""

import json
import re
from pathlib import Path

from meshclash.clash.named_tests import schema
from meshclash.clash.option_table import OPTIONS, Option

DOCS = Path(__file__).resolve().parents[2] / "docs"
MARKS = "<!-- options: python tests/engine/option_documents.py -->", "<!-- end of options -->"
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


PAGES = {"headless.md": argument_rows, "report-format.md": key_rows}


def written(page: str) -> str:
    """A page of the documents as it should be."""
    text = (DOCS / page).read_text("utf-8")
    rows = "\n".join(PAGES[page]())
    pattern = f"({re.escape(MARKS[0])}\n\n).*?(\n\n{re.escape(MARKS[1])})"
    assert len(re.findall(pattern, text, re.DOTALL)) == 1, page
    return re.sub(pattern, lambda found: f"{found[1]}{rows}{found[2]}", text, flags=re.DOTALL)


def schema_text() -> str:
    """`docs/tests.schema.json` as it should be."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for page in PAGES:
        (DOCS / page).write_text(written(page), "utf-8")
    (DOCS / "tests.schema.json").write_text(schema_text(), "utf-8")
