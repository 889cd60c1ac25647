"""The page of a report: what it says first, what it never says, and its pictures."""

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meshclash.clash.files.glb import to_glb
from meshclash.clash.files.nearby import WHOLE_TRIANGLES, nearby
from meshclash.clash.files.page import CARDS_AT_ONCE, to_html
from meshclash.clash.files.page_objects import MOST_KINDS, OTHERS, Matrix, short_names
from meshclash.clash.files.page_rows import AT_ONCE
from meshclash.clash.files.pictures import DIRECTIONS, HEIGHT, SMALL, WIDTH, _Scene, is_closed, pictures, sharp_edges
from meshclash.clash.files.raster import to_png
from report_samples import GLOBAL_ID, HOSTILE, pair, report

QUADS = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
MODELS = ("/home/ann/tower/Tower - Structure.ifc", "/home/ann/tower/Tower - Pipes.ifc")


def box(low, high):
    """The triangles (12, 3, 3) of a box, anticlockwise from outside."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    places = np.array(low) + corners * (np.array(high) - np.array(low))
    return places[QUADS[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)]


def coordinated(*pairs, **changes):
    """A report of two files: objects A.. of the structure, objects B.. of the pipes."""
    files = [{"path": path, "metres_per_unit": 0.001, "names_unit": True} for path in MODELS]
    told = []
    for item in pairs:
        told.append({"name": item["a"], "collection": "Tower - Structure, Level 1", "class": "IfcBeam", "storey": "L1"})
        told.append({"name": item["b"], "collection": "Tower - Pipes, Level 1", "class": "IfcPipeSegment"})
    named = {item["group"] for item in pairs if item["group"]}
    groups = [
        {"key": f"g{k}", "reason": f"Reason {k}", "pairs": [item["id"] for item in pairs if item["group"] == k]}
        for k in sorted(named)
    ]
    made = {**report(*pairs, objects=told), "file": ", ".join(MODELS), "files": files}
    return {**made, "group_by": "cause", "groups": groups, **changes}


def head_of(page):
    """The text of the first screen."""
    return re.sub("<[^>]*>", " ", page.partition("<header>")[2].partition("</header>")[0])


def test_a_page_loads_nothing_and_keeps_hostile_names_as_text():
    page = to_html(report(pair(1, a=HOSTILE, comment="</script><script>alert(1)</script>"), pair(2, "touching")))
    assert "&lt;b&gt;&amp;&quot;=cmd\\x1b[2J" in page and "<script>alert" not in page
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)""", page) and "http" not in page
    assert page.count("<script type=") == 1


@pytest.mark.parametrize("given_report", [
    report(pair(1, a=HOSTILE), pair(2, "touching")),
    coordinated(pair(1, group=1, a=HOSTILE), pair(2, group=1), pair(3, "near"), baseline="/home/ann/old.json"),
    report(lost=[HOSTILE]),
])  # fmt: skip
def test_a_page_is_valid_html(given_report):
    html5lib = pytest.importorskip("html5lib")
    page = to_html(given_report, {f"{1:016x}": b"png"}, {f"{1:016x}": b"glb"})
    page = page.encode("utf-8", "backslashreplace").decode()  # as files are written
    for scripting in (True, False):  # a noscript element is text, or elements
        html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page, scripting=scripting)


def test_the_first_screen_says_what_was_compared_and_the_outcome():
    pairs = [pair(k, group=1 + k % 2, new=k < 2) for k in range(5)]
    approved = pair(7, group=1, status="approved")
    told = head_of(to_html(coordinated(*pairs, approved, pair(8, "touching"), baseline="/home/ann/old.json")))
    assert "Tower: Structure × Pipes" in told and "2026-11-24, 12:00 (UTC+01:00)" in told
    assert "5 clashes in 2 groups, 2 of them new." in told
    assert "No clashes besides the approved ones." in head_of(to_html(coordinated(approved)))
    assert "No clashes." in head_of(to_html(coordinated(pair(8, "touching"))))


FOLDERS = st.lists(st.sampled_from(["home", "Ann Example", "C&A", "tower"]), min_size=1, max_size=3)


@settings(max_examples=40, deadline=None)
@given(FOLDERS, st.sampled_from(["/", "C:\\"]), st.booleans())
def test_no_folder_of_a_disk_is_on_a_page(folders, root, with_files):
    sign = "\\" if "\\" in root else "/"
    folder = root + sign.join(["SECRET", *folders, "SECRET"]) + sign
    made = coordinated(pair(1, group=1))
    files = [{**item, "path": folder + f"model{k}.ifc"} for k, item in enumerate(made["files"])]
    skipped = [
        {"name": "Wall", "reason": f"{folder}model1.ifc: a face has no loop", "lost": lost} for lost in (True, False)
    ]
    made |= {"files": files if with_files else [], "file": folder + "model1.ifc", "baseline": folder + "old.json"}
    made["stats"] = {**made["stats"], "skipped": skipped}
    page = to_html(made, {f"{1:016x}": b"png"}, {f"{1:016x}": b"glb"})
    assert "SECRET" not in page and "model1.ifc: a face has no loop" in page and "old.json" in page


def test_a_matrix_counts_pairs_of_models_and_classes_and_names_their_cells():
    page = to_html(coordinated(pair(1, group=1), pair(2, group=1), pair(3, "touching")))
    matrix = page.partition("Clashes between models")[2].partition("</table>")[0]
    assert re.findall('<span class="count"[^>]*>(.*?)</span>', matrix) == ["–", "2", "–"]
    assert 'data-cell="m0-1" data-label="Structure and Pipes"' in matrix
    rows = re.findall("<tr data-[^>]*>", page.partition('class="pairs list"')[2])
    assert all('data-cells="m0-1 k0-1"' in row for row in rows[:2])
    assert "Clashes between classes" in page


@given(
    st.lists(st.tuples(st.integers(0, 30), *[st.sampled_from([f"k{k}" for k in range(20)] + [""])] * 2), max_size=60)
)
def test_a_matrix_counts_every_pair_once(pairs):
    found = {key: (a, b) for key, a, b in pairs}
    matrix = Matrix((key, a, b) for key, (a, b) in found.items())
    assert len(matrix.names) <= MOST_KINDS and matrix.counts.total() == sum(a != "" != b for a, b in found.values())
    for row, column in matrix.counts:
        known = [sorted(names) for names in found.values() if all(names) and matrix.cell(*names) == (row, column)]
        assert len(known) == matrix.counts[row, column]
        if OTHERS not in (matrix.names[row], matrix.names[column]):
            assert all(names == sorted([matrix.names[row], matrix.names[column]]) for names in known)


def test_short_names_keep_models_apart():
    assert short_names(["Tower - Walls", "Tower - Pipes"]) == (
        "Tower",
        {"Tower - Walls": "Walls", "Tower - Pipes": "Pipes"},
    )
    assert short_names(["arch", "archive"])[0] == short_names(["Tower"])[0] == short_names([])[0] == ""
    assert short_names(["A-", "A-b"])[1] == {"A-": "A-", "A-b": "A-b"}, "no name becomes empty"


def test_models_of_the_report_are_used_where_it_has_them():
    models = [
        {"name": name, "file": f"{name}.ifc", "discipline": kind} for name, kind in (("S1", "STR"), ("P1", "MEP"))
    ]
    item = pair(1, group=1, model_a="P1", model_b="S1", decide_again=True)
    shared = [{"name": "origin", "GlobalId": GLOBAL_ID, "models": ["S1", "P1"]}]
    page = to_html(coordinated(item, models=models, shared=shared, warnings=["model 'P1' is far away"],
                               undecided=[{"candidates": [item["id"]]}]))  # fmt: skip
    assert "<h1>S1 × P1</h1>" in page and "<li>S1: STR</li><li>P1: MEP</li>" in page
    assert "<li>Model &#x27;P1&#x27; is far away</li>" in page and "1 decision of the earlier report" in page
    assert "<li>origin in S1, P1</li>" in page and "1 to decide again" in page


def test_one_element_in_two_models_is_no_clash_between_elements():
    item = pair(1, "duplicate", group=1)
    made = coordinated(item)
    for told in made["objects"]:
        told["GlobalId"] = GLOBAL_ID
    page = to_html(made)
    assert "No clashes between different elements." in head_of(page) and "Elements that several models contain" in page
    assert "Groups of clashes" not in page and "Clashes between models" not in page
    made["objects"][1]["GlobalId"] = GLOBAL_ID[::-1]
    assert "1 clash." in head_of(to_html(made)), "another GlobalId is another element"


def test_a_card_says_who_decides_until_when_or_leaves_room_to_write():
    plain = pair(1, group=1)
    told = to_html(coordinated({**plain, "assignee": "Mia", "due": "2026-12-04", "comment": "core a hole"}))
    card = told.partition("<article")[2].partition("</article>")[0]
    assert all(f"<dd>{words}</dd>" in card for words in ("Mia", "2026-12-04", "core a hole", "1 open"))
    card = to_html(coordinated(plain)).partition("<article")[2].partition("</article>")[0]
    assert card.count('<span class="write"></span>') == 2


def test_a_page_says_which_clashes_are_gone_and_why():
    told = {"verdict": "clash", "depth": 0.05, "depth_upper": None, "comment": "", "status": "approved"}
    gone = [
        {**told, "id": "1", "a": HOSTILE, "b": "Duct", "why": "object removed", "detail": "Duct", "model_a": "arch"},
        {**told, "id": "2", "a": "Wall", "b": "Pipe", "why": "model not loaded", "detail": "hvac", "comment": "sleeve"},
    ]
    page = to_html({**coordinated(pair(1), baseline="/home/ann/monday.json"), "gone": gone})
    section = page[page.index('<section id="gone">') : page.index("<footer")]
    assert "Clashes of monday.json that this test did not find" in section and HOSTILE not in page
    assert "Object removed: 1 clash<" in section and "Model not loaded (they may still exist): 1 clash<" in section
    assert " (arch) × Duct <small>Duct · 50 mm · approved</small>" in section
    assert "Wall × Pipe <small>hvac · 50 mm · approved · sleeve</small>" in section
    assert re.search(r"2\s+gone", head_of(page))
    assert 'id="gone"' not in to_html(coordinated(pair(1)))


def test_a_page_without_its_script_has_all_groups_and_all_pairs():
    pairs = [pair(k, group=k + 1) for k in range(CARDS_AT_ONCE + AT_ONCE)]
    page = to_html(coordinated(*pairs))
    assert page.count("<article ") == len(pairs) and page.count('<tr data-id="') == len(pairs)
    first, _, rest = page.partition('<noscript class="rest">')
    assert first.count("<article ") == CARDS_AT_ONCE, "a browser lays out few at once"
    table = rest.partition('class="pairs list"')[2]
    assert table.partition("<noscript")[0].count('<tr data-id="') == AT_ONCE


def test_a_page_says_the_units_of_files():
    files = [("a.ifc", 0.001, True), ("b.stl", 1.0, False), ("c.stl", 1.0, False)]
    told = [dict(zip(("path", "metres_per_unit", "names_unit"), file, strict=True)) for file in files]
    page = to_html({**report(pair(1)), "files": told})
    words = "1 unit is 1 mm; 1 unit is assumed to be 1 m in 2 files without unit"
    assert f"<dt>Units of the files</dt><dd>{words}</dd>" in page and "Frames" not in page
    assert "Units of" not in to_html(report(pair(1)))


class Controls(HTMLParser):
    """What a page has to operate and to look at, with names and labels."""

    def __init__(self, page):
        super().__init__()
        self.ids, self.unnamed, self.labels, self.pictures = [], [], 0, []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given_ones = dict(attrs)
        if "id" in given_ones:
            self.ids.append(given_ones["id"])
        self.labels += tag == "label"
        if tag == "img":
            self.pictures.append(given_ones.get("alt"))
        if tag in ("input", "select"):
            self.labels -= 1
        if tag == "th" and given_ones.get("scope") not in ("col", "row"):
            self.unnamed.append(tag)


def test_everything_to_operate_has_a_label_and_every_picture_a_text():
    page = to_html(coordinated(pair(1, group=1), pair(2, "touching")), {f"{1:016x}": b"png"})
    found = Controls(page)
    assert found.labels == 0 and not found.unnamed and len(set(found.ids)) == len(found.ids)
    assert found.pictures == ["A1 in red and B1 in blue"]
    assert 'lang="en"' in page and 'class="skip" href="#findings"' in page and 'id="findings"' in page


STYLE = (Path(__file__).resolve().parents[2] / "engine/meshclash/clash/files/page.css").read_text("utf-8")


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("ground", ["paper", "panel"])
@pytest.mark.parametrize("name", ["ink", "soft", "link", "red", "amber", "green"])
def test_colours_of_text_have_the_contrast_that_wcag_asks_for(place, ground, name):
    """In light and in dark, of the page and of a panel. Source: WCAG 2.2, 1.4.3."""

    def light(colour):
        parts = [int(colour[k : k + 2], 16) / 255.0 for k in (0, 2, 4)]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))

    values = [light(re.findall(rf"--{which}: #(\w+)", STYLE)[place]) for which in (name, ground)]
    assert (max(values) + 0.05) / (min(values) + 0.05) >= 4.5


# ---- pictures and views


def test_a_page_has_views_of_clashes_whose_shapes_are_at_hand():
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float64)
    few, many = triangle[None], np.array([triangle, *WHOLE_TRIANGLES * [90 + triangle]])
    shown = nearby(pair(1, location=[0.2, 0.2, 0.0]), lambda name: {"A1": few, "B1": many}[name])
    assert len(shown.b) == 1, "what is far from the clash is left out"
    whole = nearby(pair(1, location=[0.2, 0.2, 0.0]), lambda name: many[1:])
    assert len(whole.a) == WHOLE_TRIANGLES, "of few triangles nothing is left out"
    glb = to_glb(shown)
    assert glb[:4] == b"glTF" and int.from_bytes(glb[8:12], "little") == len(glb)
    document = json.loads(glb[20 : 20 + int.from_bytes(glb[12:16], "little")])
    assert document["asset"]["extras"]["focus"] == shown.focus > 0.0
    scene = pytest.importorskip("trimesh").load_scene(io.BytesIO(glb), file_type="glb")
    low, high = scene.bounds
    assert np.allclose(high - low, [1.0, 0.0, 1.0], atol=1e-4), "y up, as glTF has it"
    page = to_html(report(pair(1)), {f"{1:016x}": b"png"}, {f"{1:016x}": glb})
    assert '<dialog id="view"' in page and "data:image/png;base64,cG5n" in page
    grouped = coordinated(pair(1, group=1))
    for shown_pictures in ({f"{1:016x}": b"png"}, {}):
        card = to_html(grouped, shown_pictures, {f"{1:016x}": glb}).partition("<article")[2].partition("</article>")[0]
        assert card.count('class="plain turn"') == 1, "with a picture or without"
    assert nearby(pair(1, location=None), lambda name: few) is None


def through(low, high, origins, direction):
    """Where lines enter and leave a box; the entry is not before the exit where they miss it."""
    with np.errstate(divide="ignore"):
        ends = (np.stack([low, high])[:, None] - origins) / direction
    return ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("shift", [(0.4, 0.3, 0.2), (0.9, 0.0, -0.5), (1.0, 0.0, 0.0), (1.3, 0.0, 0.0)])
def test_the_overlap_of_a_picture_is_that_of_lines_through_both_boxes(direction, shift):
    """Compared with lines of sight that are cut with the boxes by their planes."""
    boxes = [np.array([np.full(3, -0.5), np.full(3, 0.5)]), np.array([np.full(3, -0.5), np.full(3, 0.5)]) + shift]
    scene = _Scene([box(*one) for one in boxes], True, np.zeros(3), 1.5, direction)
    width, height = WIDTH // SMALL, HEIGHT // SMALL
    _, overlaps = scene._blended(scene._layers(width, height), np.full((height, width), -1.0))
    right, up, towards = scene._axes
    rows, columns = np.mgrid[:height, :width] + 0.5
    x, y = (2.0 * columns - width) / height, 1.0 - 2.0 * rows / height
    origins = (1.5 * (x[..., None] * right + y[..., None] * up)).reshape(-1, 3)
    (enters_a, leaves_a), (enters_b, leaves_b) = (through(*one, origins, -towards) for one in boxes)
    inside = np.minimum(leaves_a, leaves_b) - np.maximum(enters_a, enters_b)
    sure = np.abs(inside) > 0.02  # not at the rim, where a pixel is half inside
    assert (overlaps.ravel()[sure] == (inside[sure] > 0.0)).all()
    assert overlaps.any() == (shift[0] < 1.0)


def test_what_is_closed_and_where_the_edges_are():
    cube = box((0, 0, 0), (1, 1, 1))
    assert is_closed(cube) and not is_closed(cube[1:]) and not is_closed(cube[:1])
    lengths = np.linalg.norm(np.diff(sharp_edges(cube), axis=1), axis=2).ravel()
    assert len(lengths) == 24 and np.allclose(lengths, 1.0), "each edge of both faces, no diagonals"


def test_a_picture_is_a_png_with_both_colours_and_the_overlap():
    image = pytest.importorskip("PIL.Image")
    shapes = {"A1": box((0, 0, 0), (1, 1, 1)), "B1": box((0.5, 0.5, 0.5), (2, 2, 2)), "C": box((-4, -4, -1), (4, 4, 0))}
    item = pair(1, location=[0.75, 0.75, 0.75], depth=0.5)
    found = pictures([item, item, pair(2, location=None)], shapes.__getitem__, shapes, 9)
    assert [*found] == [item["id"]]
    pixels = np.asarray(image.open(io.BytesIO(found[item["id"]])).convert("RGB")).astype(int)
    assert pixels.shape == (HEIGHT, WIDTH, 3)
    red, green, blue = np.moveaxis(pixels, -1, 0)
    assert ((red > green + 60) & (red > blue + 60)).sum() > 500 and (blue > red + 60).sum() > 500
    assert ((red > 150) & (green > 110) & (blue < 90)).sum() > 500, "the overlap is yellow"
    corners = {tuple(pixels[row, column]) for row in (0, -1) for column in (0, -1)}
    assert any(max(corner) - min(corner) < 25 and max(corner) < 235 for corner in corners), "what is around is grey"


def test_a_png_keeps_the_colours():
    image = pytest.importorskip("PIL.Image")
    given_image = np.random.default_rng(1).integers(0, 256, (7, 5, 3)) / 255.0
    read = np.asarray(image.open(io.BytesIO(to_png(given_image))))
    assert np.array_equal(read, np.rint(255.0 * given_image).astype(np.uint8))
