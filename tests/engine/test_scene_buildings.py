"""The made building: its pairs are those that it was made for, and results are read when they are asked for."""

from collections import Counter

import meshclash as mc
import numpy as np
import pytest
from oracles.buildings import PARTS, bays, elements, expected_verdicts


def building(shape):
    scene = mc.Scene()
    for vertices, triangles in elements(shape):
        scene.add(mc.TriangleMesh(vertices, triangles))
    return scene


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 1, 1), (2, 3, 2)])
def test_verdicts_are_those_of_its_construction(shape):
    scene = building(shape)
    found = scene.contacts().pairs
    assert Counter(pair.verdict.name for pair in found) == expected_verdicts(shape)
    assert {(pair.a, pair.b) for pair in found} == set(map(tuple, scene.collides().pairs.tolist()))


@pytest.mark.parametrize("count", [1, 1000, 50_000])
def test_its_size_is_about_what_was_asked_for(count):
    x, y, z = bays(count)
    assert abs(PARTS * x * y * z - count) <= 0.1 * count + PARTS


def test_locations_and_contacts_do_not_hang_on_depths():
    scene = building((2, 2, 1))
    plain, deep = ({(pair.a, pair.b): pair for pair in scene.contacts(depth=depth).pairs} for depth in (False, True))
    assert plain.keys() == deep.keys()
    for key, pair in plain.items():
        assert np.array_equal(pair.location, deep[key].location)
        assert np.array_equal(pair.contacts.pairs, deep[key].contacts.pairs)
        assert pair.contacts is pair.contacts
