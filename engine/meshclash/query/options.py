"""The options of all queries, checked by name in one place."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..answering.devices import require_device
from ..errors import DeviceUnavailable, UnsupportedOption
from ..jit import thread_limit
from ..messages import shown
from ..solid.case import Limits
from ..types.arguments import one_of
from ..types.numbers import real_number, truth
from ..volumes.registry import DEFAULT_VOLUME, volume_named

AUTO, HIERARCHIES, VOXELS = "auto", "hierarchies", "voxels"
ENGINES = (AUTO, HIERARCHIES, VOXELS)


class Options(NamedTuple):
    """Checked options, as solvers receive them; options that a query does not have keep these default values."""

    volume: str | None = None
    """Kind of bounding volume, if given."""
    threads: int = 1
    """Maximum number of threads."""
    device: str = "cpu"
    engine: str = AUTO
    touching: bool = True
    tolerance: float = 0.0
    """[m]"""
    relative_error: float = 0.0
    absolute_error: float = 0.0
    """[m]"""
    upper_limit: float = math.inf
    """[m]; larger distances are not needed."""
    lower_limit: float = 0.0
    """[m]; a search may stop at any pair within this distance."""
    start: Any = None
    """An earlier result to start from; its type depends on the solver."""
    limits: Limits = Limits()
    """Tolerances of a verdict."""
    detail: Any = None
    """Options that only one query has, checked by its public function."""


def checked_options(given: Mapping[str, Any], boxes_only: bool, only: str | None, served: bool) -> Options:
    """Check options by their names.

    Args:
        given: options, not checked except ``limits``, ``start`` and ``detail``.
        boxes_only: whether the objects support bounding boxes only.
        only: description of the objects if they cannot use voxels or devices; None for meshes in memory.
        served: whether a GPU supports the query.

    Raises:
        UnsupportedOption, DeviceUnavailable.
    """
    options = Options(**{name: _CHECKS[name](value) if name in _CHECKS else value for name, value in given.items()})
    if boxes_only and options.volume not in (None, DEFAULT_VOLUME):
        volume = f"{shown(options.volume)}"
        raise UnsupportedOption(f"clustered meshes support boxes only: omit volume={volume}")
    if only and options.engine == VOXELS:
        raise UnsupportedOption(f"engine 'voxels' compares meshes with meshes, not {only}: use engine='auto'")
    served = served and not only and options.engine != VOXELS
    device = check_device(options.device, served)
    return options if device is options.device else options._replace(device=device)


def check_device(device: Any, served: bool = False) -> str:
    """Return the device of a query: unchanged if CUDA devices support the query, else "cpu".

    Raises:
        UnsupportedOption: not one of ``DEVICES``.
        DeviceUnavailable: "cuda", but the query runs on the CPU only, or no device can be used.
    """
    if not served and isinstance(device, str) and device == "cuda":
        raise DeviceUnavailable("this query is computed on the CPU only: use device='auto' or 'cpu'")
    require_device(device)
    return device if served else "cpu"  # type: ignore[no-any-return]


def check_threads(threads: int | None) -> int:
    """Return the maximum number of threads; raise UnsupportedOption unless None or a positive integer."""
    return thread_limit(threads)


def _checked_volume(volume: Any) -> Any:
    volume_named(volume)
    return volume


def _checked_engine(engine: Any) -> str:
    return one_of("engine", engine, ENGINES)


def check_length(name: str, value: Any) -> float:
    """Check a length in metres, finite and not negative; raise UnsupportedOption, which names the option."""
    return _not_negative(name, value, "a number of metres")


def _check_limit(name: str, value: Any) -> float:
    """Check a length in metres, not negative, possibly infinite; raise UnsupportedOption, which names the option."""
    return math.inf if isinstance(value, float) and value == math.inf else check_length(name, value)


def check_share(name: str, value: Any) -> float:
    """Check a fraction, 0 or more and below 1; raise UnsupportedOption, which names the option."""
    number = _not_negative(name, value, "a number")
    if number >= 1.0:
        raise UnsupportedOption(f"{name} must be below 1, not {shown(value)}")
    return number


def _not_negative(name: str, value: Any, what: str) -> float:
    number = real_number(value)
    if math.isnan(number) and not isinstance(value, float | np.floating):
        raise UnsupportedOption(f"{name} must be {what}, not {shown(value)}")
    if not 0.0 <= number < math.inf:
        raise UnsupportedOption(f"{name} must be finite and not negative, not {shown(value)}")
    return number


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "volume": _checked_volume,
    "threads": check_threads,
    "engine": _checked_engine,
    "touching": lambda value: truth("touching", value),
    "tolerance": lambda value: check_length("tolerance", value),
    "relative_error": lambda value: check_share("relative_error", value),
    "absolute_error": lambda value: check_length("absolute_error", value),
    "upper_limit": lambda value: _check_limit("upper_limit", value),
    "lower_limit": lambda value: check_length("lower_limit", value),
}
