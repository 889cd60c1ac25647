"""What messages say of values: short texts that are always there, whatever the value is."""

import difflib
import reprlib
from collections.abc import Iterable

_MOST = 80
_MODULES_UNSAID = ("builtins", "meshclash", "__main__")


class _Short(reprlib.Repr):
    """``repr`` of long lists, texts and numbers, cut; of what has none, its type."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = self.maxdeque = 6
        self.maxstring = self.maxother = self.maxlong = _MOST


_short = _Short()


def shown(value: object) -> str:
    """A value in a message: its ``repr``, of at most 80 characters; its type where it has none."""
    try:
        text = _short.repr(value)
    except (ValueError, TypeError, AttributeError):  # a whole number of thousands of digits; a class called "list"
        return f"<{type_name(value)}>"
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."


def type_name(thing: object) -> str:
    """The type of a thing as messages name it: with its module where another library has made it."""
    kind = type(thing)
    if kind.__module__.partition(".")[0] in _MODULES_UNSAID:
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def a_type(thing: object) -> str:
    """The same with its article: "a str", "an open3d.cpu.pybind.geometry.TriangleMesh"; "None" for None."""
    if thing is None:
        return "None"
    if isinstance(thing, type):
        return f"the class {thing.__qualname__} itself"
    name = type_name(thing)
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def suggestion(name: str, names: Iterable[str]) -> str:
    """What was meant by a name that is not there, to stand behind a message; "" where nothing is like it."""
    close = difflib.get_close_matches(name[:_MOST], list(names), n=3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
