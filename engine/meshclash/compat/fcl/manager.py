"""``DynamicAABBTreeCollisionManager``: many objects, and the pairs whose boxes overlap or are nearest."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedOption
from ...types.arguments import instance, several
from ...types.copying import Changeable
from .objects import CollisionObject
from .pairs import ROUNDING


class DynamicAABBTreeCollisionManager(Changeable):
    """Manages many objects. A query calls your callback for each pair whose boxes overlap, or whose distance may be
    smaller than the distances found so far.

    The manager reads the positions of all objects at each query, so you do not need to call ``update`` after you move
    an object. The manager stores the settings of python-fcl's tree, but they have no effect.
    """

    def __init__(self) -> None:
        self._objects: list[CollisionObject] = []
        self.max_tree_nonbalanced_level = 10
        self.tree_incremental_balance_pass = 10
        self.tree_topdown_balance_threshold = 2
        self.tree_topdown_level = 0
        self.tree_init_level = 0
        self.octree_as_geometry_collide = True
        self.octree_as_geometry_distance = False

    def _shared_things(self) -> Iterable[object]:
        return self._objects

    def registerObject(self, obj: CollisionObject) -> None:
        """Add an object. If the argument is not a CollisionObject, the method raises UnsupportedOption."""
        self._objects.append(instance("obj", obj, CollisionObject))

    def registerObjects(self, other_objs: Iterable[CollisionObject]) -> None:
        """Add several objects. The errors are the same as for ``registerObject``."""
        self._objects += several("other_objs", other_objs, CollisionObject)

    def unregisterObject(self, obj: CollisionObject) -> None:
        """Remove an object. If the manager does not contain the object, nothing happens, as in python-fcl."""
        place = next((k for k, known in enumerate(self._objects) if known is obj), None)
        if place is not None:
            del self._objects[place]

    def setup(self) -> None:
        """Do nothing, because the manager compares boxes at each query."""

    def update(self, arg: Any = None) -> None:
        """Do nothing, because the manager reads positions at each query."""

    def clear(self) -> None:
        """Remove all objects."""
        self._objects.clear()

    def empty(self) -> bool:
        """Return whether the manager contains no objects."""
        return not self._objects

    def size(self) -> int:
        """Return the number of objects."""
        return len(self._objects)

    def getObjects(self) -> list[CollisionObject]:
        """Return all objects."""
        return list(self._objects)

    def collide(self, *args: Any) -> None:
        """Call ``callback(first, second, data)`` for each pair whose boxes overlap, until the callback returns True.

        ``collide(data, callback)`` compares the objects of this manager with each other.
        ``collide(object, data, callback)`` compares one other object with each object of this manager.
        ``collide(manager, data, callback)`` compares each object of this manager with each object of another manager.

        Raises:
            UnsupportedOption, a ValueError: the arguments have another form.
        """
        others, data, callback = _arguments(args)
        rows = _Rows(self._objects, others)
        for k in range(self.size()):
            start, gaps = rows.gaps(k)
            for j in (start + np.flatnonzero(gaps <= 0.0)).tolist():
                if callback(rows.firsts[k], rows.seconds[j], data):
                    return

    def distance(self, *args: Any) -> None:
        """Call ``callback(first, second, data)`` for each pair that may be closer than the smallest distance found so
        far. Pairs whose boxes are nearest come first. You can pass the same arguments as to ``collide``.

        The callback must return two values: whether the search may end, and the smallest distance found so far.
        """
        others, data, callback = _arguments(args)
        rows = _Rows(self._objects, others)
        lowest = np.array([rows.gaps(k)[1].min(initial=np.inf) for k in range(self.size())])
        least = np.inf
        for k in np.argsort(lowest, kind="stable").tolist():
            start, gaps = rows.gaps(k)
            for j in np.argsort(gaps, kind="stable").tolist():
                if gaps[j] > max(least, 0.0):
                    break
                done, least = callback(rows.firsts[k], rows.seconds[start + j], data)
                if done:
                    return


class _Rows:
    """For each object the objects to compare it with, and lower bounds of their distances.

    Attributes:
        firsts: the objects of a manager.
        seconds: the same objects, the objects of another manager, or one other object.
    """

    def __init__(self, firsts: list[CollisionObject], others: Sequence[Any]) -> None:
        self.firsts, self.seconds = list(firsts), list(firsts)
        self._is_internal = not others
        for other in others:
            self.seconds = other.getObjects() if isinstance(other, DynamicAABBTreeCollisionManager) else [other]
        self._boxes = _boxes(self.firsts)
        self._others = self._boxes if self._is_internal else _boxes(self.seconds)

    def gaps(self, k: int) -> tuple[int, np.ndarray]:
        """Return the index of the first second object to compare object k with, and distance bounds (n,) [m]."""
        start = k + 1 if self._is_internal else 0
        box, boxes = self._boxes[k], self._others[start:]
        apart = np.maximum(box[0], boxes[:, 0]) - np.minimum(box[1], boxes[:, 1])
        return start, np.linalg.norm(np.maximum(apart, 0.0), axis=1)


def _arguments(args: tuple[Any, ...]) -> tuple[Sequence[Any], Any, Any]:
    """Return the other object or manager (or None), the data, and the callback."""
    *others, data, callback = args if len(args) in (2, 3) else (None, None, None, None)
    if (
        not callable(callback)
        or isinstance(callback, type)
        or not all(isinstance(other, CollisionObject | DynamicAABBTreeCollisionManager) for other in others)
    ):
        raise UnsupportedOption(
            "a manager query takes (data, callback), or (other, data, callback) with an object or another manager"
        )
    return others, data, callback


def _boxes(objects: Sequence[CollisionObject]) -> np.ndarray:
    """Return world boxes (n, 2, 3) that contain the objects, including rounding errors."""
    boxes = np.empty((len(objects), 2, 3))
    for box, item in zip(boxes, objects, strict=True):
        if not item.geometry.is_bounded:
            box[:] = [[-np.inf] * 3, [np.inf] * 3]
            continue
        (low, high), pose = item.geometry.local_box(), item.pose
        middle = pose[:3, :3] @ (0.5 * (low + high)) + pose[:3, 3]
        half = np.abs(pose[:3, :3]) @ (0.5 * (high - low))
        half += ROUNDING * (np.abs(pose[:3, 3]) + np.abs(low).max() + np.abs(high).max())
        box[0], box[1] = middle - half, middle + half
    return boxes
