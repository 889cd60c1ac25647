"""What messages say of values: short texts that are always there, whatever the value is."""

import difflib
import reprlib
from collections.abc import Iterable
from typing import Any

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
    return "; " + Sentence("did you mean {names}?", names=" or ".join(map(repr, close))) if close else ""


class Sentence(str):
    """An English text that keeps its template and its values, so that an application can translate it.

    For everything else it is a plain ``str``: messages of errors, JSON and files show the English text. Values that are
    sentences are translated as well; all other values, such as names of objects, stay as they are.

    Args:
        template: the English text, with the names of its values in braces.
        values: the values by these names; ``str`` makes texts of them. A template without values is the text itself.

    Attributes:
        template, values: as given.
        is_capital: whether the text begins with a capital letter, whatever the template says.
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
        """Texts with a mark between them, as ``str.join`` puts them together."""
        values = {f"part{number}": part for number, part in enumerate(parts)}
        return cls(mark.join(f"{{{name}}}" for name in values), **values)

    def __add__(self, other: str) -> "Sentence":
        """Two texts, one after the other."""
        return Sentence.joined("", (self, other))

    def __radd__(self, other: str) -> "Sentence":
        """Two texts, one after the other."""
        return Sentence.joined("", (other, self))

    def __str__(self) -> str:
        """Itself, so that ``str(error)`` can be translated, too."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """How to copy and to pickle it."""
        return Sentence._made, (self.template, self.values, self.is_capital)


def capital(text: str) -> Sentence:
    """A text that begins with a capital letter; it is translated by the template that was given."""
    given = text if isinstance(text, Sentence) else Sentence(text)
    return Sentence._made(given.template, given.values, True)
