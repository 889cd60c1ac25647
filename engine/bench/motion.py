"""Scenes in motion: moments of contact, wake-ups, convex hulls, sorted boxes, steps; against independent answers.

Campaigns run over ascending seeds and may be stopped: what was found so far is printed. With ``--objects`` steps of
large scenes are timed beside python-fcl and coal (``motion_steps.py``), with ``--boxes`` sweep and prune beside these
and pybullet (``motion_boxes.py``), whichever are installed.
"""

from __future__ import annotations

import argparse
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
from meshclash import distance
from meshclash.motion import SweepAndPrune
from meshclash.motion.motion_piece import rotation_about
from meshclash.shapes import ConvexHull, closest_features
from oracles.ballistic import check_ballistic
from oracles.convex_pairs import check_pair, random_points
from oracles.followed_scenes import check_followed
from oracles.hull_sets import check_hull
from oracles.motion_scenes import check_scene, random_scene
from scipy.spatial import ConvexHull as Qhull

from .motion_boxes import box_rows
from .motion_steps import step_rows
from .table import Row, format_table, write_json

_WRONG = "missed", "late", "false", "wrong", "raised"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this bench."""
    parser.add_argument("--scenes", type=int, default=200, help="random scenes of two objects, against closed forms")
    parser.add_argument("--ballistic", type=int, default=100, help="random scenes of five that fly and spin")
    parser.add_argument("--convex", type=int, default=2000, help="random pairs of hulls")
    parser.add_argument("--hulls", type=int, default=2000, help="random sets of points, against integers and Qhull")
    parser.add_argument(
        "--followed", type=int, default=20, help="scenes of 25 frames: steps and Live, against new scenes"
    )
    parser.add_argument("--frames", type=int, default=1000, help="of boxes that drift, jump, come and go")
    parser.add_argument("--objects", type=int, nargs="*", default=[], help="sizes of scenes whose steps are timed")
    parser.add_argument("--boxes", type=int, nargs="*", default=[], help="numbers of boxes that are timed")
    parser.add_argument("--runs", type=int, default=15, help="steps that are timed after a warm-up")
    parser.add_argument("--first", type=int, default=0, help="first seed of the campaigns")
    parser.add_argument("--json", type=Path, help="write all figures to this file")


def run(options: argparse.Namespace) -> int:
    """Run the bench; 1 when any answer is wrong."""
    report: Row = {"bench": "motion"}
    wrong = 0
    campaigns: dict[str, tuple[int, Callable[[int], Row]]] = {
        "rigid": (options.scenes, lambda seed: check_scene(random_scene(seed))),
        "ballistic": (options.ballistic, check_ballistic),
        "convex": (options.convex, check_pair),
        "hulls": (options.hulls, check_hull),
        "followed": (options.followed, check_followed),
    }
    for name, (count, check) in campaigns.items():
        if count:
            report[name] = row = _campaign(name, options.first, count, check)
            wrong += sum(row.get(key, 0) for key in _WRONG)
            print(format_table([row]) + "\n", flush=True)
    if options.convex:
        report["coherence"] = rows = [_coherence(name) for name in ("sphere", "cloud", "box", "cylinder", "grid")]
        print(format_table(rows) + "\n", flush=True)
    if options.hulls:
        report["sizes"] = rows = [_of_size(count) for count in (20, 200, 2000, 10_000, 30_000)]
        print(format_table(rows) + "\n", flush=True)
    if options.frames:
        report["frames"] = row = _boxes(options.frames)
        wrong += row["wrong"]
        print(format_table([row]) + "\n", flush=True)
    if options.boxes:
        report["managers"] = rows = box_rows(options.boxes, options.runs)
        print(format_table(rows) + "\n", flush=True)
    if options.objects:
        report["steps"] = rows = step_rows(options.objects, options.runs)
    print("nothing wrong" if wrong == 0 else f"{wrong} WRONG")
    if options.json:
        write_json(options.json, report)
    return 1 if wrong else 0


def _campaign(name: str, first: int, count: int, check: Callable[[int], Row]) -> Row:
    """The sums over so many seeds; seeds whose answers are wrong are named."""
    total: Row = {"campaign": name, "seeds": 0}
    begin = time.perf_counter()
    try:
        for seed in range(first, first + count):
            try:
                row = check(seed)
            except Exception:
                traceback.print_exc()
                row = {"raised": 1}
            if any(row.get(key, 0) for key in _WRONG):
                print(f"{name}: seed {seed}: {row}", flush=True)
            total["seeds"] += 1
            for key, value in row.items():
                if isinstance(value, int):
                    total[key] = total.get(key, 0) + value
    except KeyboardInterrupt:
        print("stopped")
    return {**total, "seconds": time.perf_counter() - begin}


def _coherence(name: str) -> Row:
    """Steps of the walk a frame, for hulls that turn by a degree a frame beside each other, and times a frame."""
    rng = np.random.default_rng(7)
    steps, frames, most, cold = 0, 0, 0, 0
    seconds = {"walk": 0.0, "distance": 0.0}
    for _ in range(20):
        a, b = (ConvexHull(random_points(name, rng)) for _ in range(2))
        meshes = a.mesh(), b.mesh()
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        found = near = None
        for degree in range(360):
            pose = np.eye(4)
            pose[:3, :3] = rotation_about(axis, np.radians(degree))
            pose[:3, 3] = 3.0, 0.2, 0.1
            cold += closest_features(a, b, None, pose).steps
            begin = time.process_time()
            found = closest_features(a, b, None, pose, start=found)
            between = time.process_time()
            near = distance(*meshes, None, pose, start=near)
            seconds["walk"] += between - begin
            seconds["distance"] += time.process_time() - between
            steps, frames, most = steps + found.steps, frames + 1, max(most, found.steps)
    times = {f"{side}, us": 1e6 * taken / frames for side, taken in seconds.items()}
    walk = {"steps a frame": steps / frames, "most": most, "anew": cold / frames}
    return {"hulls": name, "frames": frames, **walk, **times}


def _of_size(count: int) -> Row:
    """A hull of points on a sphere beside Qhull, and a frame of two such hulls that turn by a degree a frame."""
    points = _on_sphere(count)
    begin = time.process_time()
    hull = ConvexHull(points)
    between = time.process_time()
    Qhull(points)
    taken = between - begin, time.process_time() - between
    times: dict[str, list[float]] = {"first": [], "frame": []}
    found = None
    for degree in range(360):
        pose = np.eye(4)
        pose[:3, :3] = rotation_about(np.array([0.6, 0.0, 0.8]), np.radians(degree))
        pose[:3, 3] = 2.5, 0.3, 0.1
        begin = time.perf_counter()
        closest_features(hull, hull, None, pose)
        between = time.perf_counter()
        found = closest_features(hull, hull, None, pose, start=found)
        times["first"].append(between - begin)
        times["frame"].append(time.perf_counter() - between)
    medians = {f"{side}, us": 1e6 * float(np.median(some)) for side, some in times.items()}
    return {"faces": len(hull.faces), "hull, s": taken[0], "Qhull, s": taken[1], **medians}


def _on_sphere(count: int) -> np.ndarray:
    """Points (count, 3) on the unit sphere."""
    points = np.random.default_rng(7).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def _drifting(rng: np.random.Generator, frames: int):
    """(ids, boxes) of boxes that drift; now and then some or all jump, some come or go."""
    ids, fresh = np.arange(300), 300
    state = np.hstack([rng.uniform(0, 20, (300, 3)), rng.uniform(0.1, 0.8, (300, 3)), rng.normal(size=(300, 3)) * 0.03])
    for _ in range(frames):
        state[:, :3] += state[:, 6:]
        draw = rng.random()
        if draw < 0.05:
            jump = rng.random(len(ids)) < rng.choice([0.02, 1.0])
            state[jump, :3] = rng.uniform(0, 20, (int(jump.sum()), 3))
        elif draw < 0.1:
            stays = rng.random(len(ids)) < 0.9
            ids, state = ids[stays], state[stays]
        elif draw < 0.15:
            more = int(rng.integers(1, 60))
            ids, fresh = np.concatenate([ids, np.arange(fresh, fresh + more)]), fresh + more
            rows = [rng.uniform(0, 20, (more, 3)), rng.uniform(0.1, 0.8, (more, 3)), rng.normal(size=(more, 3)) * 0.03]
            state = np.vstack([state, np.hstack(rows)])
        yield ids, np.hstack([state[:, :3] - state[:, 3:6], state[:, :3] + state[:, 3:6]])


def _boxes(frames: int) -> Row:
    """Begun and ended pairs of every frame against all pairs."""
    sweep, known, wrong, swaps, anew, changes = SweepAndPrune(), set(), 0, 0, 0, 0
    for ids, boxes in _drifting(np.random.default_rng(1), frames):
        low, high = boxes[:, None, :3], boxes[None, :, 3:]
        meet = (low <= high).all(-1)
        i, j = np.nonzero(np.triu(meet & meet.T, 1))
        truth = set(zip(ids[i].tolist(), ids[j].tolist(), strict=True))
        found = sweep.update(ids, boxes)
        begun, ended = (set(map(tuple, pairs.tolist())) for pairs in found)
        wrong += begun != truth - known or ended != known - truth
        swaps, anew, changes = swaps + sweep.swaps, anew + sweep.sorted_anew, changes + len(begun) + len(ended)
        known = truth
    return {"frames": frames, "changes": changes, "swaps a frame": swaps / frames, "anew": anew, "wrong": wrong}
