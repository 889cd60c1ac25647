"""The table of fits in the tab: it is asked with, starts from the selected pair, and is saved with the file."""

import bpy
import pytest
from meshclash.clash.fits import Fit
from ui_fakes import draw, make_report, make_row

from addon import results, scene_results
from addon.ui import panels


def add_box(name, x):
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(x, 0.0, 0.0))
    bpy.context.object.name = name


@pytest.fixture
def pins(registered):
    """Two pins in a plate, each a quarter deep."""
    for name, x in (("Pin.001", 0.0), ("Plate", 0.75), ("Pin.002", 1.5)):
        add_box(name, x)
    return bpy.context.scene.meshclash


def verdicts():
    rows = scene_results.result_of(bpy.context.scene.session_uid).report.rows
    return {row.names: row.verdict for row in rows}


def test_detect_asks_with_the_fits(pins):
    fit = pins.fits.add()
    fit.name_a, fit.permitted = "Plate", 0.3
    fit.name_b = "Pin.001"
    bpy.ops.meshclash.detect()
    assert verdicts() == {("Pin.001", "Plate"): "touching", ("Pin.002", "Plate"): "clash"}
    fit.name_b = "Pin*"
    bpy.ops.meshclash.detect()
    assert set(verdicts().values()) == {"touching"}


def test_a_fit_begins_with_the_selected_pair_and_what_it_overlaps(pins):
    bpy.ops.meshclash.detect()
    listed = bpy.context.window_manager.meshclash
    listed.active_row = 0
    names = results.active_pair(bpy.context).names
    bpy.ops.meshclash.add_fit()
    assert (pins.fits[0].name_a, pins.fits[0].name_b) == names and 0.25 <= pins.fits[0].permitted < 0.3
    bpy.ops.meshclash.detect()
    assert verdicts()[names] == "touching"
    bpy.ops.meshclash.remove_fit()
    assert not pins.fits and not bpy.ops.meshclash.remove_fit.poll()


def test_signs_in_names_mean_themselves(pins):
    bpy.data.objects["Plate"].name = "Plate [left]"
    bpy.ops.meshclash.detect()
    bpy.context.window_manager.meshclash.active_row = 0
    names = results.active_pair(bpy.context).names
    bpy.ops.meshclash.add_fit()
    bpy.ops.meshclash.detect()
    assert verdicts()[names] == "touching"


def test_a_test_that_is_edited_in_detect_brings_its_fits(pins):
    bpy.context.scene.unit_settings.scale_length = 0.001
    pins.fits.add().permitted = 0.3
    bpy.ops.meshclash.keep_test(name="Pressed")
    pins.fits[0].permitted, pins.active_test = 0.1, 0
    bpy.ops.meshclash.use_test()
    assert [(fit.name_a, fit.permitted) for fit in pins.fits] == [("*", pytest.approx(0.3))]


def test_without_a_pair_a_fit_means_all_names(registered):
    bpy.ops.meshclash.add_fit()
    scale = 1.0
    assert bpy.context.scene.meshclash.detect_options(scale).fits == (Fit("*", "*", 0.0),)


def test_the_length_of_a_fit_is_in_the_units_of_the_scene(registered):
    fit = bpy.context.scene.meshclash.fits.add()
    fit.permitted = 2.0
    assert bpy.context.scene.meshclash.detect_options(0.001).fits[0].permitted == pytest.approx(0.002)


def test_a_changed_fit_makes_the_list_an_answer_to_old_settings(registered):
    results.show_report(bpy.context, bpy.context.scene, make_report(make_row()))
    bpy.context.scene.meshclash.fits.add()
    assert any("Fits" in text for text in draw(panels.MESHCLASH_PT_results, bpy.context).texts())


def test_a_test_without_overlaps_has_no_fits(registered):
    settings = bpy.context.scene.meshclash
    settings.fits.add()
    assert panels.MESHCLASH_PT_fits.poll(bpy.context)
    settings.test = "self"
    assert not panels.MESHCLASH_PT_fits.poll(bpy.context)
    assert settings.detect_options(1.0).fits == ()


def test_fits_are_saved_with_the_file(registered, tmp_path):
    fit = bpy.context.scene.meshclash.fits.add()
    fit.name_a, fit.name_b, fit.permitted = "Shaft", "Hub*", 0.5
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "fits.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "fits.blend"))
    (fit,) = bpy.context.scene.meshclash.fits
    assert (fit.name_a, fit.name_b, fit.permitted) == ("Shaft", "Hub*", 0.5)
