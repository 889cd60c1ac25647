"""Random histories of models and objects, for ``test_models.py``: what a week does to a federation, and who is who.

An object here has a serial number that no export shows: two revisions have the same object where it is the same. Two
objects of a name stand apart, as places tell objects that have no GlobalId of their own.
"""

import dataclasses
import json
import sys
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from meshclash.clash.baseline import baseline_of
from meshclash.clash.carry import Carried, again_as_dict, carried, thing_as_dict
from meshclash.clash.identity import identities
from meshclash.clash.models import Model, one_thing_each
from meshclash.clash.review.revisions import Identity, pair_id
from meshclash.clash.reviews import Review
from meshclash.reading.part import MeshPart, PartShape

TRIANGLES = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]], np.int32)
NAMES = ("origin", "Grid", "Wall", "Pipe", "Beam", "Bolt", "Bolt", "Bolt")


@dataclass(frozen=True)
class Thing:
    """An object as one file has it.

    Attributes:
        serial: the same in every revision, and of no other object of its model.
        name, global_id: as the file says; "" for no GlobalId.
        place: [m].
        size: of its shape.
    """

    serial: int
    name: str
    global_id: str
    place: tuple[float, float, float]
    size: float = 1.0


@dataclass
class Federation:
    """The files of one day.

    Attributes:
        models: the things of each file, by the name of the model.
        true_names: what a model was called first, by its name of now.
    """

    models: dict[str, list[Thing]]
    true_names: dict[str, str] = field(default_factory=dict)


class History:
    """A federation that changes at random.

    Args:
        rng: what happens.
    """

    def __init__(self, rng):
        self.rng, self._next, self.names, self.copied = rng, 0, {}, set()
        shared = [self._thing("origin", f"G-origin-{k}") for k in range(rng.integers(1, 4))]
        models = {}
        for name in ("arch", "hvac", "structure", "steel")[: rng.integers(2, 5)]:
            own = [self._thing(NAMES[rng.integers(len(NAMES))]) for _ in range(rng.integers(1, 5))]
            held = [item for item in shared if rng.random() < 0.6]
            models[name] = [dataclasses.replace(item, serial=self._serial()) for item in held] + own
        self.now = Federation(models, {name: name for name in models})
        self.away = {}

    def true_name(self, name):
        """What a model of an earlier day was called first."""
        return self.names.get(name, name)

    def keys_away(self):
        """GlobalIds in models that are not loaded."""
        return {item.global_id for things in self.away.values() for item in things}

    def _serial(self):
        self._next += 1
        return self._next

    def _thing(self, name, global_id=None):
        place = tuple(np.round(self.rng.uniform(0, 50, 3), 2).tolist())
        if global_id is None:
            global_id = "" if self.rng.random() < 0.35 else f"G{self._serial()}"
        return Thing(self._serial(), name, global_id, place, float(np.round(self.rng.uniform(0.5, 2), 2)))

    def turn(self):
        """One thing happens to one file."""
        rng, models = self.rng, self.now.models
        name = str(rng.choice(sorted(models)))
        things = models[name]
        at = int(rng.integers(len(things))) if things else -1
        kind = rng.integers(12)
        if kind == 0 and len(models) > 1:  # not loaded
            self.away[name] = models.pop(name)
        elif kind == 1 and self.away:  # loaded again
            back = str(rng.choice(sorted(self.away)))
            models[back] = self.away.pop(back)
        elif kind == 2:  # the file has another name
            new = f"{name} R{self._serial()}"
            models[new] = models.pop(name)
            self.now.true_names[new] = self.now.true_names[name]
        elif kind == 3 and len(things) > 1 and things[at].global_id not in self.copied - {""}:
            del things[at]
        elif kind == 4 and at >= 0:  # a copy of it, elsewhere, with the same GlobalId
            copy = self._thing(things[at].name, things[at].global_id)
            things.append(dataclasses.replace(copy, size=things[at].size))
            self.copied.add(things[at].global_id)  # a copy in the place of what it was made of is that, moved
        elif kind == 5 and at >= 0:
            x, y, z = things[at].place
            things[at] = dataclasses.replace(things[at], place=(x + float(rng.uniform(0.1, 3)), y, z))
        elif kind == 6 and at >= 0:
            things[at] = dataclasses.replace(things[at], name=f"{things[at].name} new")
        elif kind == 7 and at >= 0:
            things[at] = dataclasses.replace(things[at], size=things[at].size + 0.25)
        elif kind == 8:  # exported anew: other GlobalIds
            models[name] = [
                dataclasses.replace(item, global_id=f"N{self._serial()}" if item.global_id else "") for item in things
            ]
        elif kind == 9 and self.away and len(models) > 1:  # another file in its place
            back = str(rng.choice(sorted(self.away)))
            models[back], self.away[name] = self.away.pop(back), models.pop(name)
        elif kind == 10 and at >= 0 and things[at].global_id not in self.copied - {""}:  # another object of its name
            things[at] = self._thing(things[at].name, None if things[at].global_id else "")
        else:
            things.append(self._thing(NAMES[rng.integers(len(NAMES))]))
        rng.shuffle(models[name]) if name in models else None


def scene(federation, files=None):
    """The objects of a run as files are read: by report names the identities, and the serials that each stands for.

    Args:
        federation: the files.
        files: names that the user gave to models, by the names of their files.
    """
    pairs = []
    for name in sorted(federation.models, key=lambda text: text[::-1]):
        model = Model((files or {}).get(name, name), Path(name))
        for item in federation.models[name]:
            shape = PartShape(item.size * np.vstack([np.zeros(3), np.eye(3)]), TRIANGLES)
            matrix = np.eye(4)
            matrix[:3, 3] = item.place
            properties = {"GlobalId": item.global_id} if item.global_id else {}
            pairs.append((MeshPart(item.name, shape, matrix, properties), model))
    found = one_thing_each(pairs)
    ids = identities([part for part, _ in found], [tuple(model.name for model in models) for _, models in found])
    assert len({*ids}) == len(ids)
    things, stands_for = {}, {}
    for k, ((part, models), key) in enumerate(zip(found, ids, strict=True)):
        corners = part.shape.vertices + part.matrix[:3, 3]
        box, label = np.array([corners.min(axis=0), corners.max(axis=0)]), f"{part.name} {k}"
        area, names = float(np.ptp(part.shape.vertices)) ** 2, tuple(model.name for model in models)
        things[label] = Identity(key, part.name, box, 4, area, part.properties.get("GlobalId", ""), names)
        stands_for[label] = frozenset(
            (federation.true_names[str(model.path)], serial_of(federation.models[str(model.path)], part))
            for model in models
        )
    return things, stands_for


def serial_of(things, part):
    """The serial of the thing that a part was made of."""
    wanted = part.properties.get("GlobalId") or part.name, tuple(part.matrix[:3, 3].tolist())
    (serial,) = (item.serial for item in things if (item.global_id or item.name, item.place) == wanted)
    return serial


class Run:
    """One detection, in which every two objects clash, with what an earlier one said.

    Args:
        federation: the files.
        files: names that the user gave to models, by the names of their files.
        earlier: the run before, or None.
    """

    def __init__(self, federation, files, earlier):
        self.things, self.stands_for = scene(federation, files)
        identity = {name: item.id for name, item in self.things.items()}
        self.rows = {
            (row := SimpleNamespace(
                id=pair_id(identity[a], identity[b]), a=SimpleNamespace(name=a), b=SimpleNamespace(name=b),
                names=(a, b), test="", region="", location=None,
            )).id: row
            for a, b in combinations(self.things, 2)
        }  # fmt: skip
        self.carried = Carried()
        if earlier is not None:
            self.carried = carried(earlier.baseline(), [*self.rows.values()], self.things, {})
        self.reviews = dict(self.carried.reviews)

    def decide(self, rng):
        """Some pairs are approved; the comment says which objects were looked at."""
        for key in rng.choice(sorted(self.rows), min(15, len(self.rows)), replace=False) if self.rows else ():
            self.reviews[str(key)] = Review("approved", json.dumps(self.truth(str(key))))

    def truth(self, key):
        """What the objects of a row are."""
        return [sorted(self.stands_for[name]) for name in self.rows[key].names]

    @cached_property
    def pair_of(self):
        """The id of each pair, by the names of its two objects."""
        return {frozenset(row.names): key for key, row in self.rows.items()}

    def named(self, members):
        """The names of the objects that stand for any of some things."""
        return [name for name, stands_for in self.stands_for.items() if stands_for & members]

    def baseline(self):
        """As it is read from the report of this run."""
        report = {
            "pairs": [
                {
                    "id": key, "a": row.a.name, "b": row.b.name, "verdict": "clash",
                    "object_a": self.things[row.a.name].id, "object_b": self.things[row.b.name].id,
                    **dataclasses.asdict(self.reviews.get(key, Review())),
                }
                for key, row in self.rows.items()
            ],
            "tested": [thing_as_dict(item, name) for name, item in self.things.items()],
            "undecided": [again_as_dict(item) for item in self.carried.again],
        }  # fmt: skip
        return baseline_of("old.json", json.loads(json.dumps(report)))

    def wrong(self):
        """How many decisions stand at a pair of other objects than those that were decided.

        What several models share is one thing: a decision about it is one about that of each model.
        """
        count = 0
        for key, review in self.carried.reviews.items():
            decided, truth = json.loads(review.comment), self.truth(key)
            count += not are_same(decided, truth)
            turned = not {*map(tuple, decided[0])} & {*truth[0]}
            sides = zip(decided, truth[::-1] if turned else truth, strict=True)
            both = [sorted({*map(tuple, one), *other}) for one, other in sides]
            self.reviews[key] = Review(review.status, json.dumps(both))
        return count


def are_same(one, other):
    """Whether two pairs are about the same two objects, in any order; a shared thing is that of each model."""
    sides = [[{*map(tuple, side)} for side in pair] for pair in (one, other)]
    first, second = sides
    return any(first[0] & second[k] and first[1] & second[1 - k] for k in (0, 1))


def play(seed, days=4):
    """A history; what became of the decisions, day by day.

    Returns:
        (wrong decisions, unchanged pairs that are decided again, recognisable pairs, those of them decided again).
    """
    rng = np.random.default_rng(seed)
    history, files = History(rng), {}
    run = Run(history.now, files, None)
    counts = np.zeros(4, np.int64)
    for _ in range(days):
        run.decide(rng)
        history.copied &= history.keys_away()  # of these no run has seen both the object and its copy
        for _ in range(rng.integers(1, 6)):
            history.turn()
        earlier, run = run, Run(history.now, files, run)
        named = dict(files)
        for new, old, _ in run.carried.renames:  # somebody reads the proposal, and knows the files
            if history.now.true_names[new] == history.true_name(old):
                files[new] = old
        history.names = {files.get(name, name): true for name, true in history.now.true_names.items()} | history.names
        counts[0] += run.wrong()
        if files != named:
            run = Run(history.now, files, earlier)
            counts[0] += run.wrong()
        counts[1:] += _lost(earlier, run)
    return counts


def _lost(earlier, run):
    """How many pairs of unchanged GlobalIds lost a decision; how many a person recognises; how many of them lost it."""
    lost = known = again = 0
    for old in earlier.reviews:
        names = earlier.rows[old].names
        before = [earlier.things[name] for name in names]
        first, second = (run.named(earlier.stands_for[name]) for name in names)
        for key in {run.pair_of[frozenset((a, b))]: None for a in first for b in second if a != b}:
            sides = [run.things[name] for name in run.rows[key].names]
            if not earlier.stands_for[names[0]] & run.stands_for[run.rows[key].names[0]]:
                sides = sides[::-1]
            told = [_told(a, b, earlier, run) for a, b in zip(before, sides, strict=True)]
            if "" in told:
                continue
            is_there = run.reviews.get(key) is not None
            lost += {*told} == {"key"} and not is_there
            known, again = known + 1, again + (not is_there)
    return lost, known, again


def _told(before, after, earlier, run):
    """How a person knows that two objects are the same one: by "key", by "place", or "" where not."""
    if not {*before.models} & {*after.models}:
        return ""
    unique = all(
        sum(other.key == item.key and bool({*other.models} & {*item.models}) for other in of.things.values()) == 1
        for of, item in ((earlier, before), (run, after))
    )
    if before.key and before.key == after.key and unique and before.models == after.models:
        return "key"
    return "place" if before.name == after.name and before.stands_as(after) else ""


if __name__ == "__main__":  # python tests/engine/model_histories.py HISTORIES [FIRST]
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    total = sum((play(seed) for seed in range(first, first + int(sys.argv[1]))), np.zeros(4, np.int64))
    print("wrong, unchanged and lost, recognisable, of these to be decided again:", *total.tolist())
