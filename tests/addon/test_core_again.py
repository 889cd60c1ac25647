"""A detection that knows the last one: it finds what a fresh one finds, and asks only what differs."""

from dataclasses import replace

import numpy as np
import pytest
from fake_scene import BOX, make_object
from live_arrays import ArrayScene, described
from meshclash.clash.followed import Followed
from meshclash.clash.job import detect_steps
from meshclash.clash.options import DetectOptions
from meshclash.clash.rules import Rules
from meshclash.types.steps import run_to_end
from spied import noted

KINDS = [
    {}, {"test": "clearance", "tolerance": 0.3}, {"test": "distance"}, {"test": "deforming"}, {"test": "self"},
]  # fmt: skip
PERMITTED = ["auto", "resolution", 0.0, 0.1, 0.6]


class ReadScene(ArrayScene):
    """Hands out new arrays each time, as reading Blender's does."""

    def frame(self):
        frame = super().frame()
        frame.meshes = {key: copied(mesh) for key, mesh in frame.meshes.items()}
        frame.objects = [replace(item, matrix=item.matrix.copy()) for item in frame.objects]
        return frame


def copied(mesh):
    names = ("vertices", "triangles", "face_of_triangle")
    return replace(mesh, **{name: getattr(mesh, name).copy() for name in names})


def boxes(count=5):
    return ReadScene(*(make_object(f"O{k}", 0.75 * k) for k in range(count)))


def detect(scene, engine, followed=None, **options):
    return run_to_end(detect_steps(scene, DetectOptions(**options), engine, followed=followed))


def said(report):
    """All that is told of the rows, in whatever order."""
    told = [
        (*row.names, row.a.owner, row.a.source, row.b.owner, row.b.source, row.frame,
         row.a.original_faces is None, row.b.original_faces is None, row.volume_lower, row.volume_upper)
        for row in report.rows
    ]  # fmt: skip
    return described(report), sorted(told)


class Edits:
    """Random changes of a scene, and of what is asked of it."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.scene = boxes(4)
        self.kind = KINDS[seed % len(KINDS)]
        self.asked = {}
        self.made = 0

    def edit(self):
        scene, rng = self.scene, self.rng
        names = list(scene.objects)
        self.made += 1
        if len(names) < 3:
            scene.put(f"N{self.made}", self.place())
            return
        name = str(rng.choice(names))
        item = scene.objects[name]
        mesh = scene.meshes[item.mesh_key]
        edit = rng.integers(9)
        if edit == 0:
            scene.put(f"N{self.made}", self.place(), item.mesh_key)
        elif edit == 1:
            del scene.objects[name]
        elif edit == 2:  # deformed, and all that share the mesh
            scene.meshes[item.mesh_key] = replace(mesh, vertices=mesh.vertices * np.float32(rng.choice([0.5, 1.25])))
        elif edit == 3:  # another topology
            scene.meshes[self.made] = replace(
                BOX, triangles=BOX.triangles[:-2], face_of_triangle=np.arange(10, dtype=np.int32)
            )
            scene.objects[name] = replace(item, mesh_key=self.made)
        elif edit == 4:  # the same triangles, of other faces
            count = len(mesh.triangles)
            scene.meshes[item.mesh_key] = replace(
                mesh, face_of_triangle=rng.permutation(count).astype(np.int32), faces_are_original=bool(rng.integers(2))
            )
        elif edit == 5:  # renamed
            del scene.objects[name]
            new = f"R{self.made}"
            scene.objects[new] = replace(item, name=new, identity=new, owner=new, source=new)
        elif edit == 6:  # called otherwise, though it is the same instance
            scene.objects[name] = replace(
                item, name=f"{name}'" if rng.integers(2) else name, owner=f"W{rng.integers(2)}"
            )
        elif edit == 7:  # in other sets
            in_a = bool(rng.integers(2))
            scene.objects[name] = replace(item, in_a=in_a, in_b=not in_a or bool(rng.integers(2)))
        else:
            scene.objects[name] = replace(item, matrix=make_object(name, self.place()).matrix)

    def place(self):
        return float(self.rng.integers(0, 12)) / 4

    def ask(self):
        rng, kind = self.rng, self.kind
        asked = rng.integers(4)
        if asked == 0 and "test" not in kind:
            self.asked["touch_tolerance"] = float(rng.choice([0.0, 0.3]))
        elif asked == 0 and "tolerance" in kind:
            self.asked["tolerance"] = float(rng.choice([0.1, 0.3, 0.8]))
        elif asked == 1 and kind.get("test") not in ("deforming", "self"):
            self.asked["permitted_overlap"] = PERMITTED[rng.integers(len(PERMITTED))]
        elif asked == 2 and kind.get("test") not in ("deforming", "self"):
            self.asked["overlap_volume"] = bool(rng.integers(2))
        elif asked == 3:
            self.asked["rules"] = Rules(listed_pairs=frozenset({("O0", "O1")}) if rng.integers(2) else frozenset())

    @property
    def options(self):
        return {**self.kind, **self.asked}


def both_sets(scene):
    return all(any(getattr(item, name) for item in scene.objects.values()) for name in ("in_a", "in_b"))


@pytest.mark.parametrize("seed", range(10))
def test_any_history_ends_in_what_a_fresh_detection_finds(engine, seed):
    edits, followed = Edits(seed), Followed(engine)
    for _ in range(12):
        for _ in range(edits.rng.integers(3)):
            edits.edit()
        if edits.rng.random() < 0.3:
            edits.ask()
        if not both_sets(edits.scene):
            continue
        steps = detect_steps(edits.scene, DetectOptions(**edits.options), engine, followed=followed)
        if edits.rng.random() < 0.3:  # ESC in the middle
            for _ in range(edits.rng.integers(30)):
                if next(steps, None) is None:
                    break
            steps.close()
            continue
        assert said(run_to_end(steps)) == said(detect(edits.scene, engine, **edits.options))


@pytest.fixture
def asked(engine, monkeypatch):
    """The pairs of names that the engine is asked about, of a `Followed`."""
    pairs, original = [], engine.scene.members.Members.case_steps

    def case_steps(self, some, *given, **options):
        pairs.extend((self, pair) for pair in some.tolist())
        return original(self, some, *given, **options)

    monkeypatch.setattr(engine.scene.members.Members, "case_steps", case_steps)

    def take(followed):
        names = {key: item.name for key, item in followed.world.objects.items()}
        own = [pair for scene, pair in pairs if scene is followed.world.scene._objects]  # others are of warming up
        taken = sorted(tuple(sorted(names[key] for key in pair)) for pair in own)
        pairs.clear()
        return taken

    return take


@pytest.mark.parametrize("options", [{}, {"test": "clearance", "tolerance": 0.3}])
def test_only_pairs_of_what_changed_are_asked(engine, asked, options):
    scene, followed = boxes(), Followed(engine)
    detect(scene, engine, followed, **options)
    assert len(asked(followed)) >= 4
    again = detect(scene, engine, followed, **options)
    assert asked(followed) == [] and again.stats["primitive_tests"] == again.stats["volume_tests"] == 0
    assert said(again) == said(detect(scene, engine, **options)) and again.rows
    asked(followed)
    scene.put("O4", 3.1)
    detect(scene, engine, followed, **options)
    pairs = asked(followed)
    assert pairs and all("O4" in pair for pair in pairs)


def test_other_sets_ask_only_pairs_that_are_new(engine, asked):
    scene, followed = boxes(), Followed(engine)
    detect(scene, engine, followed)
    asked(followed)
    for name, item in list(scene.objects.items()):
        scene.objects[name] = replace(item, in_a=name >= "O2", in_b=name < "O3")
    found = detect(scene, engine, followed, set_a="collection:X")
    assert asked(followed) == []
    assert said(found) == said(detect(scene, engine)) and {row.names for row in found.rows} > {("O2", "O1")}
    asked(followed)
    for name, item in list(scene.objects.items()):
        scene.objects[name] = replace(item, in_a=True, in_b=True)
    detect(scene, engine, followed)
    assert ("O2", "O3") not in asked(followed)


def test_another_permitted_overlap_asks_only_pairs_that_it_may_change(engine, asked):
    scene, followed = boxes(), Followed(engine)
    scene.put("O4", 3.2)  # 0.05 deep
    near = [("O3", "O4")]  # from 0 to any length all: what sticks out by rounding is forgiven then
    for permitted, pairs in (
        (0.0, None),
        (0.01, [(f"O{k}", f"O{k + 1}") for k in range(4)]),
        (0.1, near),
        (0.15, []),
        (0.2, []),
        (0.0, near),
    ):
        found = detect(scene, engine, followed, permitted_overlap=permitted)
        assert pairs in (None, asked(followed))
        assert said(found) == said(detect(scene, engine, permitted_overlap=permitted))
        asked(followed)


def test_volumes_that_are_known_stay_known(engine, monkeypatch):
    measured = []
    monkeypatch.setattr(engine.voxels, "voxel_collide", noted(engine.voxels.voxel_collide, measured))
    scene, followed = boxes(), Followed(engine)
    for wanted, count in ((False, 0), (True, 4), (True, 0), (False, 0), (True, 0)):
        measured.clear()
        rows = detect(scene, engine, followed, overlap_volume=wanted).rows
        assert len({id(given) for given in measured}) >= count and bool(measured) == bool(count)
        assert all((row.volume is not None) == wanted for row in rows if row.verdict == "clash")
