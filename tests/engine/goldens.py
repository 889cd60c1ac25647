"""Hashes of the engine's answers: run it before and after a change of structure, which must change no byte of them.

    python tests/engine/goldens.py FILE      # writes the hashes if there is no such file, else compares with it

Both runs on one machine: NumPy's linear algebra, which turns the poses, may round otherwise on another processor. The
exit status is 1 where an answer differs; a difference that is meant is said in the commit.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import meshclash as mc
import numpy as np
from meshclash.volumes.registry import VOLUMES

sys.path.insert(0, str(Path(__file__).parent))

from clouds import sphere as cloud_sphere
from scene_editor import Editor
from solids import box, refined, torus
from strategies import matrix, rotation

SPLITS = ("lbvh", "sah", "auto")


class Answers(dict[str, str]):
    """Hashes of answers by name."""

    def add(self, name, *things):
        assert name not in self, name
        self[name] = _hash(things)


def _hash(things) -> str:
    digest = hashlib.sha256()
    for thing in things:
        if isinstance(thing, list):
            digest.update(_hash(thing).encode())
            continue
        array = np.ascontiguousarray(thing)
        kind = array.dtype.kind
        digest.update(f"{kind}{array.shape}".encode())
        digest.update(array.astype({"i": np.int64, "u": np.int64, "f": np.float64}.get(kind, array.dtype)).tobytes())
    return digest.hexdigest()[:16]


def _counts(stats):
    return [stats.volume_tests, stats.primitive_tests, stats.exact_tests]


def _meshes():
    torus_mesh, block = (
        mc.TriangleMesh(*torus(1.0, 0.4, 24, 12)),
        mc.TriangleMesh(*refined(box((0, 0, 0), (1, 1, 1)), 2)),
    )
    return {"torus and block": (torus_mesh, block), "block and block": (block, block)}


def _poses():
    rng = np.random.default_rng(7)
    turned = [matrix(rotation(rng), rng.uniform(-1.2, 1.2, 3)) for _ in range(5)]
    flush = [matrix(shift=shift) for shift in ((1.0, 0.25, 0.0), (0.5, 0.5, 0.5), (0.0, 0.0, 0.0), (3.0, 0, 0))]
    return np.array([*turned, *flush])


def pairs_of_meshes(answers):
    """Every query of two meshes, by every volume, builder and engine."""
    poses = _poses()
    for name, (a, b) in _meshes().items():
        for volume in VOLUMES:
            hits = mc.collide(a, b, pose_b=poses, volume=volume)
            answers.add(f"collide {name} {volume}", [hits.pairs, hits.kinds, hits.pose, _counts(hits.stats)])
            crossing = mc.collide(a, b, pose_b=poses, touching=False, volume=volume)
            answers.add(f"crossing {name} {volume}", [crossing.pairs, _counts(crossing.stats)])
            answers.add(f"collides {name} {volume}", [mc.collides(a, b, pose_b=poses, volume=volume)])
            near = mc.distance(a, b, pose_b=poses, volume=volume)
            answers.add(
                f"distance {name} {volume}", [near.triangle_a, near.triangle_b, _counts(near.stats)],
                [near.distance, near.point_a, near.point_b],
            )  # fmt: skip
            gaps = mc.clearance(a, b, 0.05, pose_b=poses, volume=volume)
            answers.add(f"clearance {name} {volume}", [gaps.pairs, gaps.pose, _counts(gaps.stats)], [gaps.distances])
        for split in SPLITS:
            for leaf_size in (1, 4, 8, 16):  # leaves of more than eight triangles go to the binary engine
                trees = [mc.build(mesh, split=split, leaf_size=leaf_size) for mesh in (a, b)]
                hits = mc.collide(*trees, pose_b=poses)
                near = mc.distance(*trees, pose_b=poses)
                answers.add(
                    f"{name} {split} {leaf_size}", [hits.pairs, _counts(hits.stats), near.triangle_a], [near.distance]
                )  # fmt: skip
        for k, pose in enumerate(poses):
            one = mc.distance(a, b, pose_b=pose)
            answers.add(f"single {name} {k}", [mc.collides(a, b, pose_b=pose), one.triangle_a], [one.distance])
            said = mc.verdict(a, b, pose_b=pose)
            measures = [x for x in (said.depth, said.depth_lower, said.depth_upper) if x is not None]
            answers.add(f"verdict {name} {k}", [np.frombuffer(said.name.encode(), np.uint8)], [measures])


def objects_themselves(answers):
    vertices, triangles = torus(1.0, 0.4, 24, 12)
    rng = np.random.default_rng(11)
    crumpled = mc.TriangleMesh(vertices + rng.normal(0, 0.08, vertices.shape), triangles)
    own = mc.self_collide(crumpled)
    answers.add("self", [own.pairs, own.kinds, _counts(own.stats)])
    points = rng.uniform(-1.5, 1.5, (500, 3))
    solid, open_one = mc.TriangleMesh(vertices, triangles), mc.TriangleMesh(vertices, triangles[7:])
    for name, mesh in (("torus", solid), ("open torus", open_one)):
        found = mc.signed_distance(mesh, points)
        answers.add(f"points {name}", [mc.contains(mesh, points), found.triangle], [found.distance])


def scenes(answers):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        editor = Editor(rng, own_trees=True)
        watch, gap_watch = mc.motion.LiveContacts(editor.scene), mc.motion.LiveGaps(editor.scene, 0.3)
        for step in range(12):
            editor.step()
            if step % 4 != 3:
                continue
            name = f"scene {seed} {step}"
            _add_contacts(answers, f"{name} contacts", editor.scene.contacts().pairs)
            found = editor.scene.collides()
            answers.add(f"{name} collides", [found.pairs])
            for kind, gaps in (
                ("distances", editor.scene.distances(most=7)),
                ("clearances", editor.scene.clearances(0.3)),
            ):
                rows = [(gap.a, gap.b, gap.verdict.severity, len(gap.near_a), len(gap.near_b)) for gap in gaps.pairs]
                answers.add(f"{name} {kind}", [rows], [[gap.gap for gap in gaps.pairs]])
            for kind, changes in (("watch", watch.update()), ("gap watch", gap_watch.update())):
                answers.add(f"{name} {kind}", [sorted(changes.found), sorted(changes.gone)])
            shown = editor.scene.time_critical(steps=40)
            answers.add(f"{name} estimate", [shown.pairs, shown.colliding, shown.complete])


def _add_contacts(answers, name, pairs):
    for pair in pairs:
        answers.add(
            f"{name} {pair.a} {pair.b}", [pair.contacts.pairs, pair.contacts.kinds, [pair.verdict.severity]],
            [[pair.depth or 0.0]],
        )  # fmt: skip


def budgets(answers):
    a, b = _meshes()["torus and block"]
    for steps in (1, 8, 64):
        for k, pose in enumerate(_poses()[:4]):
            found = mc.time_critical(a, b, pose_b=pose, steps=steps)
            answers.add(f"time-critical {steps} {k}", [[found.colliding, found.complete]], [[found.probability]])


def clouds(answers):
    rng = np.random.default_rng(3)
    cloud = mc.clouds.PointCloud(*cloud_sphere(rng, 1500))
    block = mc.TriangleMesh(*box((0, 0, 0), (1, 1, 1)))
    for k, shift in enumerate(((0.8, 0, 0), (1.9, 0, 0), (2.5, 0, 0))):
        pose = matrix(shift=shift)
        answers.add(f"clouds {k}", [mc.collides(cloud, cloud, pose_b=pose), mc.collides(cloud, block, pose_b=pose)])
        answers.add(f"cloud distance {k}", [], [[mc.distance(cloud, block, pose_b=pose).distance]])


def all_answers() -> Answers:
    answers = Answers()
    for ask in (pairs_of_meshes, objects_themselves, scenes, budgets, clouds):
        ask(answers)
    return answers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    file = parser.parse_args().file
    answers = all_answers()
    if not file.exists():
        file.write_text(json.dumps(answers, indent=0), "utf-8")
    kept = json.loads(file.read_text("utf-8"))
    differ = sorted(name for name in kept.keys() | answers.keys() if kept.get(name) != answers.get(name))
    print(f"{len(answers)} answers, {len(differ)} differ", *differ[:40], sep="\n  ")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
