"""Journals, reports, tests, BCF files and robots as somebody might forge them: read, or refused with a sentence."""

import json
import os
import tracemalloc
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
from meshclash.reading.srdf_files import read_srdf

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
    with pytest.raises(mc.InvalidFile, match=r"a folder, a device or a pipe|file name for a journal"):
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


SKIPPED = st.fixed_dictionaries({}, optional={"name": SCALARS | ANYTHING, "lost": SCALARS | ANYTHING})


@given(st.dictionaries(st.sampled_from(["id", "a", "b", "verdict", "depth", "depth_upper", "status", "comment"]),
                       SCALARS | ANYTHING),
       ANYTHING | st.fixed_dictionaries({"skipped": ANYTHING | st.lists(SKIPPED, max_size=2)}))  # fmt: skip
def test_reports_are_compared_or_refused(tmp_path_factory, pair, stats):
    path = tmp_path_factory.mktemp("report") / "old.json"
    row = {"id": "1", "a": "a", "b": "b", "verdict": "clash", **pair}
    path.write_text(json.dumps({"schema": "meshclash.report/1", "pairs": [row], "stats": stats}), "utf-8")
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


@pytest.mark.parametrize("text", ["[],", "{},", "1,", '"ab",', '{"a":[{}]},'])
@pytest.mark.parametrize("read", [read_report, read_baseline, read_tests])
def test_what_takes_too_much_memory_is_refused_before_it_is_parsed(tmp_path, monkeypatch, text, read):
    content = f'{{"pairs": [{text * 300_000}0]}}'
    path = tmp_path / "large.json"
    path.write_text(content)
    monkeypatch.setattr(json_files, "MOST_MEMORY", 5 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"large\.json' would take \d+ MiB of memory; the limit is 5 MiB"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 2.5 * len(content) + (1 << 20)
    finally:
        tracemalloc.stop()


def test_the_estimate_of_memory_is_no_less_than_what_reports_take(tmp_path):
    pair = {"id": "1" * 16, "a": "Post", "b": "Slab", "verdict": "clash", "faces_a": list(range(1000, 1100)),
            "location": [0.1, 0.2, 0.3], "depth": 0.25, "comment": "", "new": None}  # fmt: skip
    content = json.dumps({"schema": "meshclash.report/1", "pairs": [pair] * 3000}, indent=1).encode()
    path = tmp_path / "report.json"
    path.write_bytes(content)
    peaks = []
    for read in (read_report, read_baseline):
        tracemalloc.start()
        try:
            read(path)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[0] < 1.3 * json_files._memory(content), "the whole report"
    assert peaks[1] < 2.5 * len(content), "a baseline keeps no faces"


def test_a_file_that_is_too_large_is_refused_without_being_read(tmp_path, monkeypatch):
    path = tmp_path / "large.json"
    path.write_bytes(bytes(1 << 17))
    monkeypatch.setattr(json_files, "MOST_BYTES", 1 << 16)
    monkeypatch.setattr(json_files, "_memory", lambda _: pytest.fail("it was read"))
    with pytest.raises(InputError, match="is larger than 65,536 bytes"):
        read_report(path)


def bcf(path, markup):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bcf.version", '<Version VersionId="2.1"/>')
        archive.writestr("1/markup.bcf", markup)
    return path


def packed(path, members, way=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", way) as archive:
        archive.writestr("bcf.version", '<Version VersionId="2.1"/>')
        for name, content in members.items():
            archive.writestr(name, content)
    return path


TOPIC = '<Markup><Topic Guid="1">{}</Topic></Markup>'
BOMBS = {
    "elements": ({"1/markup.bcf": TOPIC.format("<a/>" * 3_000_000)}, "too many elements and attributes"),
    "topics": (
        {f"{k}/markup.bcf": TOPIC.format("<a/>" * 90_000) for k in range(40)},
        "too many elements and attributes",
    ),
    "zeros": ({"1/markup.bcf": TOPIC.format(""), "1/snapshot.png": bytes(100_000_000)}, "unpacks to more than"),
    "many zeros": ({f"{k}.png": bytes(2_000_000) for k in range(50)}, "unpacks to more than"),
    "long name": ({"a/" * 5000 + "markup.bcf": TOPIC.format("")}, "longer than 1000 characters"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_bcf_file_takes_little_memory(tmp_path, name):
    """Of 20 kB to 200 kB; elements took 250 bytes for each byte of the file."""
    members, message = BOMBS[name]
    path = packed(tmp_path / "bomb.bcfzip", members)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=message) as refusal:
            read_bcf(path)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()
    assert "bomb.bcfzip" in str(refusal.value) and "damaged" not in str(refusal.value)


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bcf_file_is_packed_by_deflate_only(tmp_path, way):
    path = packed(tmp_path / "a.bcfzip", {"1/markup.bcf": TOPIC.format("")}, way)
    with pytest.raises(InputError, match="uses a compression method that BCF does not allow"):
        read_bcf(path)


FOLDERS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)


@given(st.sets(FOLDERS, max_size=5), st.sets(st.tuples(FOLDERS, st.sampled_from(["x.png", "v.bcfv"])), max_size=6))
def test_a_file_belongs_to_the_topic_whose_folder_is_nearest(tmp_path_factory, topics, files):
    members = {f"{folder}/markup.bcf": TOPIC.format("") for folder in topics}
    members |= {f"{folder}/{name}": f"{folder} {name}" for folder, name in files}
    found = read_bcf(packed(tmp_path_factory.mktemp("bcf") / "a.bcf", members))
    assert {topic.own_folder for topic in found.topics} == topics
    homes = {path: topic.own_folder for topic in found.topics
             for path in (f"{topic.own_folder}/{name}" for name in topic.files)}  # fmt: skip
    for folder, name in files:
        above = [known for known in topics if f"{folder}/".startswith(f"{known}/")]
        assert homes.get(f"{folder}/{name}") == max(above, key=len, default=None)
    assert set(homes) | set(found.others) == {f"{folder}/{name}" for folder, name in files} | {"bcf.version"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_no_encoding_hides_entities_of_a_bcf_file(tmp_path, encoding):
    """In UTF-16 they were resolved."""
    text = '<!DOCTYPE x [<!ENTITY a "text">]><Markup><Topic Guid="1"><Title>&a;</Title></Topic></Markup>'
    with pytest.raises(InputError, match=r"document type or entities|not valid XML"):
        read_bcf(bcf(tmp_path / "x.bcfzip", f'<?xml version="1.0" encoding="{encoding[:6]}"?>{text}'.encode(encoding)))


@pytest.mark.parametrize("levels", [50, 150, 100_000])
def test_a_bcf_file_that_is_read_can_be_written(tmp_path, levels):
    """Deep trees were read, and ended in a RecursionError when they were written."""
    markup = '<Markup><Topic Guid="1"/>' + "<a>" * levels + "</a>" * levels + "</Markup>"
    path = bcf(tmp_path / "x.bcfzip", markup)
    if levels > 100:
        with pytest.raises(InputError, match="are nested in each other"):
            read_bcf(path)
    else:
        found = read_bcf(path)
        assert isinstance(found, BcfFile) and found.to_bytes()


@pytest.mark.parametrize(
    "content",
    [None, b"", b"<a", b'<robot><disable_collisions link1="a"/></robot>', b'<?xml version="1.0" encoding="x"?><r/>'],
)
def test_a_damaged_srdf_file_is_named(tmp_path, content):
    path = tmp_path / "robot.srdf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(mc.InvalidFile, match=r"robot\.srdf"):
        read_srdf(path)


def test_a_small_archive_of_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MOST_UNPACKED", 1 << 20)
    path = tmp_path / "model.3mf"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/3dmodel.model", bytes(2 << 20))
    with pytest.raises(mc.InvalidFile, match="decompresses to"):
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
