"""Reports as JUnit, SARIF, XLSX and BCF: what other programs read in them, and what comes back."""

import csv
import io
import json
import math
import re
import uuid
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.clash.column_table import COLUMNS, CSV, JSON, TEXT, WINDOW, WORKBOOK
from meshclash.clash.errors import InputError
from meshclash.clash.files.bcf import BcfFile, read_bcf
from meshclash.clash.files.junit import to_junit
from meshclash.clash.files.page import to_html
from meshclash.clash.files.sarif import to_sarif
from meshclash.clash.files.topics import reviews_of, to_bcf, topic_guid
from meshclash.clash.files.xlsx import to_xlsx
from meshclash.clash.queries.registry import TESTS
from meshclash.clash.report_formats import new_clashes, to_csv
from meshclash.clash.words import counted, plural
from report_samples import GLOBAL_ID, HOSTILE, pair, report

ROOT = Path(__file__).resolve().parents[2]


def test_junit_fails_for_what_clashes_and_nobody_accepted():
    text = to_junit(
        report(pair(1), pair(2, status="approved"), pair(3, "touching"), pair(4, "contained", new=True, a=HOSTILE))
    )
    root = ElementTree.fromstring(text.encode("utf-8"))
    suite = root.find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
    failing = [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None]
    assert failing[0] == "A1 | B1" and failing[1].startswith("<b>&") and "\\x1b" in failing[1]
    assert [case.find("failure").get("message") for case in suite.iter("testcase") if case.find("failure") is not None][
        1
    ].startswith("new contained")


def test_a_lost_object_is_an_error_of_junit_unless_that_is_allowed():
    for allowed, kind, other in ((False, "error", "skipped"), (True, "skipped", "error")):
        root = ElementTree.fromstring(to_junit(report(pair(1, "touching"), lost=["Shaft"], allow_lost=allowed)))
        suite = root.find("testsuite")
        assert (suite.get("tests"), suite.get("failures")) == ("2", "0")
        assert (suite.get({"error": "errors"}.get(kind, kind)), suite.get({"error": "errors"}.get(other, other))) == (
            "1",
            "0",
        )
        (case,) = [case for case in suite.iter("testcase") if case.find(kind) is not None]
        assert (case.get("name"), case.find(kind).get("message")) == ("Shaft", "it is torn")
        assert "1 object could not be tested." in suite.findtext("system-out")


def test_a_lost_object_is_a_notification_of_sarif():
    for allowed, level in ((False, "error"), (True, "warning")):
        (run,) = json.loads(to_sarif(report(lost=["Shaft"], allow_lost=allowed), "0.2"))["runs"]
        (invocation,) = run["invocations"]
        (told,) = invocation["toolExecutionNotifications"]
        assert told["level"] == level and told["message"]["text"] == "Shaft could not be tested: it is torn"


def test_pages_and_workbooks_tell_lost_objects_from_what_has_no_geometry():
    openpyxl = pytest.importorskip("openpyxl")
    told = report(lost=["Shaft", "<Cog>"])
    page = to_html({**told, "group_by": "cause", "groups": []})
    lost, _, others = page.partition("No geometry, nothing to test")
    items = "<li>Shaft: it is torn</li><li>&lt;Cog&gt;: it is torn</li></ul>"
    assert f'<h3>Lost: should have been tested</h3><ul class="plainlist">{items}' in lost
    assert "2 objects could not be tested. Clashes with them are unknown." in lost.partition("<h2")[0], "on top"
    assert "<li>Rail: it has no faces</li><li>3 meshes without faces, 2 cameras</li>" in others
    assert "No objects touch. 2 objects could not be tested." in page
    sheet = openpyxl.load_workbook(io.BytesIO(to_xlsx(told)))["Question"]
    rows = dict(sheet.iter_rows(values_only=True))
    assert (rows["Lost: Shaft"], rows["Left out: Rail"]) == ("it is torn", "it has no faces")
    assert rows["No geometry"] == "3 meshes without faces, 2 cameras"


@pytest.mark.parametrize(
    ("noun", "many"),
    [
        ("camera", "cameras"), ("mesh without faces", "meshes without faces"), ("empty", "empties"),
        ("light probe", "light probes"), ("group of parts", "groups of parts"), ("axis", "axises"), ("key", "keys"),
    ],
)  # fmt: skip
def test_the_plural_of_a_kind(noun, many):
    assert plural(noun) == many and counted(1, noun) == f"1 {noun}" and counted(2000, noun) == f"2,000 {many}"


SPECIAL = "=+-@\t\r\n\x00\x1b\x7f\x9b'＝\ufeff\u200b\ufffe<>&\"]"
ANY_TEXT = st.text(st.characters() | st.sampled_from(SPECIAL), max_size=9)
FORMULAS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
TOLD = ("class", "type", "storey", "system", "GlobalId", "collection", "assembly")


def texts_of(thing):
    """A strategy for the same report whose texts may say anything, but for what only the program writes."""
    if isinstance(thing, dict):
        own = {"verdict", "test", "schema", "options", "unit"} if "schema" in thing or "verdict" in thing else set()
        parts = {key: st.just(value) if key in own else texts_of(value) for key, value in thing.items()}
        return st.fixed_dictionaries(parts)
    if isinstance(thing, list):
        return st.tuples(*map(texts_of, thing)).map(list)
    return ANY_TEXT if isinstance(thing, str) else st.just(thing)


@st.composite
def hostile_reports(draw):
    """Reports with hostile texts in every place that takes one, of two pairs whose objects are described."""
    pairs = [pair(1, new=True, test="x"), pair(2, new=False, test="y", status="approved")]
    whole = report(*pairs, lost=["Shaft"])
    groups = [{"key": "k", "reason": "r", "pairs": ["1"]}, {"key": "l", "reason": "s", "pairs": ["2"]}]
    made = draw(texts_of({**whole, "group_by": "cause", "groups": groups}))
    made["stats"]["no_geometry"] = draw(st.dictionaries(ANY_TEXT, st.integers(1, 9), max_size=2))
    for item in made["pairs"]:
        item["test"] = draw(ANY_TEXT | st.none())
    names = {item[side] for item in made["pairs"] for side in ("a", "b")}
    made["objects"] = [{"name": name, **draw(st.dictionaries(st.sampled_from(TOLD), ANY_TEXT))} for name in names]
    return made


@given(hostile_reports())
def test_every_text_cell_of_csv_is_neutral(made):
    lines = list(csv.reader(io.StringIO(to_csv(made), newline="")))
    names = [name for column in CSV for name in column.cells]
    assert lines[0] == names and all(len(line) == len(names) for line in lines)
    for title, cell in ((title, cell) for line in lines[1:] for title, cell in zip(lines[0], line, strict=True)):
        shown = [letter for letter in cell if letter.isprintable() and not letter.isspace()]
        assert not UNWANTED.search(cell), title
        assert not shown or shown[0] not in FORMULAS or is_number(cell), (title, cell)
        assert cell[:1] not in ("\t", "\r", "\n"), title


def is_number(cell):
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


@settings(max_examples=50, deadline=None)
@given(hostile_reports())
def test_every_cell_of_a_workbook_is_neutral(made):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("xlsxwriter")
    book = openpyxl.load_workbook(io.BytesIO(to_xlsx(made)))
    for cell in (cell for sheet in book for line in sheet.iter_rows() for cell in line):
        assert cell.data_type in ("s", "n") and not (isinstance(cell.value, str) and UNWANTED.search(cell.value))
        assert cell.hyperlink is None


@settings(max_examples=50, deadline=None)
@given(hostile_reports())
def test_every_text_of_the_other_formats_is_text(tmp_path_factory, made):
    ElementTree.fromstring(to_junit(made).encode("utf-8"))
    assert len(json.loads(to_sarif(made, "0.2"))["runs"][0]["results"]) == 2
    path = tmp_path_factory.mktemp("bcf") / "a.bcf"
    for version in ("2.1", "3.0"):
        path.write_bytes(to_bcf(made, version))
        assert 1 <= len(read_bcf(path).topics) <= 2
    page = to_html(made)
    assert not UNWANTED.search(page)
    expected = {**report(*map(plain, made["pairs"]), lost=["Shaft"]), "group_by": "cause", "groups": made["groups"]}
    assert tags_of(page) == tags_of(to_html(expected))


class Tags(HTMLParser):
    """The scripts, images and links of a page, and attributes that run something or load it."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [tag] if tag in ("script", "img", "a", "iframe", "link", "object") else []
        self.found += [name for name, _ in attrs if name.startswith("on") or name in ("href", "src", "style")]


def tags_of(page):
    tags = Tags()
    tags.feed(page)
    return tags.found


def plain(given):
    return pair(1, given["verdict"], new=given["new"], id=given["id"])


def test_the_console_names_new_clashes_once_and_the_worst_first():
    pairs = [
        pair(1, new=False), pair(2, new=True, frame=3), pair(2, new=True, frame=4), pair(4, "touching"),
        pair(3, new=True, status="approved"), pair(5, new=True, depth=None, a="x\x1b"),
    ]  # fmt: skip
    lines = ["new: clash A2 | B2 10 mm", "new: clash x\\x1b | B5 at most 20 mm"]
    assert new_clashes(report(*pairs), 9) == lines
    assert new_clashes(report(*pairs), 1) == [lines[0], "... and 1 more new clashes"]
    assert new_clashes(report(pair(1)), 9) == []


def test_sarif_has_a_rule_a_place_and_a_fingerprint_for_each_clash():
    log = json.loads(
        to_sarif(report(pair(1, new=False), pair(2, "duplicate", new=True, status="approved"), pair(3, "near")), "0.2")
    )
    run = log["runs"][0]
    assert log["version"] == "2.1.0" and [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        "clash",
        "duplicate",
    ]
    assert [result["baselineState"] for result in run["results"]] == ["unchanged", "new"]
    assert [result["partialFingerprints"]["meshclashPair/v1"] for result in run["results"]] == [
        f"{k:016x}" for k in (1, 2)
    ]
    assert all(
        run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"]
    )
    assert "suppressions" in run["results"][1] and "suppressions" not in run["results"][0]
    assert "\x1b" not in to_sarif(report(pair(1, a=HOSTILE)), "0.2")


def test_lines_of_csv_have_the_ids_of_ifc():
    told = [{"name": "A1", "GlobalId": GLOBAL_ID}]
    line = next(csv.DictReader(io.StringIO(to_csv(report(pair(1), objects=told)))))
    assert (line["a"], line["global_id_a"], line["global_id_b"]) == ("A1", GLOBAL_ID, "")


def test_a_workbook_has_numbers_as_numbers_and_names_as_text():
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("xlsxwriter")
    picture = (ROOT / "docs" / "images" / "contacts.png").read_bytes()
    told = [{"name": "A1", "class": "IfcWall", "GlobalId": GLOBAL_ID}]
    content = to_xlsx(report(pair(1), pair(2, a="=1+1", depth=None), objects=told), {f"{1:016x}": picture})
    sheet = openpyxl.load_workbook(io.BytesIO(content))["Pairs"]
    rows = list(sheet.iter_rows(values_only=True))
    titles = [header for column in WORKBOOK for header in column.headers]
    first = dict(zip(titles, rows[1], strict=False))
    assert first["Depth [m]"] == 0.01 and first["Class A"] == "IfcWall" and first["GlobalId A"] == GLOBAL_ID
    second = sheet.cell(3, titles.index("A") + 1)
    assert (second.value, second.data_type) == ("=1+1", "s") and rows[2][titles.index("Depth [m]")] is None
    assert rows[0][-1] == "Picture" and len(sheet._images) == 1


def archive(content):
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.mark.parametrize("version", ["2.1", "3.0"])
def test_a_thousand_topics_come_back_with_what_was_said(tmp_path, version):
    pairs = [pair(k, status=("open", "approved")[k % 2], comment=f"say {k}" if k % 3 else "") for k in range(1000)]
    path = tmp_path / "clashes.bcf"
    path.write_bytes(to_bcf(report(*pairs), version))
    file = read_bcf(path)
    assert file.version == version and len(file.topics) == 1000
    found = reviews_of(file, [item["id"] for item in pairs])
    assert [(found[item["id"]].status, found[item["id"]].comment) for item in pairs] == [
        (item["status"], item["comment"]) for item in pairs
    ]
    assert file.to_bytes() == path.read_bytes(), "read and written, it has the same bytes"


@given(st.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$", min_size=22, max_size=22))
def test_every_global_id_of_a_file_is_that_of_a_component(tmp_path_factory, key):
    """Some programs write ids that start with a letter; viewers find their elements by them, too."""
    told = [{"name": "A1", "GlobalId": key, "class": "IfcWall"}]
    path = tmp_path_factory.getbasetemp() / "ids.bcf"
    path.write_bytes(to_bcf(report(pair(1), objects=told), "3.0"))
    components = next(read_bcf(path).topics[0].viewpoints).findall("Components/Selection/Component")
    assert [item.get("IfcGuid") for item in components] == [key, None]


@pytest.mark.parametrize("version", ["2.1", "3.0"])
def test_a_viewpoint_shows_both_objects_from_a_camera_that_sees_the_clash(tmp_path, version):
    told = [{"name": "A1", "GlobalId": GLOBAL_ID, "class": "IfcWall"}]
    path = tmp_path / "clashes.bcf"
    path.write_bytes(to_bcf(report(pair(1), objects=told), version, {f"{1:016x}": b"png"}, lambda _: 1.0))
    topic = read_bcf(path).topics[0]
    assert topic.guid == topic_guid(f"{1:016x}") == str(uuid.UUID(topic.guid))
    assert topic.files["snapshot.png"] == b"png" and "by name: it has no GlobalId" in topic.element.findtext(
        "Description"
    )
    view = next(topic.viewpoints)
    known = [item.get("IfcGuid") for item in view.findall("Components/Selection/Component")]
    assert known == [GLOBAL_ID, None] and view.find(".//AuthoringToolId").text == "B1"
    eye, ahead, up = (
        [float(view.find(f"PerspectiveCamera/{name}").findtext(axis)) for axis in "XYZ"]
        for name in ("CameraViewPoint", "CameraDirection", "CameraUpVector")
    )
    away = [p - e for p, e in zip((1.0, 2.0, 3.0), eye, strict=True)]
    length = sum(x * x for x in away) ** 0.5
    assert sum(x * y for x, y in zip(away, ahead, strict=True)) == pytest.approx(length), "it looks at the clash"
    assert sum(x * y for x, y in zip(up, ahead, strict=True)) == pytest.approx(0.0, abs=1e-12)
    assert len(view.findall("ClippingPlanes/ClippingPlane")) == 6


def test_what_another_program_wrote_is_kept(tmp_path):
    """Unknown elements, documents and folders, and a status in its own words."""
    guid, other = topic_guid("f" * 16), str(uuid.uuid4())
    markup = (
        f'<Markup><Topic Guid="{guid}" TopicStatus="Closed" TopicType="x"><Title>t</Title><Vendor a="1"/></Topic>'
        f'<Comment Guid="{other}"><Date>2026-01-01T00:00:00Z</Date><Author>x@y</Author><Comment>done &lt;b></Comment>'
        "</Comment></Markup>"
    )
    path = tmp_path / "theirs.bcfzip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("bcf.version", '<Version VersionId="2.1"/>')
        file.writestr("folder/markup.bcf", markup)
        file.writestr("folder/plan.pdf", b"%PDF")
        file.writestr("project.bcfp", b"<ProjectExtension/>")
    read = read_bcf(path)
    review = reviews_of(read, ["f" * 16])["f" * 16]
    assert (review.status, review.comment) == ("resolved", "done <b>")
    again = archive(read.to_bytes())
    assert set(again) == {"bcf.version", "folder/markup.bcf", "folder/plan.pdf", "project.bcfp"}
    assert b'<Vendor a="1" />' in again["folder/markup.bcf"] and again["folder/plan.pdf"] == b"%PDF"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (None, "cannot be read as BCF"),
        ({"a": b"b"}, "not a BCF"),
        ({"bcf.version": b'<Version VersionId="9"/>'}, "supported versions are 2.1 and 3.0"),
        ({"bcf.version": b"<Version"}, "not valid XML"),
        ({"bcf.version": b'<!DOCTYPE a [<!ENTITY b "c">]><Version VersionId="3.0"/>'}, "document type or entities"),
        ({"bcf.version": b'<Version VersionId="3.0"/>', "x/markup.bcf": b"<Markup/>"}, "no topic with a Guid"),
    ],
)
def test_a_damaged_bcf_is_an_error_that_names_it(tmp_path, members, message):
    path = tmp_path / "bad.bcf"
    if members is None:
        path.write_bytes(b"PK\x03\x04noise")
    else:
        with zipfile.ZipFile(path, "w") as file:
            for name, content in members.items():
                file.writestr(name, content)
    with pytest.raises(InputError, match=message) as raised:
        read_bcf(path)
    assert "bad.bcf" in str(raised.value)


def test_hostile_names_are_text_in_every_bcf(tmp_path):
    for version in ("2.1", "3.0"):
        path = tmp_path / f"{version}.bcf"
        path.write_bytes(to_bcf(report(pair(1, a=HOSTILE, comment=HOSTILE)), version))
        topic = read_bcf(path).topics[0]
        assert "<b>&" in topic.title and topic.comments[0].text.startswith("<b>&")
    assert BcfFile("3.0").to_bytes()


def test_files_say_where_both_objects_are():
    objects = [{"name": "A1", "storey": "Ground floor", "collection": "Pipes"}, {"name": "B1", "collection": "Walls"}]
    line = next(csv.DictReader(io.StringIO(to_csv(report(pair(1), objects=objects)))))
    assert [line[name] for name in ("storey_a", "storey_b", "collection_a", "collection_b")] == [
        "Ground floor", "", "Pipes", "Walls",
    ]  # fmt: skip


def test_every_output_shows_columns_that_it_can_fill():
    shown = {column.name for columns in (CSV, WORKBOOK, TEXT) for column in columns}
    filled = {column.name for column in JSON} | {name for name, column in COLUMNS.items() if column.of_pair is not None}
    assert shown <= filled and {column.name for column in JSON if column.of_pair is not None} == set()
    for columns in (CSV, WORKBOOK, TEXT, WINDOW):
        assert len({column.name for column in columns}) == len(columns)
    assert all(set(column.tests) <= set(TESTS) for column in COLUMNS.values())
