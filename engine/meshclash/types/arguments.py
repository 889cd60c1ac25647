"""Checks of arguments other than numbers: names of options, strings, instances of a class, indices.

Each function returns the checked argument, or raises UnsupportedOption with the name of the argument.
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
    """Check that a string is one of the allowed strings; the error message lists them and suggests the most similar
    one.
    """
    if not isinstance(value, str):
        raise UnsupportedOption(f"{name} {shown(value)} is not supported; expected one of {', '.join(known)}")
    if value not in known:
        near = suggestion(value, known)
        raise UnsupportedOption(f"{name} {shown(value)} is not supported; expected one of {', '.join(known)}{near}")
    return str(value)


def text(name: str, value: Any) -> str:
    """Check that a value is a string."""
    if not isinstance(value, str):
        raise UnsupportedOption(f"{name} must be a string, not {shown(value)}")
    return value


def instance(name: str, value: Any, kind: type[_T]) -> _T:
    """Check that a value is an instance of a given class of MeshClash."""
    if not isinstance(value, kind):
        raise UnsupportedOption(f"{name} must be a {kind.__qualname__}, not {a_type(value)}")
    return value


def items_of(name: str, values: Any, wanted: str) -> Iterator[Any]:
    """Return an iterator over a list or another iterable. If the value is a string, raise an error."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable) or _is_scalar(values):
        raise UnsupportedOption(f"{name} must be a list of {wanted}, not {shown(values)}")
    return iter(values)


def several(name: str, values: Any, kind: type[_T]) -> list[_T]:
    """Return instances of one class, from a list or another iterable, as a list; raise an error for a string."""
    found = []
    for value in items_of(name, values, _plural(kind)):  # checked one by one: an iterable may be infinite
        if not isinstance(value, kind):
            raise UnsupportedOption(f"{name} must be a list of {_plural(kind)}, but it contains {a_type(value)}")
        found.append(value)
    return found


def by_text(name: str, values: Any, kind: type[_T]) -> Mapping[str, _T]:
    """Check that a value is a dictionary with strings as keys and instances of one class as values."""
    if not isinstance(values, Mapping):
        raise UnsupportedOption(f"{name} must be a dictionary of {_plural(kind)}, not {a_type(values)}")
    for key, value in values.items():
        if not isinstance(key, str) or not isinstance(value, kind):
            raise UnsupportedOption(
                f"{name} must be a dictionary with string keys and {_plural(kind)} as values, but it "
                f"contains {shown(key)}: {a_type(value)}"
            )
    return values


def side_of(side: Any) -> int:
    """Check the number of a side: 0 for a, 1 for b."""
    if not is_whole(side) or side not in (0, 1):
        raise UnsupportedOption(f"side must be 0 for object a or 1 for object b, not {shown(side)}")
    return int(side)


def place_of(name: str, value: Any, count: int) -> int:
    """Check an index into a list of ``count`` items; negative indices count from its end."""
    return whole_number(name, value, -count, count - 1)


def places_of(name: str, chosen: Any, count: int) -> slice | np.ndarray:
    """Check a slice, indices or a mask (count,) bool; return the slice itself, otherwise the indices (n,) int64."""
    if isinstance(chosen, slice):
        try:
            chosen.indices(count)
        except (TypeError, ValueError) as error:
            raise UnsupportedOption(f"{name} is not a valid slice of a list: {error}") from None
        return chosen
    indices = given_array(name, chosen, UnsupportedOption)
    if indices.dtype.kind == "b" and indices.shape == (count,):
        return np.flatnonzero(indices)
    indices = np.atleast_1d(whole_numbers(name, indices))
    if indices.ndim != 1 or (len(indices) and not -count <= indices.min() <= indices.max() < count):
        raise UnsupportedOption(
            f"{name} must be a slice, a mask or indices of a list of {count} items, not {shown(chosen)}"
        )
    return indices


def no_member(kind: type[Enum], value: Any) -> UnsupportedOption:
    """Return the error for a value that no member of an enumeration has."""
    known = ", ".join(f"{member.name} ({member.value})" for member in kind)
    return UnsupportedOption(f"{kind.__name__} has no member {shown(value)}; there are {known}")


def _is_scalar(values: Any) -> bool:
    """Return whether a value is an array without dimensions."""
    return isinstance(values, np.ndarray) and values.ndim == 0


def _plural(kind: type) -> str:
    return "texts" if kind is str else f"{kind.__qualname__} objects"
