"""One pair of colours for the two objects of a pair, wherever they are drawn."""

import pytest
from meshclash.clash.colours import COLOUR_A, COLOUR_B, hexadecimal, linear
from meshclash.clash.files import glb, pictures, topics


@pytest.mark.parametrize(("screen", "light"), [(0.0, 0.0), (1.0, 1.0), (0.5, 0.21404), (0.04, 0.0030960)])
def test_shares_of_light_are_those_of_the_standard(screen, light):
    assert linear((screen,) * 3) == pytest.approx((light,) * 3, abs=1e-5)


def test_colours_are_written_as_in_web_pages():
    assert hexadecimal((1.0, 0.0, 0.5)) == "FF0080"


def test_all_files_have_the_same_two_colours():
    assert (COLOUR_A, COLOUR_B) == pictures.COLOURS
    assert (hexadecimal(COLOUR_A), hexadecimal(COLOUR_B)) == topics.COLOURS
    assert [colour[:3] for colour in glb.COLOURS] == [linear(COLOUR_A), linear(COLOUR_B)]


def test_the_two_differ_in_brightness_and_in_more_than_red_and_green():
    red, blue = linear(COLOUR_A), linear(COLOUR_B)
    assert abs(red[2] - blue[2]) > 0.5
