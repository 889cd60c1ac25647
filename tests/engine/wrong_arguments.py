"""Calls every public function with arguments of wrong kinds, one at a time; prints what went wrong, as JSON.

Run uncompiled, in a process of its own (``test_wrong_arguments.py``): what is looked at is said before any kernel runs.
"""

import inspect
import json
import warnings

import meshclash as mc
import numpy as np

VERTICES = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
TRIANGLES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
MESH = mc.TriangleMesh(VERTICES, TRIANGLES)


LONG = ("warm_up", "run", "steps", "advise", "read_cloud", "read_points")
"""What takes seconds, or reads any file."""


LONGEST = 600
"""Characters of a message that a person can read."""


class Foreign:
    """A mesh of another library."""

    vertices, faces = VERTICES, np.array(TRIANGLES)


WRONG = [
    5, -1, 1.5, "x", b"x", "", None, object(), [], (), {}, [None], ["a"], 1j, [[1j, 0, 0]], np.zeros(3),
    np.zeros((2, 2)), np.full((4, 4), 1j), np.full((4, 3), np.nan), np.array(["a"]), np.array(1), True,
    float("nan"), 10**400, 1e308, np.full((1000, 3), np.nan), "x" * 9999, list(range(9999)),
    MESH, Foreign(), lambda *_: np.ones(1, np.bool_),
]  # fmt: skip


def sphere():
    k = np.arange(60) + 0.5
    z, turn = 1.0 - k / 30.0, 2.4 * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)


def scene():
    made = mc.Scene()
    made.add(MESH)
    made.add(MESH, [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0]])
    return made


def run(answer):
    """To its end, where it is a generator."""
    if inspect.isgenerator(answer):
        for _ in answer:
            pass


def givens():
    """Good values for arguments without a default; others get a mesh, which they may refuse."""
    cloud, moving = mc.clouds.PointCloud(sphere()), np.zeros((1, 4, 3))
    return {
        "a": MESH, "b": MESH, "mesh": MESH, "cloud": cloud, "other": MESH, "tolerance": 0.1, "points": VERTICES,
        "level": 1, "hierarchy": mc.build(MESH), "vertices": VERTICES, "triangles": TRIANGLES, "matrix": np.eye(4),
        "path": __file__, "largest": 1.0, "start": moving, "end": moving + 1.0, "budget": 1.0, "at": VERTICES,
        "identifier": 0, "identifiers": np.array([0, 1]), "scene": scene(), "pose": None,
        "first": VERTICES[:1], "second": VERTICES[:3], "poses": [np.eye(4)] * 2, "times": [0.0, 1.0],
        "point": VERTICES[0], "direction": VERTICES[1], "epsilon": 0.01, "angle": 1.0, "distance": 1.0, "speed": 1.0,
    }  # fmt: skip


def functions():
    """(name, function, arguments that differ from ``givens``)."""
    cloud = mc.clouds.PointCloud(sphere())
    packages = mc, mc.clouds, mc.lab, mc.massive, mc.motion, mc.shapes, mc.voxels
    for name, public in ((name, getattr(package, name)) for package in packages for name in package.__all__):
        if inspect.isfunction(public) and name not in LONG:
            hulls = (
                {"a": mc.shapes.ConvexHull(VERTICES), "b": mc.shapes.ConvexHull(VERTICES)}
                if name == "closest_features"
                else {}
            )
            yield name, public, {"a": cloud} if name.startswith("cloud") else hulls
    yield "read_points", mc.clouds.read_points, {"path": "no such file.ply"}
    for public in (
        mc.TriangleMesh,
        mc.motion.LiveContacts,
        mc.motion.LiveGaps,
        mc.lab.PaperControl,
        mc.shapes.ConvexHull,
        mc.motion.KeyframedMotion,
    ):
        yield public.__name__, public, {}
    yield "ScrewMotion", mc.motion.ScrewMotion, {"start": 0.0, "end": 1.0}
    yield "ScrewMotion.about", mc.motion.ScrewMotion.about, {"start": 0.0, "end": 1.0}
    yield "PointCloud", mc.clouds.PointCloud, {"points": sphere()}
    asked = "posed", "contacts", "collides", "clearances", "distances", "time_critical", "revisions", "step"
    for method in ("add", "remove", "set_pose", "set_poses", "set_vertices", *asked):

        def fresh(_method=method, **arguments):
            return getattr(scene(), _method)(**arguments)

        fresh.__signature__ = inspect.signature(getattr(scene(), method))
        yield f"Scene.{method}", fresh, {}
    kept = {
        "identifiers": [0, 1], "group": "a", "other": "b", "compared": True, "first": 0, "second": 1, "key": "a",
        "pairs": np.array([[0, 1]]), "ids": [0, 1], "boxes": np.zeros((2, 6)), "moment": 1.0, "now": 1.0, "time": 0.5,
    }  # fmt: skip
    for thing, methods in (
        (MESH, ("transformed", "with_vertices")), (cloud, ("transformed", "evaluate")), (mc.Pose, ("from_matrix",)),
        (mc.Pose.identity(), ("apply",)), (mc.motion.KeyframedMotion([0.0, 1.0], [np.eye(4)] * 2), ("pose", "poses")),
        (mc.CollisionMatrix(), ("group_of", "assign", "set_rule", "set_pair", "__call__")),
        (mc.motion.SweepAndPrune(), ("update",)), (mc.lab.WakeUps(), ("set", "forget", "take_due")),
        (mc.motion.LiveContacts(scene()), ("update",)), (mc.motion.LiveGaps(scene()), ("update",)),
    ):  # fmt: skip
        for method in methods:
            yield f"{type(thing).__name__}.{method}", getattr(thing, method), kept


def what_is_wrong(function, argument, arguments):
    """Nothing, where the call is answered or refused in words that say what to change."""
    try:
        run(function(**arguments))
    except mc.MeshClashError as error:
        return f"{len(str(error))} characters" if len(str(error)) > LONGEST else None
    except Exception as error:
        if isinstance(error, TypeError) and argument in str(error):
            return None
        return f"{type(error).__name__}: {error}"
    return None


def main():
    warnings.simplefilter("error", getattr(np, "ComplexWarning", None) or np.exceptions.ComplexWarning)
    found, calls = [], 0
    for name, function, own in functions():
        known = {**givens(), **own}
        parameters = inspect.signature(function).parameters.values()
        base = {p.name: known.get(p.name, MESH) for p in parameters if p.default is p.empty}
        wrong = what_is_wrong(function, "", base)
        found += [f"{name}: {wrong}"] if wrong else []
        for parameter in parameters:
            for value in WRONG:
                wrong = what_is_wrong(function, parameter.name, {**base, parameter.name: value})
                found += [f"{name}({parameter.name}={value!r:.40}): {wrong}"] if wrong else []
                calls += 1
    print(json.dumps({"calls": calls, "found": found}))


if __name__ == "__main__":
    main()
