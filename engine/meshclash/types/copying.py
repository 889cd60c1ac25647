"""How objects are copied and pickled: by what they are, without addresses of arrays and without caches.

Some kernels are told arrays by their addresses. A copy has its arrays elsewhere, and another process has other memory,
so nothing that holds an address goes into the state of a copy: it is made again when it is needed.
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
    """An object that is copied and pickled without its caches.

    A class names its caches (``class Thing(Copyable, caches={"derived": dict})``), with what each begins as; a cached
    property is a cache, too. All other attributes are what the object is, also those of a subclass. A shallow copy
    shares them.
    """

    __slots__ = ()
    _begin: ClassVar[Mapping[str, Callable[[], Any]]] = _NO_CACHES
    """What the caches begin as, with those of the classes that it inherits from."""
    _left_out: ClassVar[frozenset[str]] = frozenset()
    """Names of caches and cached properties."""

    def __init_subclass__(cls, caches: Mapping[str, Callable[[], Any]] = _NO_CACHES, **others: Any) -> None:
        super().__init_subclass__(**others)
        cached = {name for name, value in vars(cls).items() if isinstance(value, cached_property)}
        bases = [base for base in cls.__bases__ if issubclass(base, Copyable)]
        cls._begin = {name: make for base in bases for name, make in base._begin.items()} | dict(caches)
        cls._left_out = frozenset(cached.union(cls._begin, *(base._left_out for base in bases)))

    def __getstate__(self) -> Any:
        """As that of ``object``: the attributes, or a pair of these and of what is in slots."""
        state = super().__getstate__()
        if isinstance(state, tuple):
            return tuple(part and self._without_caches(part) for part in state)
        return state and self._without_caches(state)

    def __setstate__(self, state: Any) -> None:
        for part in state if isinstance(state, tuple) else (state,):
            for name, value in self._without_caches(part or {}).items():
                object.__setattr__(self, name, _owned(value))  # also of a frozen dataclass
        for name, make in self._begin.items():
            object.__setattr__(self, name, make())

    def _without_caches(self, attributes: Any) -> dict[str, Any]:
        return {name: value for name, value in dict(attributes).items() if name not in self._left_out}


class Changeable(Copyable):
    """A copyable object that changes: a shallow copy has a state of its own, and shares the things that it holds."""

    __slots__ = ()

    def _shared_things(self) -> Iterable[object]:
        """The things that a shallow copy shares."""
        return ()

    def __copy__(self) -> Self:
        things = list(self._shared_things())
        return deepcopy(self, {id(thing): thing for thing in things})


def refuse_copies(thing: object, _protocol: Any) -> Any:
    """The ``__reduce_ex__`` of what holds addresses: raises TypeError, so that no copy has those of other arrays."""
    raise TypeError(f"a {type(thing).__name__} is neither copied nor pickled: it holds addresses of memory")


class NotCopied:
    """What is neither copied nor pickled, since it holds addresses; whatever keeps one names it as a cache."""

    __slots__ = ()
    __reduce_ex__ = refuse_copies


def _owned(value: Any, depth: int = 4) -> Any:
    """A value of a state, with arrays that kernels take and nobody else writes to.

    Pickles may bring arrays that share memory with others (buffers of protocol 5, files of joblib) and are read-only.

    Args:
        value: what may be an array, or a tuple, list or dictionary that holds some.
        depth: of containers in containers.
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
