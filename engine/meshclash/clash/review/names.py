"""Families of objects: kinds of parts, recognised by their names."""

import re
from collections import defaultdict
from collections.abc import Sequence

from ...errors import UnsupportedOption
from ...types.arguments import several

_INSTANCE = re.compile(r"[^/]*/(.+)\[[\d.-]+\]'*", re.DOTALL)
"""Pattern of the name of an instance: ``Instancer/Object[position]``."""
_GUID = re.compile(
    r"[({\[]?(?:\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"  # a UUID
    r"|(?<![\w$])(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[0-3][\w$]{21}(?![\w$])"  # an IFC GlobalId
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b)[)}\]]?"  # other keys
)
_SEPARATORS = re.compile(r"[\s._:#-]*([\s._:#-])[\s._:#-]*")
_COPY = re.compile(r"(?:\.\d{3,}|:\d{4,}| \(\d+\))+$")
"""Suffixes that modelling programs add to the name of a copy: ``Bolt.001``, ``Basic Wall:143410``, ``IfcMember (2)``.
"""
_TWICE = re.compile(r"(:[^:]+)\1$")
"""Revit repeats the name of a type that has the same name as the size of its family: ``Cabinet:800 mm:800 mm``."""
_NUMBER = re.compile(r"[\s._:#-]+\d+$")
"""Numbers that people add to names: ``Wall-3``, ``Pump 12``."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_GENERIC = frozenset((
    "assembly", "body", "brep", "cell", "collection", "component", "copy", "cube", "default", "element", "entity",
    "face", "faces", "faceset", "geom", "geometry", "group", "imported", "instance", "item", "layer", "line",
    "material", "mesh", "model", "name", "node", "none", "null", "obj", "object", "part", "polygon", "polymesh", "prim",
    "primitive", "product", "region", "root", "scene", "shape", "shell", "solid", "sub", "submesh", "surface",
    "tessellation", "triangle", "unnamed", "untitled", "volume", "world",
))  # fmt: skip
"""Words that programs, not people, put into names: they do not distinguish kinds of parts."""


def families(names: Sequence[str], shapes: Sequence[str] | None = None) -> list[str]:
    """Return the family of each object, which is its name without keys and without the number of the instance.

    If several objects have the same number in their names, the number counts as a size and belongs to the family. Three
    objects named ``Pipe DN 50`` therefore form the family ``Pipe DN 50``, while ``Wall-1`` and ``Wall-2`` both belong
    to the family ``Wall``. Objects with the same shape count as one object.

    Args:
        names: names of all objects of the scene, because the meaning of a number in a name depends on the other names.
        shapes: identifier of each object's shape; equal for copies and instances, "" if unknown.

    Raises:
        UnsupportedOption: a name or shape is not a string, or the numbers of names and shapes differ.

    Example:
        >>> import meshclash as mc
        >>> mc.clash.families(["Bolt.001", "Bolt.002", "Plate"])
        ['Bolt', 'Bolt', 'Plate']
    """
    names = several("names", names, str)
    shapes = [""] * len(names) if shapes is None else several("shapes", shapes, str)
    if len(shapes) != len(names):
        raise UnsupportedOption(f"{len(names)} names need as many shapes, not {len(shapes)}")
    stems, sharing = [], defaultdict[str, set[object]](set)
    for k, (name, shape) in enumerate(zip(names, shapes, strict=True)):
        instance = _INSTANCE.fullmatch(name)
        own = _without_keys(instance[1] if instance else name)
        stems.append(_TWICE.sub(r"\1", _COPY.sub("", own) or own))
        sharing[stems[-1]].add(shape or (instance[1] if instance else k))
    return [
        stem if len(sharing[stem]) > 1 or _GUID.fullmatch(stem) else _NUMBER.sub("", stem) or stem for stem in stems
    ]


def is_telling(family: str) -> bool:
    """Return whether a family name was chosen by people: ``Bolt`` names a kind of part, ``mesh_12`` does not."""
    return any(word not in _GENERIC for word in _WORD.findall(family.casefold()))


def _without_keys(name: str) -> str:
    """Return a name without GUIDs and other keys; the unchanged name if the rest is empty."""
    found, count = _GUID.subn("", name)
    return (_SEPARATORS.sub(r"\1", found).strip(" ._:#-") or name) if count else name
