"""Families of objects: what is one kind of part, told from names that carry the number of an instance."""

import re
from collections import Counter
from collections.abc import Sequence

from ...types.arguments import several

_COPY = re.compile(r"(?:\.\d{3,}|:\d{4,}| \(\d+\))+$")
"""What modellers add to the name of a copy: ``Bolt.001``, ``Basic Wall:143410``, ``IfcMember (2)``."""
_TWICE = re.compile(r"(:[^:]+)\1$")
"""Revit says a type that is named like its family's size twice: ``Cabinet:800 mm:800 mm``."""
_NUMBER = re.compile(r"[\s._:#-]+\d+$")
"""What people add: ``Wall-3``, ``Pump 12``."""


def families(names: Sequence[str]) -> list[str]:
    """Returns the family of each object: its name without the number of the instance.

    A number that several objects share is a size, not a number of instances: three objects ``Pipe DN 50`` are a family
    of that name, ``Wall-1`` and ``Wall-2`` are both of the family ``Wall``.

    Args:
        names: of all objects of the scene, since a name alone does not tell what its number means.

    Raises:
        UnsupportedOption: they are no texts.

    Example:
        >>> import meshclash as mc
        >>> mc.clash.families(["Bolt.001", "Bolt.002", "Plate"])
        ['Bolt', 'Bolt', 'Plate']
    """
    names = several("names", names, str)
    stems = [_TWICE.sub(r"\1", _COPY.sub("", name) or name) for name in names]
    shared = Counter(stems)
    return [stem if shared[stem] > 1 else _NUMBER.sub("", stem) or stem for stem in stems]
