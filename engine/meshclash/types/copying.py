"""Copying and pickling of objects, without their caches and without the addresses of their arrays.

Some kernels receive arrays as addresses. A copy, and an object in another process, has its arrays at other addresses.
So the state of a copy contains no addresses; objects with addresses are created again when they are needed.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

_NO_CACHES: Mapping[str, Callable[[], Any]] = MappingProxyType({})
_CONTAINERS = tuple, list, dict


class Copyable:
    """The base class of objects that are copied and pickled without their caches.

    A subclass declares its caches together with their initial values
    (``class Thing(Copyable, caches={"derived": dict})``). Cached properties also count as caches. All other attributes,
    including those of subclasses, belong to the state of the object. A shallow copy refers to the same attributes as
    the original.
    """

    __slots__ = ()
    _begin: ClassVar[Mapping[str, Callable[[], Any]]] = _NO_CACHES
    """Return the functions that create the initial values of the caches, including those of base classes."""
    _left_out: ClassVar[frozenset[str]] = frozenset()
    """Names of caches and cached properties."""

    def __init_subclass__(cls, caches: Mapping[str, Callable[[], Any]] = _NO_CACHES, **others: Any) -> None:
        super().__init_subclass__(**others)
        cached = {name for name, value in vars(cls).items() if isinstance(value, cached_property)}
        bases = [base for base in cls.__bases__ if issubclass(base, Copyable)]
        cls._begin = {name: make for base in bases for name, make in base._begin.items()} | dict(caches)
        cls._left_out = frozenset(cached.union(cls._begin, *(base._left_out for base in bases)))

    def __getstate__(self) -> Any:
        """Return the state as ``object`` does, without caches: the attributes, or a pair of attributes and slots."""
        state = super().__getstate__()
        if isinstance(state, tuple):
            return tuple(part and self._without_caches(part) for part in state)
        return state and self._without_caches(state)

    def __setstate__(self, state: Any) -> None:
        for part in state if isinstance(state, tuple) else (state,):
            for name, value in self._without_caches(part or {}).items():
                object.__setattr__(self, name, _owned(value))  # works for frozen dataclasses, too
        for name, make in self._begin.items():
            object.__setattr__(self, name, make())

    def _without_caches(self, attributes: Any) -> dict[str, Any]:
        return {name: value for name, value in dict(attributes).items() if name not in self._left_out}


class Changeable(Copyable):
    """The base class of copyable objects that can change. A shallow copy has its own state, but shares the objects to
    which the state refers.
    """

    __slots__ = ()

    def _shared_things(self) -> Iterable[object]:
        """Return the objects that a shallow copy shares."""
        return ()

    def __copy__(self) -> Self:
        things = list(self._shared_things())
        return deepcopy(self, {id(thing): thing for thing in things})


def refuse_copies(thing: object, _protocol: Any) -> Any:
    """Raise TypeError. Use this function as ``__reduce_ex__`` of classes that contain memory addresses, which would be
    wrong in a copy.
    """
    raise TypeError(f"a {type(thing).__name__} cannot be copied or pickled: it contains memory addresses")


class NotCopied:
    """Base of classes that contain memory addresses, so their objects cannot be copied or pickled. Classes with
    attributes of such a class must declare these attributes as caches.
    """

    __slots__ = ()
    __reduce_ex__ = refuse_copies


def _owned(value: Any, depth: int = 4) -> Any:
    """Return a value of the object's state with arrays that own their memory and are writable, as kernels need them.

    Unpickled arrays may share memory with other arrays (buffers of protocol 5, files of joblib) and are read-only.

    Args:
        value: an array, a tuple, list or dictionary that may contain arrays, or any other object.
        depth: number of levels of nested containers that are searched.
    """
    if isinstance(value, np.ndarray):
        own = type(value) is np.ndarray and value.flags.owndata and value.flags.writeable
        return value if own else np.array(value, order="C")
    if not depth or not isinstance(value, _CONTAINERS):
        return value
    items = list(value.values()) if isinstance(value, dict) else value
    owned = [_owned(item, depth - 1) for item in items]
    if all(map(operator.is_, owned, items)):
        return value
    if isinstance(value, dict):
        return dict(zip(value, owned, strict=True))
    return value._make(owned) if hasattr(value, "_make") else type(value)(owned)
