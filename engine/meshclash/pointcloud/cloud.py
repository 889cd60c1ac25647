"""``PointCloud``: points with the surface that they stand for."""

from collections.abc import Generator
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import InvalidPointCloud, UnsupportedOption
from ..gpu.device import require_device
from ..traversal.run import run
from ..types.pose import LARGEST_COORDINATE, transform_points
from ..types.results import Progress
from .build import CUTOFF, Built, Lengths, bounds_of, build_steps
from .measure import evaluate_on_device
from .tree import evaluate_many

SURFACES = ("wls", "apss")
COVERINGS = ("certified", "paper")
_LEAST_POINTS = CUTOFF + 1
_COLLINEAR = 1e-9  # second extent of the points over their first
_GLANCE = 1000
_LARGEST_CLOUD = 2**31 - 1


def _checked(name: str, values: Any) -> np.ndarray:
    try:
        array = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidPointCloud(f"{name} cannot be read as numbers: {error}") from None
    if array.ndim != 2 or array.shape[1] != 3:
        raise InvalidPointCloud(f"{name} must have shape (n, 3), not {array.shape}")
    return array


def _checked_points(points: Any) -> np.ndarray:
    array = _checked("points", points)
    if len(array) < _LEAST_POINTS:
        raise InvalidPointCloud(f"a surface needs at least {_LEAST_POINTS} points, not {len(array)}")
    if len(array) > _LARGEST_CLOUD:
        raise InvalidPointCloud(f"at most {_LARGEST_CLOUD:,} points are possible, not {len(array):,}: split the cloud")
    with np.errstate(invalid="ignore"):
        bad = ~(np.abs(array) <= LARGEST_COORDINATE).all(axis=1)
    if bad.any():
        index = int(bad.argmax())
        raise InvalidPointCloud(
            f"point {index} is {array[index].tolist()} ({int(bad.sum())} such in all): coordinates must be finite and "
            f"at most {LARGEST_COORDINATE:g} m"
        )
    _refuse_lines(array)
    return array


def _refuse_lines(points: np.ndarray) -> None:
    """Points that are all equal or on a line have no surface; usually a few of them show that they are not."""
    if len(points) > 2 * _GLANCE and not _on_a_line(points[:: len(points) // _GLANCE]):
        return
    if (points == points[0]).all():
        raise InvalidPointCloud(f"all {len(points)} points are equal: they have no surface")
    if _on_a_line(points):
        raise InvalidPointCloud(f"all {len(points)} points lie on a line: they have no surface")


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


def _checked_normals(normals: Any, count: int) -> np.ndarray:
    array = _checked("normals", normals)
    if len(array) != count:
        raise InvalidPointCloud(f"there are {count} points, but {len(array)} normals")
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.sqrt((array * array).sum(axis=1))
        bad = ~((length > 0.0) & (length < np.inf))
    if bad.any():
        index = int(bad.argmax())
        raise InvalidPointCloud(
            f"normal {index} is {array[index].tolist()} ({int(bad.sum())} such in all): normals must be finite and "
            "not zero; leave them out if they are unknown"
        )
    return (array / length[:, None]).astype(np.float32)


def _checked_bandwidth(bandwidth: Any) -> float | None:
    if bandwidth is None:
        return None
    try:
        number = float(bandwidth)
    except (TypeError, ValueError):
        raise UnsupportedOption(f"bandwidth must be None or a number of metres, not {bandwidth!r}") from None
    if not (np.isfinite(number) and number > 0.0):
        raise UnsupportedOption(f"bandwidth must be finite and above 0 m, not {bandwidth!r}")
    return number


class PointCloud:
    """Points of a surface; queries answer for the implicit surface that they stand for (``surface.py``).

    Nothing is meshed. The surface need not be closed. Everything is relative to an origin near the points, so clouds
    far from the world's origin lose nothing. The hierarchy is built when a query first needs it.

    Args:
        points: array-like, shape (n, 3) [m], in the object's own frame; at least 8, not all on one line.
        normals: array-like, shape (n, 3), of any length, or None. They orient the surface: f > 0 behind it.
        bandwidth: h [m] of the weight exp(-d^2 / h^2); None derives it from the sampling radius
            (Klein and Zachmann 2004, eq. 9 to 11). Larger ones smooth more noise, and more detail.
        surface: "wls", weighted least squares (eq. 1 to 4), or "apss", algebraic spheres, which need normals and follow
            curvature better (Guennebaud and Gross 2007).
        covering: "certified" spheres, or "paper" for the Monte Carlo radii of Klein and Zachmann, which may be too
            small.

    Raises:
        InvalidPointCloud: wrong shape, too few points, NaN or infinite coordinates, all points equal or on a line,
            normals that do not fit.
        UnsupportedOption: a bandwidth, surface or covering that does not exist.
    """

    def __init__(
        self,
        points: Any,
        normals: Any = None,
        bandwidth: float | None = None,
        *,
        surface: str = "wls",
        covering: str = "certified",
    ) -> None:
        array = _checked_points(points)
        self._normals = None if normals is None else _checked_normals(normals, len(array))
        self._bandwidth = _checked_bandwidth(bandwidth)
        if surface not in SURFACES:
            raise UnsupportedOption(f"surface {surface!r} is not known; known are {', '.join(SURFACES)}")
        if covering not in COVERINGS:
            raise UnsupportedOption(f"covering {covering!r} is not known; known are {', '.join(COVERINGS)}")
        if surface == "apss" and normals is None:
            raise InvalidPointCloud('surface "apss" needs normals')
        self.surface = surface
        self.covering = covering
        self._points = array
        self._order: np.ndarray | None = None
        self._built: Built | None = None

    @property
    def built(self) -> Built:
        """The hierarchy and its lengths, for kernels."""
        return run(self.build_steps()) if self._built is None else self._built

    def build_steps(self) -> Generator[Progress, None, Built]:
        """Build what queries need, if it is not built yet, in slices of some milliseconds.

        A million points take about a second in all. A generator that is closed before its end loses the work, and
        nothing else.
        """
        if self._built is None:
            if self._order is None:
                self._order = np.arange(self.point_count, dtype=np.int32)
            spheres, certified = self.surface == "apss", self.covering == "certified"
            self._built = yield from build_steps(
                self._points, self._order, self._normals, self._bandwidth, spheres, certified
            )
            self._normals = None
        return self._built

    @property
    def points(self) -> np.ndarray:
        """The points as given [m], a new (n, 3) float64 array."""
        if self._order is None:
            return self._points.copy()
        result = np.empty((self.point_count, 3))
        result[self._order] = self._points
        return result

    @property
    def point_count(self) -> int:
        """Number of points."""
        return self._points.shape[0]

    @property
    def has_normals(self) -> bool:
        """Whether normals were given."""
        return self._normals is not None or (self._built is not None and self._built.tree.normals.shape[0] > 0)

    @cached_property
    def bounds(self) -> np.ndarray:
        """Lowest and highest coordinates [m], (2, 3) float64."""
        return bounds_of(self._points)

    @property
    def lengths(self) -> Lengths:
        """Sampling radius, bandwidth, horizon and margin [m], and the cut-off count."""
        return self.built.lengths

    @property
    def bandwidth(self) -> float:
        """h [m]: given, or derived from the sampling radius."""
        return self.lengths.bandwidth

    @property
    def sampling_radius(self) -> float:
        """Radius [m] of discs around the points that have the surface's area together."""
        return self.lengths.sampling_radius

    @property
    def horizon(self) -> float:
        """r_eps [m]: points farther away have no influence."""
        return self.lengths.horizon

    @property
    def nbytes(self) -> int:
        """Memory of points, normals and hierarchy [bytes]."""
        return int(sum(array.nbytes for array in self.built.tree) + self.built.order.nbytes)

    def evaluate(self, at: Any, device: str = "auto") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The implicit function at points, in the object's frame.

        Args:
            at: (k, 3) [m].
            device: as ``deviation`` takes it.

        Returns:
            (f, normal, valid): f (k,) [m], how far along the unit normal (k, 3) the surface lies, and where there is a
            surface (k,) bool: more than the cut-off count of points within the horizon. The sign of f and normal
            together is arbitrary for "wls", and the normals' for "apss". Where not valid, f is 0.

        Raises:
            InvalidPointCloud: ``at`` is not (k, 3) numbers.
            UnsupportedOption: an unknown device.
            DeviceUnavailable: "cuda" was asked for and no device can be used.
        """
        require_device(device)
        array = _checked("the points to evaluate at", at)
        found = evaluate_on_device(device, self.built.tree, array)
        if found is not None:
            return found
        values = np.empty(len(array))
        normals = np.empty((len(array), 3))
        valid = np.empty(len(array), np.bool_)
        evaluate_many(self.built.tree, array, values, normals, valid)
        return values, normals, valid

    def transformed(self, matrix: Any) -> "PointCloud":
        """A new cloud with a (4, 4) affine matrix baked into points and normals.

        A given bandwidth grows with the cube root of the volume.

        Raises:
            InvalidPointCloud: not a finite, invertible 4x4 matrix.
        """
        try:
            array = np.array(matrix, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidPointCloud(f"the matrix cannot be read as numbers: {error}") from None
        if array.shape != (4, 4) or not np.isfinite(array).all():
            raise InvalidPointCloud(f"a cloud is transformed by a finite 4x4 matrix, not by one of shape {array.shape}")
        determinant = abs(float(np.linalg.det(array[:3, :3])))
        if determinant == 0.0:
            raise InvalidPointCloud("the matrix flattens the cloud: it cannot be inverted")
        normals = self.normals
        if normals is not None:
            normals = normals @ np.linalg.inv(array[:3, :3])
        bandwidth = None if self._bandwidth is None else self._bandwidth * determinant ** (1.0 / 3.0)
        points = transform_points(array, self.points)
        return PointCloud(points, normals, bandwidth, surface=self.surface, covering=self.covering)

    @property
    def normals(self) -> np.ndarray | None:
        """Unit normals, a new (n, 3) float64 array, or None."""
        if not self.has_normals:
            return None
        if self._normals is not None:
            return self._normals.astype(np.float64)
        result = np.empty((self.point_count, 3))
        result[self.built.order] = self.built.tree.normals
        return result

    def __repr__(self) -> str:
        return f"PointCloud({self.point_count} points{', with normals' if self.has_normals else ''})"
