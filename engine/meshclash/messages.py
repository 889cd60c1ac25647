"""Short descriptions of values for messages, which work for any value."""

import difflib
import reprlib
from collections.abc import Iterable
from typing import Any

_MOST = 80
_MODULES_UNSAID = ("builtins", "meshclash", "__main__")


class _Short(reprlib.Repr):
    """``repr`` with long lists, strings and numbers shortened; the type for an object without ``repr``."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = self.maxdeque = 6
        self.maxstring = self.maxother = self.maxlong = _MOST


_short = _Short()


def shown(value: object) -> str:
    """Return the ``repr`` of a value for use in a message, shortened to at most 80 characters. If ``repr`` fails,
    return the type of the value.
    """
    try:
        text = _short.repr(value)
    except (ValueError, TypeError, AttributeError):  # an integer with thousands of digits; a class called "list"
        return f"<{type_name(value)}>"
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."


def type_name(thing: object) -> str:
    """Return the type of an object for messages, with its module if it is from another library."""
    kind = type(thing)
    if kind.__module__.partition(".")[0] in _MODULES_UNSAID:
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def a_type(thing: object) -> str:
    """Return the type of a value with an article, such as "a str" or "an open3d.cpu.pybind.geometry.TriangleMesh". For
    None, return "None".
    """
    if thing is None:
        return "None"
    if isinstance(thing, type):
        return f"the class {thing.__qualname__} itself"
    name = type_name(thing)
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return a suggestion for an unknown name, which you can append to a message. If no known name is similar, return
    "".
    """
    close = difflib.get_close_matches(name[:_MOST], list(names), n=3)
    return "; " + Sentence("did you mean {names}?", names=" or ".join(map(repr, close))) if close else ""


class Sentence(str):
    """An English text that keeps its template and values, so that an application can translate it.

    For all other uses, the sentence is a plain ``str``: error messages, JSON and files contain the English text. Values
    that are sentences are translated as well. All other values, such as names of objects, are not translated.

    Args:
        template: the English text, with the names of its values in braces.
        values: the values by these names, converted by ``str``. A template without values is used unchanged.

    Attributes:
        template, values: as passed to the constructor.
        is_capital: whether the text was changed to begin with a capital letter.
    """

    template: str
    values: dict[str, str]
    is_capital: bool

    def __new__(cls, template: str, /, **values: object) -> "Sentence":
        """Fill in the values."""
        return cls._made(template, {name: str(value) for name, value in values.items()}, False)

    @classmethod
    def _made(cls, template: str, values: dict[str, str], is_capital: bool) -> "Sentence":
        text = template.format(**values) if values else template
        made = super().__new__(cls, text[:1].upper() + text[1:] if is_capital else text)
        made.template, made.values, made.is_capital = template, values, is_capital
        return made

    @classmethod
    def joined(cls, mark: str, parts: Iterable[str]) -> "Sentence":
        """Join texts with a separator, as ``str.join`` does."""
        values = {f"part{number}": part for number, part in enumerate(parts)}
        return cls(mark.join(f"{{{name}}}" for name in values), **values)

    def __add__(self, other: str) -> "Sentence":
        """Concatenate two texts."""
        return Sentence.joined("", (self, other))

    def __radd__(self, other: str) -> "Sentence":
        """Concatenate two texts."""
        return Sentence.joined("", (other, self))

    def __str__(self) -> str:
        """Return the sentence itself, so that ``str(error)`` can be translated, too."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to copy and pickle the sentence."""
        return Sentence._made, (self.template, self.values, self.is_capital)


def counting(task: str, done: int, count: int) -> Sentence:
    """Describe how far a task is: "judging object pair 3 of 1,200"."""
    return Sentence("{task} {done} of {count}", task=Sentence(task), done=f"{done:,}", count=f"{count:,}")


def capital(text: str) -> Sentence:
    """Return a text that begins with a capital letter; it is still translated by the given template."""
    given = text if isinstance(text, Sentence) else Sentence(text)
    return Sentence._made(given.template, given.values, True)
