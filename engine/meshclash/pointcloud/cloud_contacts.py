"""``CloudContacts``: the contacts of the surface of a cloud with the surface of another cloud or mesh."""

from collections.abc import Generator
from functools import cached_property

import numpy as np

from ..broadphase.sweep import overlapping_pairs
from ..errors import UnsupportedOption
from ..hierarchy.bvh import MeshLike
from ..types.arguments import side_of
from ..types.copying import Copyable
from ..types.pose import pose_of, transform_points
from ..types.results import Progress, QueryStats
from ..types.steps import in_slices, scale_progress
from .cloud import PointCloud
from .deviation import points_behind_steps, points_of_leaves
from .pair_search import CommonPoints
from .resolution import contact_certain_steps, doubtful_gap_steps
from .surface import MARGIN

Thing = PointCloud | MeshLike
_GROWN = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])


class CloudContacts(Copyable):
    """All contacts between a point cloud and another object. ``collide`` returns a CloudContacts.

    Attributes:
        points: (k, 3) float64 [m], world: one point on both surfaces for each contact between two leaves, or between a
            leaf and a triangle; the points lie along the curves in which the two surfaces intersect.
        pose: (k,) int32: index of each point's pose in the given stack, by which the contacts are sorted; 0 without a
            stack.
        stats: QueryStats; ``exact_tests`` counts how often a surface was evaluated.
    """

    def __init__(
        self,
        found: CommonPoints,
        objects: tuple[Thing, Thing],
        rows: tuple[np.ndarray, np.ndarray],
        stats: QueryStats,
        pose: np.ndarray,
    ) -> None:
        order = np.lexsort((found.pairs[:, 1], found.pairs[:, 0], pose))
        self.points = found.points[order]
        self.pose = pose[order]
        self.stats = stats
        self._pairs = found.pairs[order]
        self._regions = found.regions[order]
        self._objects = objects
        self._rows = rows

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def region(self) -> np.ndarray:
        """The index of the contact region to which each point belongs, (k,) int32, counted from 0. Connected contacts
        belong to the same region.

        Contacts in different poses never belong to the same region.
        """
        parent = np.arange(len(self))
        for pose in np.unique(self.pose):
            begin, end = np.searchsorted(self.pose, (pose, pose + 1))
            everybody = np.ones(end - begin, np.bool_)
            pairs = overlapping_pairs(self._regions[begin:end], everybody, everybody) + begin
            for i, j in pairs.tolist():
                a, b = _root(parent, i), _root(parent, j)
                parent[max(a, b)] = min(a, b)
        roots = np.array([_root(parent, i) for i in range(len(self))], np.int64)
        return np.unique(roots, return_inverse=True)[1].astype(np.int32).reshape(-1)

    @property
    def region_count(self) -> int:
        """The number of contact regions."""
        return int(self.region.max()) + 1 if len(self) else 0

    def touched(self, side: int) -> np.ndarray:
        """Return the elements of one object that are in contact in any of the poses: triangles of a mesh, or points of
        a cloud.

        The points of a cloud come from those leaves of the hierarchy that touch or overlap. Each point lies in the box
        of the other leaf, or in the region that its leaf shares with a triangle, with a margin of 1.5 sampling radii.
        The returned points therefore reach about the size of a leaf beyond the curves of contact. The point of a leaf
        that is nearest to the contact is always included.

        Args:
            side: 0 for a, 1 for b.

        Returns:
            Sorted indices, int32.

        Raises:
            UnsupportedOption: the side is neither 0 nor 1.
        """
        side = side_of(side)
        thing = self._objects[side]
        if not isinstance(thing, PointCloud):
            return np.unique(self._pairs[:, side]).astype(np.int32)
        tree, order = thing.built.tree, thing.built.order
        member, contact = points_of_leaves(tree, self._pairs[:, side])
        world = transform_points(self._rows[side][self.pose[contact]], tree.points[member])
        away = ((world - self.points[contact]) ** 2).sum(axis=1)
        nearest = np.minimum.reduceat(away, np.flatnonzero(np.diff(contact, prepend=-1))) if len(away) else away
        return np.unique(order[member[self._lies_in_common(side, world, contact) | (away == nearest[contact])]])

    def _lies_in_common(self, side: int, world: np.ndarray, contact: np.ndarray) -> np.ndarray:
        """Return which points (m, 3) of the meeting leaves lie in the region common to both objects, (m,) bool."""
        other = self._objects[1 - side]
        if isinstance(other, PointCloud):
            tree = other.built.tree
            margin = tree.parameters[MARGIN]
            boxes = tree.boxes[self._pairs[contact, 1 - side]].astype(np.float64) + margin * _GROWN
            place = self._in_frame(1 - side, other, world, self.pose[contact])
        else:
            boxes = self._regions[contact]
            cloud = self._objects[side]
            assert isinstance(cloud, PointCloud)
            place = self._in_frame(side, cloud, world, self.pose[contact])
        return ((place >= boxes[:, :3]) & (place <= boxes[:, 3:])).all(axis=1)

    def _in_frame(self, side: int, cloud: PointCloud, world: np.ndarray, pose: np.ndarray) -> np.ndarray:
        """Transform world points (m, 3), each with its pose, to the hierarchy frame of the cloud on one side."""
        rows = self._rows[side]
        back = np.linalg.inv(rows[:, :, :3])[pose]
        return (back @ (world - rows[pose, :, 3])[:, :, None])[:, :, 0] - cloud.built.tree.origin

    @in_slices
    def undecided(self) -> Generator[Progress, None, np.ndarray]:
        """Return whether the clouds have too few points to tell whether their surfaces touch or overlap.

        If two surfaces have no contact, the pair is undecided if their points are so close, compared with the
        resolution of the clouds (``PointCloud.resolution``), that the surfaces may touch. If two surfaces have contact,
        the pair is undecided if a move by the error of the surfaces could separate them.

        Returns:
            (k,) bool, one value for each pose of the query, or a single value without a stack.
        """
        count = len(self._rows[0])
        found = np.empty(count, np.bool_)
        for k in range(count):
            asking = self._one_undecided_steps(self._rows[0][k], self._rows[1][k], self.points[self.pose == k])
            found[k] = yield from scale_progress(asking, k / count, (k + 1) / count)
        return found

    def _one_undecided_steps(
        self, rows_a: np.ndarray, rows_b: np.ndarray, points: np.ndarray
    ) -> Generator[Progress, None, bool]:
        posed = *self._objects, rows_a, rows_b
        if len(points):
            return not (yield from contact_certain_steps(*posed, points))
        return (yield from doubtful_gap_steps(*posed)) is not None

    @in_slices
    def depths(self, side: int) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray]]:
        """Return how deep the points of one cloud lie behind the surface of the other object.

        Args:
            side: 0 or 1, the side of a cloud.

        Returns:
            (indices, depth): points (m,) int32 behind the surface, and their distance from it (m,) float64 [m].

        Raises:
            UnsupportedOption: the side is neither 0 nor 1, or is not a cloud; or the other object has no inside,
                because it is a mesh that is not closed or a cloud without normals; or the query had a stack of several
                poses.
        """
        side = side_of(side)
        other = 1 - side
        cloud = self._objects[side]
        if not isinstance(cloud, PointCloud):
            raise UnsupportedOption(f"object {side} is not a cloud: depths can be computed only for points of a cloud")
        if len(self._rows[0]) > 1:
            raise UnsupportedOption("depths need the contacts of one pose, not of a stack: compute them pose by pose")
        poses = pose_of(self._rows[side][0]), pose_of(self._rows[other][0])
        return (yield from points_behind_steps(cloud, self._objects[other], *poses))

    def __repr__(self) -> str:
        return f"CloudContacts({len(self)} contact points in {self.region_count} regions)"


def _root(parent: np.ndarray, i: int) -> int:
    """Return the representative of a set (union-find), and shorten the path to it."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = int(parent[i])
    return i
