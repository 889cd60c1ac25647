"""Objects of a revised model are found again; none is taken for another, by construction."""

import numpy as np
import pytest
from meshclash.clash import Identity, match_revisions


def scene(rng, keys):
    """Bolts that differ by their number alone, walls with names of their own, and what only its key tells."""
    items = []
    for kind, count in (("Bolt", 30), ("Wall", 20), ("Duct", 10)):
        shape = rng.integers(12, 999), rng.uniform(0.1, 9)
        for k in range(count):
            triangles, area = shape if kind == "Bolt" else (rng.integers(12, 999), rng.uniform(0.1, 9))
            name = f"{kind}.{k:03}" if kind == "Bolt" else f"{kind}-{k}"
            corner = rng.uniform(-50, 50, 3)
            box = np.stack([corner, corner + rng.uniform(0.1, 2, 3)])
            key = f"key {kind} {k}" if keys else ""
            items.append(Identity(f"{kind}{k}", name, box, int(triangles), float(area), key))
    return items


def revised(items, rng):
    """The objects of before with some renamed, moved, edited and deleted, imported anew, in another order."""
    found = []
    for item in items:
        turn = rng.random()
        if turn < 0.1:
            continue
        name, box, triangles, area = item.name, item.box, item.triangles, item.area
        if 0.1 <= turn < 0.2:
            name = f"Renamed {rng.integers(1000)}"
        elif 0.2 <= turn < 0.3:
            box = box + rng.uniform(1, 5, 3)
        elif 0.3 <= turn < 0.4:
            triangles, area = triangles + 4, area * 1.1
        box = box + rng.uniform(-1e-5, 1e-5, (2, 3))  # as single precision stores it
        found.append(Identity("new " + item.id, name, box, triangles, area, item.key))
    bolts = [k for k, item in enumerate(found) if item.name.startswith("Bolt.")]
    for number, k in enumerate(rng.permutation(bolts)):  # an import gives out the numbers of copies anew
        found[k] = found[k]._replace(name=f"Bolt.{number:03}")
    return [found[k] for k in rng.permutation(len(found))]


@pytest.mark.parametrize("keys", [True, False])
def test_no_object_is_taken_for_another_and_most_are_found(keys):
    wrong = found = asked = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        before = scene(rng, keys)
        after = revised(before, rng)
        matched = match_revisions(before, after)
        wrong += sum(new != "new " + old for new, old in matched.items())
        found, asked = found + len(matched), asked + len(after)
        assert len(set(matched.values())) == len(matched)
    assert wrong == 0
    assert found == asked if keys else found >= 0.9 * asked, found / asked


def test_new_keys_of_an_export_are_no_reason_to_lose_everything():
    before = scene(np.random.default_rng(3), True)
    after = [item._replace(id="new " + item.id, key="other " + item.key) for item in before]
    assert match_revisions(before, after) == {"new " + item.id: item.id for item in before}


def test_twins_at_one_place_are_left_in_doubt():
    box = np.array([[0.0, 0, 0], [1, 1, 1]])
    twins = [Identity(str(k), "Twin", box, 12, 6.0) for k in range(2)]
    assert match_revisions(twins, twins) == {}


@pytest.mark.parametrize("seed", range(20))
def test_objects_of_a_file_that_gives_no_keys_may_all_have_new_names(seed):
    """A program numbers its objects anew, or names them for the first time; who is another stays another."""
    rng = np.random.default_rng(seed)
    before = [item._replace(models=("model",)) for item in scene(rng, False)]
    names = rng.permutation([item.name for item in before]).tolist()  # names of others, too
    after = [item._replace(id="new " + item.id, name=name) for item, name in zip(before, names, strict=True)]
    changed = [k for k in range(len(after)) if rng.random() < 0.2]
    for k in changed:  # another object in the same place
        after[k] = after[k]._replace(name=f"Other {k}", triangles=after[k].triangles + 2)
    after = [after[k] for k in rng.permutation(len(after))]
    wanted = {"new " + item.id: item.id for k, item in enumerate(before) if k not in changed}
    assert match_revisions(before, after) == wanted
    twins = [*after, *(item._replace(id=item.id + " again", name="Again") for item in after[:5])]
    assert match_revisions(before, twins).items() <= wanted.items()
    other = [item._replace(models=("other",)) for item in after]
    assert match_revisions(before, other) == {}


def test_a_key_of_its_own_makes_another_object_of_equal_shape_and_place():
    before = [item._replace(models=("model",)) for item in scene(np.random.default_rng(5), True)]
    after = [before[0]._replace(id="new", name="Other", key="another key"), *before[1:]]
    assert match_revisions(before, after) == {item.id: item.id for item in before[1:]}
