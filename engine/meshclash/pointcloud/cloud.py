"""``PointCloud``: points and the implicit surface that they define."""

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from ..answering.devices import require_device
from ..errors import InvalidPointCloud, UnsupportedOption
from ..messages import shown
from ..types.arguments import one_of
from ..types.copying import Copyable
from ..types.numbers import float_array, given_array, real_number
from ..types.pose import LARGEST_COORDINATE, transform_points
from ..types.results import Progress
from ..types.steps import in_slices, run, scale_progress, steps
from .build import CUTOFF, SMALLEST_LENGTH, Built, Lengths, build_steps
from .measure import evaluate_on_device
from .tree import evaluate_many

SURFACES = ("twicing", "wls", "apss")
_LEAST_POINTS = CUTOFF + 1
_COLLINEAR = 1e-9  # second extent of the points over their first
_GLANCE = 1000
_LARGEST_CLOUD = 2**31 - 1
_SLICE_ROWS = 1 << 18  # points or normals checked in one slice: some milliseconds


def _rows(name: str, values: Any) -> np.ndarray:
    """Check array-like rows of three numbers, and return the rows as an (n, 3) array; copy only if the type must
    change.
    """
    array = given_array(name, values, InvalidPointCloud)
    try:
        if array.dtype.names is not None:
            raise TypeError(
                f"expected plain numbers of shape (n, 3), but found a structured array with the fields "
                f"{', '.join(array.dtype.names)}"
            )
        if array.dtype.kind not in "fiu":
            array = array.astype(np.float64, casting="unsafe" if array.dtype.kind in "OSUb" else "same_kind")
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidPointCloud(f"{name} cannot be read as numbers: {error!s:.120}") from None
    if array.ndim != 2 or array.shape[1] != 3:
        hint = ": transpose it" if array.ndim == 2 and array.shape[0] == 3 else ""
        raise InvalidPointCloud(f"{name} must have shape (n, 3), not {array.shape}{hint}")
    return array


def _slices(count: int) -> Iterator[slice]:
    return (slice(begin, begin + _SLICE_ROWS) for begin in range(0, count, _SLICE_ROWS))


def _points_steps(points: Any) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray]]:
    """Check the points, and return a copy of them, (n, 3) float64, with its bounds (2, 3)."""
    given = _rows("points", points)
    if len(given) < _LEAST_POINTS:
        raise InvalidPointCloud(f"a surface needs at least {_LEAST_POINTS} points, not {len(given)}")
    if len(given) > _LARGEST_CLOUD:
        raise InvalidPointCloud(
            f"a cloud can have at most {_LARGEST_CLOUD:,} points, not {len(given):,}: split the cloud"
        )
    array = np.empty(given.shape)
    ends, bad = [], []
    for part in _slices(len(given)):
        array[part] = given[part]
        columns = array[part].T
        ends.append([[column.min() for column in columns], [column.max() for column in columns]])
        if not np.abs(ends[-1]).max() <= LARGEST_COORDINATE:
            bad.append(part.start + np.flatnonzero(~(np.abs(array[part]) <= LARGEST_COORDINATE).all(axis=1)))
        yield Progress(min(part.stop, len(given)) / len(given), "checking points")
    if bad:
        index, count = int(bad[0][0]), sum(map(len, bad))
        raise InvalidPointCloud(
            f"point {index} is {array[index].tolist()} ({count} in total): coordinates must be finite and "
            f"at most {LARGEST_COORDINATE:g} m"
        )
    _refuse_lines(array)
    low, high = np.min(ends, axis=(0, 1)), np.max(ends, axis=(0, 1))
    extent = float((high - low).max())
    if extent < SMALLEST_LENGTH:
        raise InvalidPointCloud(
            f"all {len(array)} points lie within {extent:.3g} m, but a surface needs at least "
            f"{SMALLEST_LENGTH:g} m: give the coordinates in a smaller unit"
        )
    return array, np.stack([low, high])


def _refuse_lines(points: np.ndarray) -> None:
    """Raise InvalidPointCloud if all points are equal or on one line, because such points define no surface.

    A sample of the points is tested first: it is usually enough to show that the points are valid.
    """
    if len(points) > 2 * _GLANCE and not _on_a_line(points[:: len(points) // _GLANCE]):
        return
    if (points == points[0]).all():
        raise InvalidPointCloud(f"all {len(points)} points are equal: they have no surface")
    if _on_a_line(points):
        length = float(np.ptp(points, axis=0).max())
        raise InvalidPointCloud(
            f"all {len(points)} points lie on a line of length {length:.3g} m, to a billionth of its "
            "length: they have no surface"
        )


def _on_a_line(points: np.ndarray) -> bool:
    offset = points - points[0]
    farthest = offset[int(np.abs(offset).max(axis=1).argmax())]
    length = float(np.abs(farthest).max())
    if length == 0.0:
        return True
    along = farthest / length
    along /= np.linalg.norm(along)
    scaled = offset / length
    beside = scaled - (scaled @ along)[:, None] * along
    return float(np.abs(beside).max()) <= _COLLINEAR


def _normals_steps(normals: Any, count: int) -> Generator[Progress, None, np.ndarray]:
    """Check the normals, and return them at unit length, (n, 3) float32."""
    given = _rows("normals", normals)
    if len(given) != count:
        raise InvalidPointCloud(f"there are {count} points, but {len(given)} normals")
    result = np.empty(given.shape, np.float32)
    bad = []
    for part in _slices(count):
        rows = given[part].astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            rows /= np.abs(rows).max(axis=1)[:, None]  # so that squares do not overflow or underflow
            length = np.sqrt((rows * rows).sum(axis=1))
            result[part] = rows / length[:, None]
        bad.append(part.start + np.flatnonzero(~(length > 0.0)))
        yield Progress(min(part.stop, count) / count, "checking normals")
    wrong = np.concatenate(bad)
    if len(wrong):
        raise InvalidPointCloud(
            f"normal {wrong[0]} is {given[wrong[0]].tolist()} ({len(wrong)} in total): normals must be finite and "
            "not zero; leave them out if they are unknown"
        )
    return result


def _checked_bandwidth(bandwidth: Any) -> float | None:
    if bandwidth is None:
        return None
    number = real_number(bandwidth)
    if not SMALLEST_LENGTH <= number <= LARGEST_COORDINATE:
        raise UnsupportedOption(
            f"bandwidth must be None or a number of metres from {SMALLEST_LENGTH:g} to {LARGEST_COORDINATE:g}, "
            f"not {shown(bandwidth)}"
        )
    return number


def _checked_affine(matrix: Any) -> np.ndarray:
    """Check an affine matrix, and return the matrix as (4, 4) float64. The caller checks whether the matrix can be
    inverted.
    """
    array = float_array("the matrix", matrix, InvalidPointCloud)
    if array.shape != (4, 4):
        raise InvalidPointCloud(
            f"the transformation of a cloud must be a 4x4 matrix, not an array of shape {array.shape}"
        )
    if not (np.abs(array) <= LARGEST_COORDINATE).all():
        raise InvalidPointCloud(f"the matrix has entries that are not finite, or beyond {LARGEST_COORDINATE:g}")
    if not np.array_equal(array[3], (0.0, 0.0, 0.0, 1.0)):
        raise InvalidPointCloud(f"the last row of the matrix must be 0 0 0 1, not {array[3].tolist()}")
    return array


class PointCloud(Copyable):
    """A set of points that sample a surface. Queries use the implicit surface that the points define (``surface.py``).

    MeshClash does not turn the points into a mesh. The surface does not have to be closed. All computations use an
    origin near the points, so a cloud that lies far from the origin of the world does not lose precision. MeshClash
    builds the hierarchy of the cloud when a query needs it for the first time.

    Args:
        points: array-like, shape (n, 3) [m], in the object's own frame; at least 8, not all on one line.
        normals: array-like, shape (n, 3), of any length, or None. The normals orient the surface: f > 0 behind the
            surface.
        bandwidth: h [m] of the weight exp(-d^2 / h^2). If the value is None, MeshClash derives the bandwidth from the
            sampling radius (Klein and Zachmann 2004, eq. 9 to 11). A larger bandwidth smooths away more noise, but also
            more detail; beyond about three times the derived bandwidth, the surface no longer follows its points, and
            queries miss contacts.
        surface: "twicing": weighted least squares, corrected for their shrinkage at curved places
            (``shrinkage.py``); "wls": weighted least squares of the given points (eq. 1 to 4); or "apss":
            algebraic spheres, which need normals (Guennebaud and Gross 2007).

    Raises:
        InvalidPointCloud: wrong shape, too few points, NaN, infinite or masked coordinates, all points equal or on a
            line, unusable normals. The same error is raised when the hierarchy is built, if nearly all points coincide
            with others or if the bandwidth is too small for a surface.
        UnsupportedOption: an invalid bandwidth, or an unknown surface.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> x, y = np.meshgrid(np.linspace(-1, 1, 40), np.linspace(-1, 1, 40))
        >>> cloud = mc.clouds.PointCloud(np.stack([x.ravel(), y.ravel(), np.zeros(1600)], axis=1))
        >>> mc.collides(cloud, mc.shapes.sphere(0.5))
        True
    """

    def __init__(
        self,
        points: Any,
        normals: Any = None,
        bandwidth: float | None = None,
        *,
        surface: str = "twicing",
    ) -> None:
        run(self._init_steps(points, normals, bandwidth, surface))

    @classmethod
    @in_slices
    def make(
        cls,
        points: Any,
        normals: Any = None,
        bandwidth: float | None = None,
        *,
        surface: str = "twicing",
    ) -> Generator[Progress, None, "PointCloud"]:
        """Create a cloud. The arguments and errors are the same as for ``PointCloud``. If you call this method with
        ``steps``, the checks run in slices.
        """
        cloud = cls.__new__(cls)
        yield from cloud._init_steps(points, normals, bandwidth, surface)
        return cloud

    def _init_steps(self, points: Any, normals: Any, bandwidth: Any, surface: Any) -> Generator[Progress, None, None]:
        self._bandwidth = _checked_bandwidth(bandwidth)
        self.surface = one_of("surface", surface, SURFACES)
        if surface == "apss" and normals is None:
            raise InvalidPointCloud('surface "apss" needs normals')
        array, self._bounds = yield from scale_progress(_points_steps(points), 0.0, 0.5)
        checked = (
            None if normals is None else (yield from scale_progress(_normals_steps(normals, len(array)), 0.5, 1.0))
        )
        self._count = len(array)
        self._given: tuple[np.ndarray, np.ndarray | None] | None = (array, checked)
        self._built: Built | None = None

    @property
    def built(self) -> Built:
        """The hierarchy of the points and its lengths, in the form that kernels need. MeshClash builds the hierarchy on
        first use.
        """
        return self.build() if self._built is None else self._built

    @in_slices
    def build(self) -> Generator[Progress, None, Built]:
        """Build the hierarchy that queries need, in slices of some milliseconds. If the hierarchy already exists, the
        method does nothing.

        The build takes about a second for a million points. If you close the generator early, only its own work is
        lost. Several generators may run at the same time, even in different threads. The cloud keeps the result of the
        generator that finishes first.
        """
        given = self._given
        if given is not None:
            points, normals = given
            built = yield from build_steps(points, self._bounds, normals, self._bandwidth, self.surface)
            if self._built is None:
                self._built = built
            self._given = None  # set last, so that one of the two is always available
        assert self._built is not None
        return self._built

    @property
    def points(self) -> np.ndarray:
        """The points in the order in which you gave them [m], as a new (n, 3) float64 array."""
        given = self._given
        if given is not None:
            return given[0].copy()
        return self._in_given_order(self.built.tree.points)

    @property
    def corrected_points(self) -> np.ndarray:
        """The points to which the surface is fitted [m], as a new (n, 3) float64 array in the same order as ``points``.

        With the surface "twicing", MeshClash moves the points to undo the shrinkage of the surface (``shrinkage.py``).
        With the other surfaces, the corrected points are the points themselves.
        """
        return self._in_given_order(self.built.tree.corrected + self.built.tree.origin)

    def _in_given_order(self, rows: np.ndarray) -> np.ndarray:
        """Return rows (n, 3) of the tree as a new float64 array, in the given order of the points."""
        result = np.empty((self.point_count, 3))
        result[self.built.order] = rows
        return result

    @property
    def point_count(self) -> int:
        """Number of points."""
        return self._count

    @property
    def has_normals(self) -> bool:
        """Whether the cloud was created with normals."""
        given = self._given
        return given[1] is not None if given is not None else len(self.built.tree.normals) > 0

    @property
    def bounds(self) -> np.ndarray:
        """The lowest and the highest coordinates of the points [m], as a new (2, 3) float64 array."""
        return self._bounds.copy()

    @property
    def lengths(self) -> Lengths:
        """The sampling radius, the bandwidth, the horizon and the margin [m], and the cut-off count."""
        return self.built.lengths

    @property
    def bandwidth(self) -> float:
        """The bandwidth h [m]. If you did not give a bandwidth, it is derived from the sampling radius and the noise of
        the points.
        """
        return self.lengths.bandwidth

    @property
    def sampling_radius(self) -> float:
        """The sampling radius [m]. If you place a disc of this radius at each point, the discs together have the same
        area as the surface.
        """
        return self.lengths.sampling_radius

    @property
    def horizon(self) -> float:
        """The distance r_eps [m] beyond which a point has no influence on the surface."""
        return self.lengths.horizon

    @property
    def resolution(self) -> float:
        """The length [m] below which the cloud may be too coarse to tell a gap from an overlap. The resolution is twice
        the sampling radius, or the bandwidth if the bandwidth is larger.
        """
        return max(2.0 * self.sampling_radius, self.bandwidth)

    @property
    def nbytes(self) -> int:
        """The memory that the points, the normals and the hierarchy use [bytes]."""
        return int(sum(array.nbytes for array in self.built.tree) + self.built.order.nbytes)

    def evaluate(self, at: Any, device: str = "auto") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Evaluate the implicit function of the ``corrected_points`` at given points in the object's own frame (eq. 1
        to 6).

        Args:
            at: (k, 3) [m].
            device: "cpu", "cuda" or "auto", as for ``deviation``.

        Returns:
            (f, normal, valid): f (k,) is the distance [m] to the surface along the unit normal (k, 3). valid (k,) bool
                tells whether the surface exists at the point, which is the case if more points than the cut-off count
                lie within the horizon. If valid is False at a point, f is 0 there. f and normal have the same sign:
                for "apss" that of the given normals, otherwise an arbitrary one.

        Raises:
            InvalidPointCloud: ``at`` is not (k, 3) finite numbers.
            UnsupportedOption: an unknown device.
            DeviceUnavailable: device is "cuda", and no GPU can be used.
        """
        require_device(device)
        array = np.array(_rows("the points to evaluate at", at), dtype=np.float64, order="C")
        if not np.isfinite(array).all():
            raise InvalidPointCloud("the points to evaluate at must be finite")
        found = evaluate_on_device(device, self.built.tree, array)
        if found is not None:
            return found
        values = np.empty(len(array))
        normals = np.empty((len(array), 3))
        valid = np.empty(len(array), np.bool_)
        evaluate_many(self.built.tree, array, values, normals, valid)
        return values, normals, valid

    @in_slices
    def transformed(self, matrix: Any) -> Generator[Progress, None, "PointCloud"]:
        """Return a new cloud whose points and normals have been transformed by a (4, 4) affine matrix.

        If you gave a bandwidth, the new cloud gets this bandwidth, multiplied by the cube root of the matrix's change
        of volume.

        Raises:
            InvalidPointCloud: the matrix is not 4x4, finite and invertible.
        """
        array = _checked_affine(matrix)
        determinant = abs(float(np.linalg.det(array[:3, :3])))
        if determinant == 0.0:
            raise InvalidPointCloud("the matrix flattens the cloud: it cannot be inverted")
        bandwidth = None if self._bandwidth is None else self._bandwidth * determinant ** (1.0 / 3.0)
        points, normals = yield from scale_progress(self._moved_steps(array), 0.0, 0.5)
        made = steps(self.make, points, normals, bandwidth, surface=self.surface)
        return (yield from scale_progress(made, 0.5, 1.0))

    def _moved_steps(self, matrix: np.ndarray) -> Generator[Progress, None, tuple[np.ndarray, np.ndarray | None]]:
        """Return points and normals (n, 3) float64 in their given order, transformed by an affine matrix."""
        given = self._given
        if given is None:
            tree, order = self.built.tree, self.built.order
            given = tree.points, (tree.normals if self.has_normals else None)
        else:
            order = None
        points, inverse = np.empty((self._count, 3)), np.linalg.inv(matrix[:3, :3])
        normals = None if given[1] is None else np.empty((self._count, 3))
        for part in _slices(self._count):
            place = part if order is None else order[part]
            points[place] = transform_points(matrix, given[0][part])
            if normals is not None and given[1] is not None:
                normals[place] = given[1][part].astype(np.float64) @ inverse
            yield Progress(min(part.stop, self._count) / self._count, "moving points")
        return points, normals

    @property
    def normals(self) -> np.ndarray | None:
        """The normals of length 1, as a new (n, 3) float64 array; None if the cloud has no normals."""
        given = self._given
        if given is not None:
            return None if given[1] is None else given[1].astype(np.float64)
        if not self.has_normals:
            return None
        return self._in_given_order(self.built.tree.normals)

    def __repr__(self) -> str:
        return f"PointCloud({self.point_count} points{', with normals' if self.has_normals else ''})"
