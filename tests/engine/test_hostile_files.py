"""Journals, reports, tests, BCF files and robots as somebody might forge them: read, or refused with a sentence."""

import json
import os
import zipfile
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import meshclash as mc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.__main__ import main
from meshclash.clash import Event, Journal, json_files
from meshclash.clash.baseline import read_baseline, read_report
from meshclash.clash.errors import InputError
from meshclash.clash.files.bcf import BcfFile, read_bcf
from meshclash.clash.named_tests import KEYS, TESTS_SCHEMA, parse_tests, read_tests, to_json
from meshclash.clash.review.history import History
from meshclash.clash.review.journal import FIELDS, parsed
from meshclash.reading import read as reading
from meshclash.scene.from_others import _disabled

HUGE = 10**400
SCALARS = st.one_of(
    st.none(), st.booleans(), st.text(max_size=5), st.floats(), st.integers(),
    st.sampled_from([HUGE, -HUGE, 1e308, -1, 0, "\ud800", "all", "clearance", "*"]),
)  # fmt: skip
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=3), inner)
)
OBJECTS = st.lists(st.tuples(st.text(max_size=2), st.text(max_size=2), st.lists(SCALARS, min_size=6, max_size=6),
                             SCALARS, SCALARS, st.text(max_size=2)).map(list))  # fmt: skip


@given(said=st.lists(st.tuples(st.sampled_from(FIELDS), OBJECTS | ANYTHING), max_size=6))
def test_a_history_takes_events_of_any_value(said):
    """Integers without end ended in an OverflowError."""
    events = [Event(f"{k:016}", "2026-11-24T10:00:00+00:00", "", "x", what, json.dumps(value))
              for k, (what, value) in enumerate(said)]  # fmt: skip
    history = History(events)
    assert set(history.events) == {one.id for one in events}
    assert all(abs(item.area) < 1e309 for item in history.objects.values())


@given(st.datetimes(), st.datetimes(), st.integers(-14, 14), st.integers(-14, 14))
def test_events_are_in_the_order_of_their_times_whatever_the_zone(first, second, east, west):
    """Zones were compared as text."""
    moments = [moment.replace(tzinfo=timezone(timedelta(hours=hours))) for moment, hours in
               ((first, east), (second, west))]  # fmt: skip
    lines = [json.dumps(["0", moment.isoformat(), "", "x", "status", "open"]) for moment in moments]
    found = [parsed(line) for line in lines]
    for moment, one in zip(moments, found, strict=True):
        try:
            moment.astimezone(UTC)
        except OverflowError:
            assert one is None
        else:
            assert one is not None and datetime.fromisoformat(one.time) == moment
    if None not in found:
        assert (found[0].time < found[1].time) == (moments[0] < moments[1])


@pytest.mark.parametrize("place", ["pipe", "/dev/zero", "nul\0"])
def test_what_is_no_file_is_no_journal(tmp_path, place):
    """A pipe waited for ever, a device was read until memory ran out."""
    path = tmp_path / place
    if place == "pipe":
        os.mkfifo(path)
    with pytest.raises(mc.InvalidFile, match=r"no journal|name of a journal"):
        Journal(path)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(KEYS), ANYTHING))
@settings(max_examples=300)
def test_tests_are_read_or_refused(test):
    try:
        found = parse_tests({"schema": TESTS_SCHEMA, "tests": [{"name": "x", **test}]})
    except InputError:
        return
    assert parse_tests(json.loads(to_json(found))) == found


@given(st.lists(st.fixed_dictionaries({"mode": st.sampled_from(["intersection", "collision", "clearance"]) | ANYTHING},
                                      optional={"name": ANYTHING, "a": ANYTHING, "b": ANYTHING, "tolerance": ANYTHING,
                                                "clearance": ANYTHING}), min_size=1, max_size=2))  # fmt: skip
def test_clash_sets_are_read_or_refused(sets):
    try:
        parse_tests(sets)
    except InputError:
        return


@given(st.dictionaries(st.sampled_from(["id", "a", "b", "verdict", "depth", "depth_upper", "status", "comment"]),
                       SCALARS | ANYTHING))  # fmt: skip
def test_reports_are_compared_or_refused(tmp_path_factory, pair):
    path = tmp_path_factory.mktemp("report") / "old.json"
    row = {"id": "1", "a": "a", "b": "b", "verdict": "clash", **pair}
    path.write_text(json.dumps({"schema": "meshclash.report/1", "pairs": [row]}), "utf-8")
    for more in ([], ["--json"]):
        assert main(["report", "diff", str(path), str(path), *more]) in (0, 2)
    try:
        read_baseline(path)
    except InputError:
        return


@pytest.mark.parametrize("content", [b"[" * 200_000, b'{"schema": ' + b"[" * 200_000, b"1" * 5000, b"\xff", b"\0"])
@pytest.mark.parametrize("read", [read_report, read_tests])
def test_json_is_refused_with_the_name_of_its_file(tmp_path, content, read):
    """Brackets without end were a RecursionError in reports."""
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"file\.json"):
        read(path)
    with pytest.raises(InputError, match="null byte"):
        read(Path("a\0b"))


def test_a_device_is_read_to_a_bound(monkeypatch):
    monkeypatch.setattr(json_files, "MOST_BYTES", 1 << 16)
    with pytest.raises(InputError, match="larger than"):
        read_report(Path("/dev/zero"))


def bcf(path, markup):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bcf.version", '<Version VersionId="2.1"/>')
        archive.writestr("1/markup.bcf", markup)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_no_encoding_hides_entities_of_a_bcf_file(tmp_path, encoding):
    """In UTF-16 they were resolved."""
    text = '<!DOCTYPE x [<!ENTITY a "text">]><Markup><Topic Guid="1"><Title>&a;</Title></Topic></Markup>'
    with pytest.raises(InputError, match=r"no entities|no XML"):
        read_bcf(bcf(tmp_path / "x.bcfzip", f'<?xml version="1.0" encoding="{encoding[:6]}"?>{text}'.encode(encoding)))


@pytest.mark.parametrize("levels", [50, 150, 100_000])
def test_a_bcf_file_that_is_read_can_be_written(tmp_path, levels):
    """Deep trees were read, and ended in a RecursionError when they were written."""
    markup = '<Markup><Topic Guid="1"/>' + "<a>" * levels + "</a>" * levels + "</Markup>"
    path = bcf(tmp_path / "x.bcfzip", markup)
    if levels > 100:
        with pytest.raises(InputError, match="lie in each other"):
            read_bcf(path)
    else:
        found = read_bcf(path)
        assert isinstance(found, BcfFile) and found.to_bytes()


@pytest.mark.parametrize(
    "content", [None, b"", b"<a", b'<r><disable_collisions link1="a"/></r>', b'<?xml version="1.0" encoding="x"?><r/>']
)
def test_a_damaged_srdf_file_is_named(tmp_path, content):
    path = tmp_path / "robot.srdf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(mc.InvalidFile, match=r"robot\.srdf"):
        _disabled(path)


def test_a_small_archive_of_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MOST_UNPACKED", 1 << 20)
    path = tmp_path / "model.3mf"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/3dmodel.model", bytes(2 << 20))
    with pytest.raises(mc.InvalidFile, match="unpacks to"):
        mc.read(path)


@pytest.mark.parametrize(
    ("counts", "corners", "unit"),
    [("3", "0, 1, 9", 1.0), ("3", "0, 1, -1", 1.0), ("4", "0, 1, 2", 1.0), ("-3", "0, 1, 2", 1.0),
     ("3, 2000000000", "0, 1, 2", 1.0), ("3", "0, 1, 2", 0.0), ("3", "0, 1, 2", -1.0), ("3", "0, 1, 2", "inf")],
)  # fmt: skip
def test_damaged_faces_and_units_of_usd_are_named(tmp_path, counts, corners, unit):
    """Corners that are not there were an IndexError, or other corners."""
    pytest.importorskip("pxr")
    path = tmp_path / "model.usda"
    path.write_text(
        f'#usda 1.0\n(\n metersPerUnit = {unit}\n)\ndef Mesh "m"\n{{\n point3f[] points = [(0,0,0), (1,0,0), (0,1,0)]\n'
        f" int[] faceVertexCounts = [{counts}]\n int[] faceVertexIndices = [{corners}]\n}}\n"
    )
    with pytest.raises(mc.InvalidFile, match=r"model\.usda"):
        mc.read(path)


@given(st.binary(min_size=1, max_size=8), st.integers(0, 70))
@settings(max_examples=60, deadline=None)
def test_bytes_that_are_no_text_are_refused_in_usd(tmp_path_factory, wrong, place):
    """USD's own words ended in a UnicodeDecodeError."""
    pytest.importorskip("pxr")
    whole = b'#usda 1.0\ndef Mesh "m"\n{\n point3f[] points = [(0,0,0), (1,0,0), (0,1,0)]\n}\n'
    path = tmp_path_factory.mktemp("usd") / "model.usda"
    path.write_bytes(whole[:place] + b"\xff" + wrong + whole[place:])
    with pytest.raises(mc.InvalidFile, match=r"model\.usda"):
        mc.read(path)


@pytest.mark.parametrize(
    "line", ["int[] faceVertexCounts = 3", "string points = 4", 'token[] xformOpOrder = ["xformOp:translate-"]',
             'double3 xformOp:scale = (1, 2, 3)\n uniform token[] xformOpOrder = ["xformOp:scale", "xformOp:"]'],
)  # fmt: skip
def test_attributes_of_another_type_are_named_in_usd(tmp_path, line):
    pytest.importorskip("pxr")
    path = tmp_path / "model.usda"
    lines = ["point3f[] points = [(0,0,0), (1,0,0), (0,1,0)]", "int[] faceVertexCounts = [3]",
             "int[] faceVertexIndices = [0, 1, 2]"]  # fmt: skip
    kept = [one for one in lines if one.split()[1] != line.split()[1]]
    path.write_text("\n".join(["#usda 1.0", 'def Mesh "m"', "{", *kept, line, "}", ""]))
    with pytest.raises(mc.InvalidFile, match=r"model\.usda"):
        mc.read(path)
