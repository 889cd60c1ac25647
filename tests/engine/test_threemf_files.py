"""3MF: every object that the build places, where it places it; the rest is lost or counted by name."""

import meshclash as mc
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threemf_samples import at, model, package, parts_of, tetrahedron, thing

pytest.importorskip("lxml")


def places(parts):
    return [part.matrix[:3, 3].round(9).tolist() for part in parts]


def test_components_of_components_are_all_placed(tmp_path):
    objects = thing(1, tetrahedron(), 'name="tip"')
    objects += thing(2, parts_of('objectid="1"', f'objectid="1" {at(10)}'))
    objects += thing(3, parts_of('objectid="2"', f'objectid="2" {at(0, 100)}', f'objectid="1" {at(7)}'))
    build = f'<item objectid="3"/><item objectid="1" {at(0, 0, 5)} partnumber="P-1"/>'
    build += f'<item objectid="1" {at(0, 0, 6)} partnumber="P-1"/>'
    parts = mc.read(package(tmp_path / "a.3mf", model(objects, build, 'unit="meter"')))
    assert [part.name for part in parts] == ["tip", "tip (2)", "tip (3)", "tip (4)", "tip (5)", "P-1", "P-1 (2)"]
    wanted = [[0, 0, 0], [10, 0, 0], [0, 100, 0], [10, 100, 0], [7, 0, 0], [0, 0, 5], [0, 0, 6]]
    assert places(parts) == wanted and len({id(part.shape) for part in parts}) == 1


@pytest.mark.parametrize(
    ("unit", "metres"),
    [("micron", 1e-6), ("", 1e-3), ("millimeter", 1e-3), ("centimeter", 0.01), ("inch", 0.0254), ("foot", 0.3048)],
)
def test_units(tmp_path, unit, metres):
    head = f'unit="{unit}"' if unit else ""
    objects = thing(1, tetrahedron(2.0))
    turned = 'transform="0 1 0 -1 0 0 0 0 2 3 4 5"'
    parts = mc.read(package(tmp_path / "a.3mf", model(objects, f'<item objectid="1" {turned}/>', head)))
    assert parts.metres == metres and parts.unit_known and parts[0].name == "1"
    points = parts[0].shape.vertices @ parts[0].matrix[:3, :3].T + parts[0].matrix[:3, 3]
    # a row times the matrix: (x, y, z) becomes (-y + 3, x + 4, 2 z + 5)
    assert np.allclose(points / metres, [[3, 4, 5], [3, 6, 5], [1, 4, 5], [3, 4, 9]])


def test_objects_of_other_files_of_the_package(tmp_path):
    path = 'p:path="/3D/one.model"', 'p:path="/3D/Two.model"'
    objects = thing(1, parts_of(f'objectid="1" {path[0]}', f'objectid="1" {path[1]} {at(9)}'), 'name="both"')
    build = f'<item objectid="1"/><item objectid="1" p:path="/3D/two.model" {at(20)}/>'
    one, two = model(thing(1, tetrahedron(), 'name="one"'), ""), model(thing(1, tetrahedron(3.0), 'name="two"'), "")
    parts = mc.read(package(tmp_path / "a.3mf", model(objects, build, 'requiredextensions="p"'), one=one, Two=two))
    assert [part.name for part in parts] == ["one", "two", "two (2)"]
    assert [part.shape.vertices.max() for part in parts] == pytest.approx([1e-3, 3e-3, 3e-3])


def test_what_is_not_read_is_lost_by_name(tmp_path):
    beams = '<b:beamlattice><b:beams><b:beam v1="0" v2="1"/><b:beam v1="1" v2="2"/></b:beams></b:beamlattice>'
    objects = thing(1, tetrahedron(more=beams), 'name="lattice"')
    objects += thing(2, tetrahedron(), 'name="sliced" s:slicestackid="9" s:meshresolution="lowres"')
    objects += thing(3, "<a:blob/>", 'name="blob"')
    objects += thing(4, tetrahedron().replace('v1="1"', 'v1="4"'), 'name="corner"')
    objects += thing(5, tetrahedron().replace("1.0", "nan"), 'name="nan"') + thing(6, tetrahedron())
    objects += thing(7, parts_of('objectid="6" transform="1 2 3"', 'objectid="77"'))
    build = "".join(f'<item objectid="{k}"/>' for k in (1, 2, 3, 4, 5, 7))
    parts = mc.read(package(tmp_path / "a.3mf", model(objects, build)))
    assert [part.name for part in parts] == ["lattice"]
    lost = dict(parts.left_out)
    assert "2 beams" in lost["lattice"] and "slices" in lost["sliced"] and "blob" in lost["blob"]
    assert "[4.0, 2.0, 3.0], but there are only 4 vertices" in lost["corner"] and "must be finite" in lost["nan"]
    assert "twelve finite numbers" in lost["6"] and "no object 77" in lost["77"]
    assert len(parts.left_out) == 7


def test_what_is_not_placed_and_what_is_empty_is_counted(tmp_path):
    objects = thing(1, tetrahedron()) + thing(2, tetrahedron()) + thing(3, "<components/>") + thing(4, "<mesh/>")
    parts = mc.read(
        package(
            tmp_path / "a.3mf",
            model(objects, '<item objectid="1"/><item objectid="3"/><item objectid="4"/>'),
        )
    )
    assert parts.no_geometry == {"object that is not placed": 1, "empty object": 1, "mesh without faces": 1}


@pytest.mark.parametrize(
    ("objects", "build", "head", "message"),
    [
        (thing(1, tetrahedron()), '<item objectid="1"/>', 'requiredextensions="a"', "extension 'urn:acme'"),
        (thing(1, tetrahedron()), '<item objectid="1"/>', 'requiredextensions="zz"', "extension 'zz'"),
        (thing(1, tetrahedron()), '<item objectid="1"/>', 'unit="mile"', "the unit 'mile' is not supported"),
        (thing(1, tetrahedron()), "", "", "contains neither meshes"),
        (thing(1, parts_of('objectid="1"')), '<item objectid="1"/>', "", "object 1 contains itself"),
        (thing(1, tetrahedron())
         + "".join(thing(k, parts_of(*[f'objectid="{k - 1}"'] * 10)) for k in range(2, 20)),
         '<item objectid="19"/>', "", "contain 1000000000000000000 objects"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path, objects, build, head, message):
    path = package(tmp_path / "a.3mf", model(objects, build, head))
    with pytest.raises(mc.InvalidFile, match=message):
        mc.read(path)


def test_entities_are_not_followed(tmp_path):
    (tmp_path / "secret.txt").write_text("5")
    text = model(thing(1, tetrahedron().replace('x="1.0"', 'x="&e;"')), '<item objectid="1"/>')
    text = f'<!DOCTYPE model [<!ENTITY e SYSTEM "file://{tmp_path}/secret.txt">]>' + text
    with pytest.raises(mc.InvalidFile, match=r"a\.3mf"):
        mc.read(package(tmp_path / "a.3mf", text))


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_random_packages_place_what_walking_them_finds(tmp_path_factory, data):
    """Objects refer to earlier ones only; each path from the build to a mesh is one part."""
    count = data.draw(st.integers(2, 6))
    components = {}
    for number in range(2, count + 1):
        below = st.tuples(st.integers(1, number - 1), *[st.integers(-9, 9)] * 3)
        components[number] = data.draw(st.lists(below, min_size=1, max_size=3))
    items = data.draw(st.lists(st.tuples(st.integers(1, count), *[st.integers(-9, 9)] * 3), min_size=1, max_size=4))
    objects = thing(1, tetrahedron())
    for number, own in components.items():
        objects += thing(number, parts_of(*[f'objectid="{k}" {at(*move)}' for k, *move in own]))
    build = "".join(f'<item objectid="{k}" {at(*move)}/>' for k, *move in items)
    path = package(tmp_path_factory.mktemp("3mf") / "a.3mf", model(objects, build, 'unit="meter"'))

    def walk(number, place):
        if number == 1:
            return [place]
        return [
            end for k, *move in components[number] for end in walk(k, [p + m for p, m in zip(place, move, strict=True)])
        ]

    assert places(mc.read(path)) == [end for k, *move in items for end in walk(k, move)]
