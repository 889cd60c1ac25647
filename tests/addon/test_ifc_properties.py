"""Sets by properties of IFC, of objects as importers leave them in Blender."""

import bpy
import pytest
from meshclash.clash.errors import InputError
from meshclash.clash.job import detect_steps
from meshclash.clash.options import DetectOptions
from meshclash.types.steps import run_to_end

from addon import engine as loader
from addon.adapters.objects import resolve_set
from addon.adapters.source import BlenderSource


@pytest.fixture
def model(add_box):
    wall = add_box("IfcWall/East", (0, 0, 0), (4, 0.3, 3))
    pipe = add_box("Pipe", (1, -1, 1), (1.1, 1, 1.1))
    pipe["GlobalId"], pipe["ifc_class"], pipe["storey"] = "0000000000000000000P01", "IfcPipeSegment", "Level 1"
    pipe["system"] = "Heating, Cooling"
    add_box("Cube", (9, 9, 9), (10, 10, 10))
    return wall, pipe


def resolved(expression):
    return resolve_set(expression, bpy.context.scene, bpy.context.view_layer)


def test_sets_by_class_storey_system_and_global_id(model):
    assert resolved("class:IfcWall") == {"IfcWall/East"}
    assert resolved("class:Ifc*") == {"IfcWall/East", "Pipe"}
    assert resolved("storey:Level 1") == resolved("system:Cooling") == resolved("GlobalId:*P01") == {"Pipe"}
    assert resolved("class:IfcWall | Cube") == {"IfcWall/East", "Cube"}
    with pytest.raises(InputError, match="IfcPipeSegment"):
        resolved("class:IfcPipeSegmnt")
    model[1].hide_set(True)
    options = DetectOptions(set_a="class:IfcPipe*")
    with pytest.raises(InputError, match=r"set A .'class:IfcPipe.'. contains no visible mesh .*: show hidden objects"):
        run_to_end(detect_steps(BlenderSource.from_context(bpy.context), options, loader.load()))


def test_an_object_that_is_called_like_a_set_is_that_object(model, add_box):
    add_box("class:IfcWall", (20, 0, 0), (21, 1, 1))
    assert resolved("class:IfcWall") == {"class:IfcWall"}


def test_the_report_tells_what_the_properties_say(model):
    options = DetectOptions(set_a="class:IfcWall", set_b="class:IfcPipe*")
    report = run_to_end(detect_steps(BlenderSource.from_context(bpy.context), options, loader.load())).as_dict()
    assert [(pair["a"], pair["b"]) for pair in report["pairs"]] == [("IfcWall/East", "Pipe")]
    told = {item["name"]: item for item in report["objects"]}
    assert told["Pipe"]["GlobalId"] == "0000000000000000000P01" and told["IfcWall/East"]["class"] == "IfcWall"
