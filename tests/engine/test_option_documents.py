"""The documents say of each option and of each column what its table says."""

import dataclasses

import pytest
from meshclash.clash.option_table import OPTIONS
from meshclash.clash.options import DetectOptions
from option_documents import DOCS, PAGES, report_schema_text, schema_text, written


@pytest.mark.parametrize("page", PAGES)
def test_the_tables_of_a_page_are_those_of_the_options(page):
    assert (DOCS / page).read_text("utf-8") == written(page), "python tests/engine/option_documents.py"


def test_the_schema_of_tests_is_that_of_the_options():
    assert (DOCS / "tests.schema.json").read_text("utf-8") == schema_text(), "python tests/engine/option_documents.py"


def test_the_schema_of_reports_is_that_of_the_columns():
    text = (DOCS / "report.schema.json").read_text("utf-8")
    assert text == report_schema_text(), "python tests/engine/option_documents.py"


def test_every_option_is_a_field_with_the_same_default():
    fields = {field.name: field.default for field in dataclasses.fields(DetectOptions)}
    assert {name: fields[name] for name in OPTIONS} == {name: option.default for name, option in OPTIONS.items()}
    assert fields.keys() - OPTIONS.keys() == {"set_a", "set_b", "test", "frames", "rules"}
