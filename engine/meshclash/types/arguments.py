"""Arguments that are no numbers: names of options, texts, objects of one kind, places in results.

Each function returns the argument, checked, or raises UnsupportedOption and names it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeVar

import numpy as np

from ..errors import UnsupportedOption
from ..messages import a_type, shown, suggestion
from .numbers import given_array, is_whole, whole_number, whole_numbers

_T = TypeVar("_T")


def one_of(name: str, value: Any, known: Collection[str]) -> str:
    """One of several texts; the message lists them, and suggests the nearest."""
    if not isinstance(value, str):
        raise UnsupportedOption(f"{name} {shown(value)} is not known; known are {', '.join(known)}")
    if value not in known:
        near = suggestion(value, known)
        raise UnsupportedOption(f"{name} {shown(value)} is not known; known are {', '.join(known)}{near}")
    return str(value)


def text(name: str, value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise UnsupportedOption(f"{name} must be a text, not {shown(value)}")
    return value


def instance(name: str, value: Any, kind: type[_T]) -> _T:
    """An object of a class of MeshClash."""
    if not isinstance(value, kind):
        raise UnsupportedOption(f"{name} must be a {kind.__qualname__}, not {a_type(value)}")
    return value


def items_of(name: str, values: Any, wanted: str) -> Iterator[Any]:
    """The items of a list or another iterable; a text is none."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable) or _is_scalar(values):
        raise UnsupportedOption(f"{name} must be a list of {wanted}, not {shown(values)}")
    return iter(values)


def several(name: str, values: Any, kind: type[_T]) -> list[_T]:
    """Objects of one class, in a list or another iterable; a text is none."""
    found = []
    for value in items_of(name, values, _plural(kind)):  # checked one by one: an iterable may be without an end
        if not isinstance(value, kind):
            raise UnsupportedOption(f"{name} must be a list of {_plural(kind)}, not with {a_type(value)} in it")
        found.append(value)
    return found


def by_text(name: str, values: Any, kind: type[_T]) -> Mapping[str, _T]:
    """A dictionary of objects of one class by texts."""
    if not isinstance(values, Mapping):
        raise UnsupportedOption(f"{name} must be a dictionary of {_plural(kind)}, not {a_type(values)}")
    for key, value in values.items():
        if not isinstance(key, str) or not isinstance(value, kind):
            raise UnsupportedOption(
                f"{name} must be a dictionary of {_plural(kind)} by texts, not with {shown(key)}: {a_type(value)}"
            )
    return values


def side_of(side: Any) -> int:
    """Which of two objects is meant: 0, that of a, or 1, that of b."""
    if not is_whole(side) or side not in (0, 1):
        raise UnsupportedOption(f"side must be 0, that of a, or 1, that of b, not {shown(side)}")
    return int(side)


def place_of(name: str, value: Any, count: int) -> int:
    """A place in a list of some length, from 0 on, or from its end where negative."""
    return whole_number(name, value, -count, count - 1)


def places_of(name: str, chosen: Any, count: int) -> slice | np.ndarray:
    """Places in a list of some length: a slice as it is; of indices, or of a mask (count,) bool, (n,) int64."""
    if isinstance(chosen, slice):
        try:
            chosen.indices(count)
        except (TypeError, ValueError) as error:
            raise UnsupportedOption(f"{name} is no slice of a list: {error}") from None
        return chosen
    indices = given_array(name, chosen, UnsupportedOption)
    if indices.dtype.kind == "b" and indices.shape == (count,):
        return np.flatnonzero(indices)
    indices = np.atleast_1d(whole_numbers(name, indices))
    if indices.ndim != 1 or (len(indices) and not -count <= indices.min() <= indices.max() < count):
        raise UnsupportedOption(f"{name} must be a slice, a mask or places in a list of {count}, not {shown(chosen)}")
    return indices


def no_member(kind: type[Enum], value: Any) -> UnsupportedOption:
    """The error for a value that no member of an enumeration has."""
    known = ", ".join(f"{member.name} ({member.value})" for member in kind)
    return UnsupportedOption(f"{kind.__name__} has no member {shown(value)}; there are {known}")


def _is_scalar(values: Any) -> bool:
    """Whether it is an array without a dimension."""
    return isinstance(values, np.ndarray) and values.ndim == 0


def _plural(kind: type) -> str:
    return "texts" if kind is str else f"{kind.__qualname__} objects"
