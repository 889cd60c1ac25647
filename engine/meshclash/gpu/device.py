"""Choose the device: whether a GPU can be used and why not, when it is faster, and the CPU fallback if it fails.

The engine looks for a device when one is first needed, never on import. ``"cuda"`` requires a device, and raises an
error without one. ``"auto"`` uses a device for queries with enough triangles. If a device fails during a query, the CPU
computes the result, and the result contains a note. Trees stay on the device as long as their meshes live. If a mesh
gets new vertices, its tree is refitted.
"""

import importlib
import importlib.util
import os
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from ..errors import DeviceUnavailable, UnsupportedOption
from ..messages import Sentence, shown
from ..traversal.question import Question
from ..types.arguments import one_of
from ..types.mesh import TriangleMesh
from ..types.numbers import truth
from .breadth_first import Workspace
from .state import DeviceFault, DeviceState, OutOfDeviceMemory
from .trees import Trees, build_trees, refit_trees

CROSSOVERS = ("crossover", "clearance_crossover", "distance_crossover", "object_crossover", "point_crossover")
"""Names of the settings for the smallest size that "auto" sends to the device, one for each kind of query."""
DEVICES = ("auto", "cpu", "cuda")
_MOST_KEPT = 32
"""Maximum number of sets of trees, and of owners of other arrays, that are kept on the device."""

_T = TypeVar("_T")


@dataclass
class _Kept:
    """Trees on the device, with the references that show whether they still fit a set of meshes."""

    trees: Trees
    owners: list[Any]
    """Weak references to the data that meshes with the same triangles share; when one of them is deleted, the trees are
    dropped."""
    seen: list[Any]
    """Weak references to the meshes that the boxes were fitted to."""


def variable_of(crossover: str) -> str:
    """Return the name of the environment variable for a setting of ``CROSSOVERS``."""
    return f"MESHCLASH_GPU_{crossover.upper()}"


def _from_environment(crossover: str) -> int | None:
    text = os.environ.get(variable_of(crossover), "")
    return int(text) if text.isdecimal() and int(text) else None


@dataclass
class _Settings:
    crossovers: dict[str, int | None] = field(default_factory=lambda: {k: _from_environment(k) for k in CROSSOVERS})
    memory_limit: int | None = None
    reproducible: bool = False


@dataclass
class Session:
    """The state of this process on the device."""

    backend: Any
    space: Workspace
    kept: list[_Kept] = field(default_factory=list)
    _residents: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def resident(self, owner: Any, upload: Callable[[Any], _T]) -> _T:
        """Return what ``upload(backend)`` stored on the device. The stored data is cached on the device as long as its
        owner exists.
        """
        residents = self._residents
        found = residents.get(id(owner))
        if found is None:
            for key in list(residents)[: len(residents) - _MOST_KEPT + 1]:
                residents.pop(key, None)
            key = id(owner)
            found = residents[key] = (weakref.ref(owner, lambda _: residents.pop(key, None)), upload(self.backend))
        arrays: _T = found[1]
        return arrays


_settings = _Settings()
_state: list[DeviceState] = []
_session: list[Session] = []
_token = [True]
"""A lock: the thread that pops the token uses the device (popping is atomic). Other threads use the CPU."""


def device_state(refresh: bool = False, look: bool = True) -> DeviceState:
    """Return whether MeshClash can use a CUDA device. If MeshClash cannot use a device, the result gives the reason.

    Args:
        refresh: True checks the device again; False returns the result of the first check, or the fault after which
            MeshClash stopped using the device.
        look: False returns what is already known, without loading any libraries.

    Example:
        >>> import meshclash as mc
        >>> isinstance(mc.device_state(look=False).reason, str)
        True
    """
    look, refresh = truth("look", look), truth("refresh", refresh)
    if not look:
        return _state[0] if _state else DeviceState(False, "MeshClash has not looked for a GPU yet")
    if refresh:
        _session.clear()
        _state.clear()
    if not _state:
        _state.append(_look())
    return _state[0]


def configure_device(
    crossover: int | None = None,
    memory_limit: int | None = None,
    reproducible: bool = False,
    point_crossover: int | None = None,
    clearance_crossover: int | None = None,
    distance_crossover: int | None = None,
    object_crossover: int | None = None,
) -> None:
    """Set how MeshClash uses devices in this process from now on.

    Args:
        crossover: the smallest query that "auto" sends to the device, in triangles: both sides together, summed over
            all pairs of objects. ``python -m bench gpu`` measures this size. If the value is None, MeshClash reads it
            from the environment variable ``MESHCLASH_GPU_CROSSOVER``; if this variable is not set, "auto" always uses
            the CPU.
        memory_limit: maximum number of bytes to use on the device; None stands for all free memory.
        reproducible: False finds contacts with a queue; True finds contacts level by level, as in the paper; the
            results are the same.
        point_crossover: the smallest number of points for which ``deviation`` and ``PointCloud.evaluate`` use the
            device; like ``crossover``, with the variable ``MESHCLASH_GPU_POINT_CROSSOVER``.
        clearance_crossover, distance_crossover: like ``crossover``, for ``clearance`` and ``distance``, with the
            variables ``MESHCLASH_GPU_CLEARANCE_CROSSOVER`` and ``MESHCLASH_GPU_DISTANCE_CROSSOVER``.
        object_crossover: the smallest number of objects whose boxes a scene compares on the device; like
            ``crossover``, with the variable ``MESHCLASH_GPU_OBJECT_CROSSOVER``.

    Raises:
        UnsupportedOption: a number is not positive, or ``reproducible`` is neither True nor False.

    Example:
        >>> import meshclash as mc
        >>> mc.configure_device(crossover=1_000_000)
        >>> mc.configure_device()
    """
    numbers = (crossover, clearance_crossover, distance_crossover, object_crossover, point_crossover)
    crossovers = dict(zip(CROSSOVERS, numbers, strict=True))
    for name, value in {**crossovers, "memory_limit": memory_limit}.items():
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise UnsupportedOption(f"{name} must be None or a positive whole number, not {shown(value)}")
    reproducible = truth("reproducible", reproducible)
    changed = memory_limit != _settings.memory_limit
    _settings.crossovers = {k: _from_environment(k) if value is None else value for k, value in crossovers.items()}
    _settings.memory_limit, _settings.reproducible = memory_limit, reproducible
    if changed:
        _session.clear()


def require_device(device: str) -> None:
    """Check the option ``device`` of a query.

    Raises:
        UnsupportedOption: the value is not one of ``DEVICES``.
        DeviceUnavailable: device is "cuda", and no GPU can be used; the message gives the reason.
    """
    one_of("device", device, DEVICES)
    if device == "cuda" and not device_state().usable:
        raise DeviceUnavailable(f"{device_state().reason}; device='cpu' or 'auto' works without")


def kernel_steps() -> list[tuple[str, Callable[[], object]]]:
    """Return the steps that compile a device's kernels one by one, or load them from the cache, each step with its
    name.

    Kernels that are ready are left out, and without a usable device the list is empty. A fault ends the use of the
    device, as in queries.
    """
    if not device_state().usable:
        return []
    missing, _ = on_device(lambda session: session.backend.missing_kernels())
    return [(f"{name} for the GPU", partial(_prepare, kernel)) for name, kernel in (missing or {}).items()]


def _prepare(kernel: Any) -> None:
    if device_state().usable:  # False if an earlier kernel has failed
        on_device(lambda _: kernel.prepare())


def may_answer(device: str, crossover: str = "crossover", size: int | None = None) -> bool:
    """Return whether a device computes a query of this size.

    Without a size, return whether a device may compute any query at all; the function does not search for a device.
    """
    least = _settings.crossovers[crossover]
    if device != "cuda" and (device != "auto" or least is None or (size is not None and size < least)):
        return False
    return size is None or device_state().usable  # it may have failed since the query began


def is_reproducible() -> bool:
    """Return whether devices find contacts level by level."""
    return _settings.reproducible


def trees_of_sides(session: Session, question: Question) -> tuple[Trees, Trees]:
    """Return the trees of both sides of a query on the device."""
    a = _trees_of(session, question.a.meshes, busy=None)
    return a, a if question.b.meshes is question.a.meshes else _trees_of(session, question.b.meshes, busy=a)


def on_device(work: Callable[[Session], _T]) -> tuple[_T | None, str]:
    """Run ``work`` on the device; return its result and "", or None and the reason if the device failed.

    If the CPU has to compute the result instead, return (None, the reason). A fault of the device also gives a warning.
    """
    with _alone() as alone:
        if not alone:
            return None, "the device is in use by another thread"
        try:
            return work(_open_session()), ""
        except DeviceFault as fault:
            note = str(fault) + "; " + Sentence("the CPU was used instead")
            if not isinstance(fault, OutOfDeviceMemory):
                for session in _session:
                    session.backend.abandon()
                _state[:] = [DeviceState(False, str(fault) + "; " + Sentence("search for a GPU again to retry"))]
            _session.clear()  # frees all its memory
    warnings.warn(note, RuntimeWarning, stacklevel=5)
    return None, note


def _trees_of(session: Session, meshes: Sequence[TriangleMesh], busy: Trees | None) -> Trees:
    """Return the trees of meshes on the device: existing ones, refitted if vertices moved, or new ones."""
    session.kept = [kept for kept in session.kept if all(owner() is not None for owner in kept.owners)]
    refittable = None
    for kept in session.kept:
        if len(kept.seen) != len(meshes):
            continue
        if all(seen() is mesh for seen, mesh in zip(kept.seen, meshes, strict=True)):
            kept.trees.meshes = list(meshes)
            return kept.trees
        if kept.trees is not busy and all(o() is m.common for o, m in zip(kept.owners, meshes, strict=True)):
            refittable = kept
    if refittable is not None:
        refit_trees(session.backend, refittable.trees, meshes)
        refittable.seen = [weakref.ref(mesh) for mesh in meshes]
        return refittable.trees
    trees = build_trees(session.backend, meshes)
    owners = [weakref.ref(mesh.common) for mesh in meshes]
    session.kept.insert(0, _Kept(trees, owners, [weakref.ref(mesh) for mesh in meshes]))
    del session.kept[_MOST_KEPT:]
    return trees


def _open_session() -> Session:
    if not _session:
        backend = make_backend(_settings.memory_limit)
        _session.append(Session(backend, Workspace(backend)))
    _session[0].backend.attach()
    return _session[0]


def make_backend(limit: int | None) -> Any:
    """Return a device as a backend that uses at most ``limit`` bytes; raise DeviceFault if that fails."""
    return importlib.import_module(".backend_gpu", __package__).CudaBackend(limit)


@contextmanager
def _alone() -> Iterator[bool]:
    try:
        token = _token.pop()
    except IndexError:
        yield False
        return
    try:
        yield True
    finally:
        _token.append(token)


def _look() -> DeviceState:
    """Look for a CUDA device. Any exception becomes the reason why no device can be used."""
    if importlib.util.find_spec("numba_cuda") is None:
        return DeviceState(
            False, Sentence("no CUDA support is installed ({hint})", hint="pip install 'meshclash[gpu]'")
        )
    try:
        state: DeviceState = importlib.import_module(".cuda_gpu", __package__).look()
        return state
    except Exception as error:  # incompatible or partly installed libraries may raise anything
        return DeviceState(
            False, Sentence("CUDA cannot be used: {why}", why=" ".join(str(error).split()) or type(error).__name__)
        )
