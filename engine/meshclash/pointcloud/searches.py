"""Choose the search that computes a query about two objects, one of them a cloud, and check its arguments."""

from typing import Any

import numpy as np

from ..errors import InvalidMesh, UnsupportedOption
from ..hierarchy.build import as_hierarchy
from ..hierarchy.bvh import Hierarchy, MeshLike
from ..messages import shown
from ..types.numbers import real_number
from ..types.pose import pose_stack
from .cloud import PointCloud
from .collision import cloud_search, mesh_search
from .pair_search import PairSearch

Thing = PointCloud | MeshLike


def is_for_clouds(a: Any, b: Any) -> bool:
    """Return whether at least one object is a cloud, so that this module computes the query.

    Raises:
        InvalidMesh: the other object is neither a cloud nor a mesh.
    """
    if not (isinstance(a, PointCloud) or isinstance(b, PointCloud)):
        return False
    for thing in (a, b):
        if not isinstance(thing, Thing):
            name = type(thing).__name__
            raise InvalidMesh(
                f"a PointCloud can be compared with a PointCloud, TriangleMesh or Hierarchy, not with a {name}"
            )
    return True


def checked_positive(name: str, value: Any, unit: str) -> float:
    """Return the value as a finite number above 0; raise UnsupportedOption otherwise."""
    number = real_number(value)
    if not 0.0 < number < np.inf:
        raise UnsupportedOption(f"{name} must be a finite number of {unit} above 0, not {shown(value)}")
    return number


def prepared(thing: Thing) -> PointCloud | Hierarchy:
    """Return a cloud unchanged, or the box hierarchy of a mesh."""
    if isinstance(thing, PointCloud):
        return thing
    hierarchy = as_hierarchy(thing)
    return hierarchy if hierarchy.volume == "aabb" else as_hierarchy(hierarchy.mesh)


def build_now(thing: Thing) -> None:
    """Build the hierarchy that a query needs, unless it is built already."""
    ready = prepared(thing)
    if isinstance(ready, PointCloud):
        _ = ready.built


def search_for(a: Thing, b: Thing, rows_a: np.ndarray, rows_b: np.ndarray, first_only: bool) -> tuple[PairSearch, bool]:
    """Return the traversal of two objects with poses (3, 4), one of them a cloud, and whether it exchanges a and b."""
    first, second = prepared(a), prepared(b)
    if isinstance(first, PointCloud):
        if isinstance(second, PointCloud):
            if comes_second(first, second, rows_a, rows_b):
                return cloud_search(second, first, rows_b, rows_a, first_only), True
            return cloud_search(first, second, rows_a, rows_b, first_only), False
        return mesh_search(first, second, rows_a, rows_b, first_only), False
    assert isinstance(second, PointCloud)
    return mesh_search(second, first, rows_b, rows_a, first_only), True


def comes_second(a: PointCloud, b: PointCloud, rows_a: np.ndarray, rows_b: np.ndarray) -> bool:
    """Return whether a search has to exchange two posed clouds, so that the result does not depend on their order.

    The order of a search depends only on the clouds and poses, not on which one is passed first. So the results do not
    depend on the order of the arguments, although a search in one order may find a grazing contact, or a nearest point,
    that a search in the other order misses.
    """
    if a.point_count != b.point_count:
        return b.point_count < a.point_count
    return _place(b, rows_b) < _place(a, rows_a)


def _place(cloud: PointCloud, rows: np.ndarray) -> tuple[list[list[float]], float, list[list[float]]]:
    """Return a sort key of posed clouds with equal numbers of points: bounds, size of the translation, whole pose."""
    numbers = rows.tolist()
    return cloud.bounds.tolist(), sum(abs(row[3]) for row in numbers), numbers


def pose_pairs(pose_a: Any, pose_b: Any) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return rows (k, 3, 4) of both poses, and whether either was a stack."""
    rows_a, stacked_a = pose_stack(pose_a)
    rows_b, stacked_b = pose_stack(pose_b)
    count = max(len(rows_a), len(rows_b))
    if (stacked_a and len(rows_a) != count) or (stacked_b and len(rows_b) != count):
        raise UnsupportedOption(f"stacks of {len(rows_a)} and {len(rows_b)} poses have different lengths")
    return _repeated(rows_a, count), _repeated(rows_b, count), stacked_a or stacked_b


def _repeated(rows: np.ndarray, count: int) -> np.ndarray:
    """Return rows (k, 3, 4) unchanged, or repeat a single pose ``count`` times."""
    return rows if len(rows) == count else np.broadcast_to(rows, (count, 3, 4))


def one_pose(pose_a: Any, pose_b: Any, query: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (3, 4) of both poses; raise UnsupportedOption, which names the query, for a stack."""
    rows_a, rows_b, stacked = pose_pairs(pose_a, pose_b)
    if stacked:
        raise UnsupportedOption(f"{query} takes one pose for each object, not a stack, when one of them is a cloud")
    return rows_a[0], rows_b[0]
