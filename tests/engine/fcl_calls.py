"""Valid calls of everything public in ``meshclash.compat.fcl``, from which wrong calls are made."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from meshclash.compat import fcl

CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
UP, TURN, SHIFT = [0.0, 0.0, 1.0], np.eye(3), [0.5, 0.0, 0.25]
QUATERNION = [1.0, 0.0, 0.0, 0.0]
CONSTRUCTORS: dict[str, tuple[Any, ...]] = {
    "Box": (1.0, 2.0, 3.0), "Sphere": (1.0,), "Capsule": (1.0, 2.0), "Cone": (1.0, 2.0), "Cylinder": (1.0, 2.0),
    "Ellipsoid": (1.0, 2.0, 3.0), "Halfspace": (UP, 1.0), "Plane": (UP, 1.0),
    "TriangleP": ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
    "Convex": (CORNERS, len(FACES), np.insert(FACES, 0, 3, axis=1).ravel()),
    "BVHModel": (), "CollisionGeometry": (), "CostSource": (), "Transform": (TURN, SHIFT),
    "CollisionRequest": (1, True, 1, False, True, 0), "CollisionResult": (False,),
    "ContinuousCollisionRequest": (10, 1e-4, 0, 0, 1), "ContinuousCollisionResult": (False, 1.0),
    "DistanceRequest": (True, True, 0), "DistanceResult": (1.0,), "DynamicAABBTreeCollisionManager": (),
    "CCDMotionType": (), "CCDSolverType": (), "GJKSolverType": (), "NODE_TYPE": (), "OBJECT_TYPE": (),
}  # fmt: skip
"""Arguments of classes that need no other object."""
METHODS: dict[str, tuple[Any, ...]] = {
    "beginModel": (12, 8), "addVertex": (0.0, 1.0, 2.0), "addSubModel": (CORNERS, FACES),
    "addTriangle": ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), "setTranslation": (SHIFT,),
    "setRotation": (TURN,), "setQuatRotation": (QUATERNION,),
}  # fmt: skip
"""Arguments of methods, by their names; those of others are made below, or there are none."""


def a_box(shift: Any = (0.0, 0.0, 0.0)) -> Any:
    """A box of python-fcl's kind."""
    return fcl.CollisionObject(fcl.Box(1.0, 2.0, 3.0), fcl.Transform(np.array(shift)))


def a_manager() -> Any:
    """A manager of two boxes that meet."""
    made = fcl.DynamicAABBTreeCollisionManager()
    made.registerObjects([a_box(), a_box(SHIFT)])
    return made


BUILDERS = {"beginModel", "addVertex", "addTriangle", "addSubModel", "endModel"}
"""Methods of a model that is not ended."""


def a_model(ended: bool) -> Any:
    """A model of a cube, ended or still open for more triangles."""
    made = fcl.BVHModel()
    made.beginModel(12, 8)
    made.addSubModel(CORNERS, FACES)
    if ended:
        made.endModel()
    return made


def an_instance(name: str, method: str) -> Any:
    """An object of a class that answers a method."""
    if name == "CollisionGeometry":  # the base class has no shape
        return fcl.Box(1.0, 2.0, 3.0)
    if name == "CollisionObject":
        return a_box()
    if name == "DynamicAABBTreeCollisionManager":
        return a_manager()
    return a_model(method not in BUILDERS) if name == "BVHModel" else getattr(fcl, name)(*CONSTRUCTORS[name])


def fcl_example(name: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function or method by its name behind ``compat.fcl.``, and arguments that it answers."""
    collision, distance = partial(fcl.CollisionData), partial(fcl.DistanceData)
    functions: dict[str, Callable[[], tuple[Any, ...]]] = {
        "CollisionObject": lambda: (fcl.Box(1.0, 2.0, 3.0), fcl.Transform(TURN, SHIFT)),
        "CollisionData": lambda: (fcl.CollisionRequest(), fcl.CollisionResult()),
        "DistanceData": lambda: (fcl.DistanceRequest(), fcl.DistanceResult()),
        "Contact": lambda: (fcl.Box(1.0, 2.0, 3.0), fcl.Sphere(1.0), 0, 0, UP, SHIFT, 0.5),
        "collide": lambda: (a_box(), a_box(SHIFT), fcl.CollisionRequest(), fcl.CollisionResult()),
        "distance": lambda: (a_box(), a_box([5.0, 0.0, 0.0]), fcl.DistanceRequest(), fcl.DistanceResult()),
        "continuousCollide": lambda: (
            a_box(), fcl.Transform(np.array(SHIFT)), a_box([9.0, 0.0, 0.0]), fcl.Transform(),
            fcl.ContinuousCollisionRequest(), fcl.ContinuousCollisionResult(),
        ),
        "defaultCollisionCallback": lambda: (a_box(), a_box(SHIFT), collision()),
        "defaultDistanceCallback": lambda: (a_box(), a_box(SHIFT), distance()),
    }  # fmt: skip
    kind, _, method = name.partition(".")
    if not method:
        return getattr(fcl, kind), functions[kind]() if kind in functions else CONSTRUCTORS[kind]
    made = an_instance(kind, method)
    others: dict[str, Callable[[], tuple[Any, ...]]] = {
        "setTransform": lambda: (fcl.Transform(TURN, SHIFT),),
        "registerObject": lambda: (a_box(),),
        "registerObjects": lambda: ([a_box()],),
        "unregisterObject": lambda: (made.getObjects()[0],),
        "update": lambda: (made.getObjects()[0],),
        "collide": lambda: (collision(), fcl.defaultCollisionCallback),
        "distance": lambda: (distance(), fcl.defaultDistanceCallback),
    }
    return getattr(made, method), others[method]() if method in others else METHODS.get(method, ())
