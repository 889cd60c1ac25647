"""Which device answers: whether one can be used and why not, when it pays, and what happens when it fails.

A device is looked for when one is first needed, never on import. ``"cuda"`` asks for it and raises where there is none;
``"auto"`` takes it for questions about enough triangles; when a device fails in the middle, the CPU answers and the
answer says so. Trees stay on the device as long as their meshes live; a mesh that was given new vertices is refitted.
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
"""Settings from which sizes on "auto" takes the device, one for each kind of question."""
DEVICES = ("auto", "cpu", "cuda")
_MOST_KEPT = 32
"""Sets of trees that stay on the device, and owners of other arrays."""

_T = TypeVar("_T")


@dataclass
class _Kept:
    """Trees on the device, with what tells whether they still fit a set of meshes."""

    trees: Trees
    owners: list[Any]
    """Weak references to what meshes over the same triangles share; when one dies, the trees go."""
    seen: list[Any]
    """Weak references to the meshes that the boxes were fitted to."""


def variable_of(crossover: str) -> str:
    """The environment variable behind a setting of ``CROSSOVERS``."""
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
    """The device as this process uses it."""

    backend: Any
    space: Workspace
    kept: list[_Kept] = field(default_factory=list)
    _residents: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def resident(self, owner: Any, upload: Callable[[Any], _T]) -> _T:
        """What ``upload`` puts on the backend it is given; it stays there as long as its owner lives."""
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
"""Taken by whoever uses the device; popping a list is atomic. Another Python thread is answered by the CPU."""


def device_state(refresh: bool = False, look: bool = True) -> DeviceState:
    """Return whether a CUDA device can be used, and if not, why.

    Args:
        refresh: look again; otherwise what was found first stands, or the fault that ended its use.
        look: False only tells what is known already, without loading anything.

    Example:
        >>> import meshclash as mc
        >>> isinstance(mc.device_state(look=False).reason, str)
        True
    """
    look, refresh = truth("look", look), truth("refresh", refresh)
    if not look:
        return _state[0] if _state else DeviceState(False, "no device has been looked for yet")
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
    """Set how devices are used from now on in this process.

    Args:
        crossover: triangles of both sides together, over all pairs of objects asked about, from which "auto" takes
            the device; ``python -m bench gpu`` measures it. None stands for the variable
            ``MESHCLASH_GPU_CROSSOVER``, and without that for never: "auto" is the CPU until it has been measured.
        memory_limit: most bytes to use on the device; None for what is free.
        reproducible: False finds contacts by a queue, True level by level in the paper's scheme. Answers are the
            same.
        point_crossover: points from which ``deviation`` and ``PointCloud.evaluate`` take the device; as ``crossover``,
            with the variable ``MESHCLASH_GPU_POINT_CROSSOVER``.
        clearance_crossover, distance_crossover: as ``crossover``, for ``clearance`` and ``distance``, with the
            variables ``MESHCLASH_GPU_CLEARANCE_CROSSOVER`` and ``MESHCLASH_GPU_DISTANCE_CROSSOVER``.
        object_crossover: objects from which scenes compare their boxes on the device; likewise.

    Raises:
        UnsupportedOption: a number that is not positive, or ``reproducible`` is no truth value.

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
    """Checks an option that CUDA devices serve.

    Raises:
        UnsupportedOption: not one of ``DEVICES``.
        DeviceUnavailable: "cuda" is asked for and cannot be had; the message says why.
    """
    one_of("device", device, DEVICES)
    if device == "cuda" and not device_state().usable:
        raise DeviceUnavailable(f"{device_state().reason}; device='cpu' or 'auto' works without")


def kernel_steps() -> list[tuple[str, Callable[[], object]]]:
    """Steps that compile a device's kernels one by one, or load them from the cache, each with what it compiles.

    Those only that are not ready, and none where no device can be used. A fault ends the use of the device, as ever.
    """
    if not device_state().usable:
        return []
    missing, _ = on_device(lambda session: session.backend.missing_kernels())
    return [(f"{name} for the GPU", partial(_prepare, kernel)) for name, kernel in (missing or {}).items()]


def _prepare(kernel: Any) -> None:
    if device_state().usable:  # otherwise a kernel before this one has failed
        on_device(lambda _: kernel.prepare())


def may_answer(device: str, crossover: str = "crossover", size: int | None = None) -> bool:
    """Whether a device may come into play at all, which costs nothing to ask; given a size, whether it is to answer."""
    least = _settings.crossovers[crossover]
    if device != "cuda" and (device != "auto" or least is None or (size is not None and size < least)):
        return False
    return size is None or device_state().usable  # it may have failed since the question was asked


def is_reproducible() -> bool:
    """Whether devices find contacts level by level."""
    return _settings.reproducible


def trees_of_sides(session: Session, question: Question) -> tuple[Trees, Trees]:
    """The trees of both sides of a question on the device."""
    a = _trees_of(session, question.a.meshes, busy=None)
    return a, a if question.b.meshes is question.a.meshes else _trees_of(session, question.b.meshes, busy=a)


def on_device(work: Callable[[Session], _T]) -> tuple[_T | None, str]:
    """What ``work`` makes of the device; or None where the CPU has to answer, and why, which is warned of, too."""
    with _alone() as alone:
        if not alone:
            return None, "the device is in use by another thread"
        try:
            return work(_open_session()), ""
        except DeviceFault as fault:
            note = str(fault) + "; " + Sentence("the CPU answered instead")
            if not isinstance(fault, OutOfDeviceMemory):
                for session in _session:
                    session.backend.abandon()
                _state[:] = [DeviceState(False, str(fault) + "; " + Sentence("it is tried again when you look for it"))]
            _session.clear()  # with all memory
    warnings.warn(note, RuntimeWarning, stacklevel=5)
    return None, note


def _trees_of(session: Session, meshes: Sequence[TriangleMesh], busy: Trees | None) -> Trees:
    """The trees over meshes: those on the device, refitted where vertices moved, or new ones."""
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
    """A device as a backend, with at most so many bytes; raises DeviceFault."""
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
    """Looks for a device; whatever goes wrong is a reason."""
    if importlib.util.find_spec("numba_cuda") is None:
        return DeviceState(
            False, Sentence("no CUDA support is installed ({hint})", hint="pip install 'meshclash[gpu]'")
        )
    try:
        state: DeviceState = importlib.import_module(".cuda_gpu", __package__).look()
        return state
    except Exception as error:  # libraries of any version, half installed, raise errors of any kind
        return DeviceState(
            False, Sentence("CUDA cannot be used: {why}", why=" ".join(str(error).split()) or type(error).__name__)
        )
