"""The report's files and table."""

import csv
import io
import json
import re
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from meshclash.clash import cell_text, report_formats
from meshclash.clash.options import DetectOptions
from meshclash.clash.report import DetectReport
from meshclash.clash.report_formats import SCHEMA
from meshclash.clash.review.revisions import pair_id
from meshclash.clash.reviews import Review
from meshclash.clash.rules import Rules
from meshclash.clash.units import SYSTEMS, UNITS, length_in_words
from ui_fakes import make_report, make_row

PAIR_KEYS = ["id", "test", "a", "b", "region", "frame", "verdict", "contacts", "faces_a", "faces_b", "location",
             "depth", "distance", "point_a", "point_b", "face_a", "face_b", "probability",
             "probability_lower", "probability_upper", "points_a", "points_b", "count_a",
             "count_b", "status", "comment", "assignee", "outdated", "flush", "certainty",
             "volume", "volume_lower", "volume_upper", "depth_lower", "depth_upper", "new", "group",
             "decide_again", "model_a", "model_b", "object_a", "object_b"]  # fmt: skip


def test_json_has_the_documented_keys():
    data = json.loads(make_report(make_row()).to_json())
    assert data["schema"] == SCHEMA == "meshclash.report/1"
    keys = "schema version file created saved_list unit files models shared warnings baseline journal options tests"
    keys += " allow_lost objects tested gone undecided group_by groups"
    assert list(data) == [*keys.split(), "events", "pairs", "stats"]
    known = [key for key in data["pairs"][0] if not key.startswith("original_")]
    assert known == PAIR_KEYS, "keys are a promise to readers of reports: add a new column to PAIR_KEYS"


def test_json_is_strict():
    with pytest.raises(ValueError, match="JSON compliant"):
        make_report(make_row(depth=float("nan"))).to_json()


def test_unknown_values_are_null_in_json_and_empty_in_csv():
    report = make_report(make_row(depth=None, location=None, original_faces_b=None))
    pair = json.loads(report.to_json())["pairs"][0]
    assert pair["depth"] is None and pair["location"] is None and pair["original_faces_b"] is None
    line = next(csv.DictReader(io.StringIO(report.to_csv())))
    assert line["depth"] == line["location_x"] == line["original_faces_b"] == ""
    assert line["faces_b"] == "1 2"


UNPROVED = {"depth": None, "depth_lower": 0.0, "depth_upper": 0.000002}


def test_a_bound_from_above_is_never_a_depth():
    report = make_report(make_row(**UNPROVED, b="C"), make_row(depth=0.5, depth_lower=0.5, depth_upper=0.75))
    first, second = json.loads(report.to_json())["pairs"]
    assert {name: first[name] for name in UNPROVED} == UNPROVED
    assert [second[name] for name in UNPROVED] == [0.5, 0.5, 0.75]
    line = next(csv.DictReader(io.StringIO(report.to_csv())))
    assert [line[name] for name in UNPROVED] == ["", "0.0", "2e-06"]
    assert "at most 0.002 mm" in report.to_table() and ">at most 0.002 mm<" in report.to_html()
    rounding = make_report(make_row(**{**UNPROVED, "depth_upper": 1e-9})).to_table()
    assert "<0.001 mm" in rounding and "at most" not in rounding


def test_rows_are_in_the_order_of_what_is_proved():
    fit = make_row(depth=None, depth_lower=0.0, depth_upper=1.9)
    thin, thick = make_row(depth=1e-6, depth_lower=1e-6, depth_upper=1.0), make_row(depth=0.5)
    rounding = make_row(**UNPROVED)
    assert sorted([rounding, fit, thin, thick], key=lambda row: row.order) == [thick, thin, fit, rounding]


def test_csv_keeps_names_with_commas_and_line_breaks():
    name = 'a "b", c\nd'
    lines = list(csv.DictReader(io.StringIO(make_report(make_row(a=name)).to_csv(), newline="")))
    assert [line["a"] for line in lines] == [name]


@pytest.mark.parametrize(
    "name",
    ["=1+1", "+49 40", "-2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\x0b@", "\x01=1", "\u200b=1", "＝1", "＠1",
     "'", "'=1", "\tA", '=HYPERLINK("x")'],
)  # fmt: skip
def test_csv_names_are_no_formulas_and_can_be_had_back(name):
    text = make_report(make_row(a=name, b="B", depth=-0.25)).to_csv()
    line = next(csv.DictReader(io.StringIO(text, newline="")))
    name = name.replace("\x01", "\\x01").replace("\x0b", "\\x0b")
    assert line["a"] == "'" + name and line["b"] == "B" and line["depth"] == "-0.25"


@pytest.mark.parametrize("name", ["A", "Wall-2", "a=b", " A", "Ölwanne", "1e3", "\u200bA"])
def test_csv_leaves_other_names_alone(name):
    line = next(csv.DictReader(io.StringIO(make_report(make_row(a=name)).to_csv(), newline="")))
    assert line["a"] == name


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_no_report_steers_a_terminal(name):
    """Names come from files of others; JSON gives back what was given."""
    row = make_row(a=name)
    report = replace(make_report(row), reviews={row.id: Review("open", name)})
    texts = report.to_json(), report.to_csv(), report.to_html()
    for text in texts:
        assert not [letter for letter in text if unicodedata.category(letter) == "Cc" and letter not in "\t\n\r"]
    pair = json.loads(texts[0])["pairs"][0]
    assert (pair["a"], pair["comment"]) == (name, name)


def test_the_table_has_a_line_for_each_pair_whatever_the_names():
    table = make_report(make_row(a="A\nB\x1b[2J\u2028\u202e", b="\udcff")).to_table()
    assert len(table.split("\n")) == 3 and all(line.isprintable() for line in table.split("\n"))
    assert r"A\nB\x1b[2J\u2028\u202e" in table and r"\udcff" in table


def reviewed():
    """Two clashes, one of them approved with a remark and outdated; every option is set."""
    options = {"test": "clearance", "tolerance": 0.01, "permitted_overlap": 0.0005, "set_a": "collection:Pipes & co"}
    rules = Rules(same_parent=True, listed_pairs=frozenset({("X", "Y")}))
    rows = make_row(distance=0.0), make_row(b="C", distance=0.0)
    return replace(
        make_report(*rows, **options, rules=rules), created="2026-11-22T10:11:12+01:00",
        reviews={rows[1].id: Review("approved", "=press <fit>")}, outdated=frozenset({rows[1].id}),
    )  # fmt: skip


def test_status_comment_and_age_are_in_every_format():
    report = reviewed()
    data = json.loads(report.to_json())
    said = [(pair["status"], pair["comment"], pair["outdated"]) for pair in data["pairs"]]
    assert said == [("open", "", False), ("approved", "=press <fit>", True)]
    assert data["created"] == "2026-11-22T10:11:12+01:00" and data["saved_list"] is None
    lines = list(csv.DictReader(io.StringIO(report.to_csv(), newline="")))
    assert [(line["status"], line["outdated"], line["unit"]) for line in lines] == [
        ("open", "false", "m"), ("approved", "true", "m")
    ]  # fmt: skip
    assert lines[1]["comment"] == "'=press <fit>"  # no formula
    page = report.to_html()
    assert re.search('<tr class="outdated" data-id="[^"]*" data-verdict="clash" data-status="approved"', page)
    assert "=press &lt;fit&gt;" in page and "may have changed since the test" in page


def test_an_approved_pair_is_no_clash_of_the_summary():
    assert "2 pairs are nearer than the tolerance: 1 clash, 1 approved." in reviewed().to_html()


def test_html_says_when_and_what_was_asked():
    page = reviewed().to_html()
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page.partition('class="settings"')[2]))
    assert facts == {
        "File": "never saved", "Tested": "2026-11-22, 10:11 (UTC+01:00)",
        "Test": "Clearance: find pairs of objects that are closer than the tolerance, with their gap and the faces at "
        "that gap", "Pairs": "collection &#x27;Pipes &amp; co&#x27; with everything", "Tolerance": "10 mm",
        "Permitted overlap": "0.5 mm", "Frames": "the current one", "Not tested": "pairs with the same parent",
        "Excluded pairs": "X × Y", "Size": "2 objects, 24 triangles", "Time taken": "0.5 s", "Program": "MeshClash",
    }  # fmt: skip
    assert "overflow-wrap: anywhere" in page


def test_a_list_that_came_with_the_file_says_what_it_lacks():
    page = replace(make_report(make_row(counted_a=7, counted_b=8)), missing=4000).to_html()
    assert "4,000 more pairs were found, but not saved" in page
    assert "7 faces with 8 faces" in page
    assert "more pairs were found" not in replace(make_report(make_row()), missing=0).to_html()


def test_the_page_is_titled_by_the_file_and_shows_clashes_first():
    touching = [make_row("A", f"T{k}", "touching", None) for k in range(690)]
    report = replace(make_report(make_row(), *touching), file="/home/ann/tower/whole.blend")
    page = report.to_html()
    assert "<title>whole.blend – Clash report</title>" in page and "<h1>whole.blend</h1>" in page
    assert "/home/ann" not in page, "nobody learns where the file lies on the sender's disk"
    shown, _, folded = page.partition('<details class="quiet">')
    assert "<summary>690 more: touching</summary>" in folded
    assert shown.count('data-verdict="clash"') == 1 and 'data-verdict="touching"' not in shown
    assert folded.count('data-verdict="touching"') == 690
    quiet = '<details class="quiet">'
    assert quiet not in make_report(*touching).to_html() and quiet not in make_report(make_row()).to_html()


def test_names_on_the_page_are_broken_after_signs_and_not_inside_words():
    page = make_report(make_row(a="Basic_Wall:Generic-300/138<7>")).to_html()
    assert "<span>Basic_<wbr>Wall:<wbr>Generic-<wbr>300/<wbr>138&lt;7&gt;</span>" in page


def test_html_escapes_names_and_is_well_formed():
    page = make_report(make_row(a="<script>alert(1)</script>")).to_html()
    assert "<script>" not in page and "&lt;script&gt;" in page
    opened: list[str] = []

    class Checker(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag not in ("meta", "wbr", "br", "input", "img"):
                opened.append(tag)

        def handle_endtag(self, tag):
            assert opened.pop() == tag

    Checker().feed(page)
    assert not opened
    assert "http" not in page


def test_the_table_is_aligned():
    rows = make_row(a="A", b="Long name"), make_row(verdict="touching", a="Longer name", depth=None)
    lines = make_report(*rows).to_table().splitlines()
    assert len(lines) == 4
    assert lines[2].index("Long name") == lines[0].index("  b ") + 2
    assert "0.25 m" in lines[2]


def test_lengths_are_shown_in_fitting_units():
    assert cell_text.format_length(0.0001) == "0.1 mm"
    assert cell_text.format_length(2.5) == "2.5 m"
    assert cell_text.format_length(1.44e-8) == "<0.001 mm"
    assert cell_text.format_length(2e-5) == "0.02 mm"
    assert cell_text.format_length(2.492e-6) == "0.002492 mm"
    assert cell_text.format_length(123456.0) == "123.5 km"
    assert cell_text.format_length(0.0) == "0 mm"
    assert cell_text.format_length(None) == ""


@given(st.floats(1e-12, 1e9))
def test_no_length_has_a_power_of_ten(metres):
    for unit in ("", *UNITS):
        for system in SYSTEMS:
            text = length_in_words(metres, system, unit)
            number, name = text.removeprefix("<").split()
            assert "e" not in number
            if not text.startswith("<"):
                size = next(size for size, known in UNITS.values() if known == name)
                assert float(number) * size == pytest.approx(metres, rel=0.006)


def test_an_empty_report_is_a_report():
    report = DetectReport("x.blend", 1.0, DetectOptions(), [])
    assert json.loads(report.to_json())["pairs"] == []
    assert len(report.to_csv().splitlines()) == 1
    assert "No objects touch" in report.to_html()


@pytest.mark.parametrize(
    ("rows", "words"), [(1, "1 pair is not apart: 1 clash."), (2, "2 pairs are not apart: 2 clash.")]
)
def test_a_summary_counts_in_words(rows, words):
    assert words in make_report(*[make_row() for _ in range(rows)]).to_html()


def test_pair_ids_are_symmetric_and_unambiguous():
    assert pair_id("a", "b") == pair_id("b", "a")
    assert pair_id("ab", "c") != pair_id("a", "bc")


def test_numpy_numbers_do_not_reach_json():
    row = make_row(location=tuple(map(float, np.ones(3, np.float32))))
    assert json.loads(make_report(row).to_json())["pairs"][0]["location"] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [(0.0, 0, "0%"), (0.001, 0, "<1%"), (0.93, 0, "93%"), (0.999, 0, ">99%"), (1.0, 0, "100%"), (0.999, 1, "99.9%"),
     (0.99999, 1, ">99.9%"), (1e-9, 1, "<0.1%")],
)  # fmt: skip
def test_what_is_not_certain_is_neither_0_nor_100_percent(share, digits, text):
    assert cell_text.format_share(share, digits) == text


def test_short_times_are_milliseconds():
    assert [report_formats.format_seconds(seconds) for seconds in (0.0123, 0.9, 2.345)] == ["12 ms", "0.9 s", "2.3 s"]
