r"""Rename data whose names are not UTF-8, which Blender's Python can neither read nor look up.

Some old exporters write such names.

`Brücke` in Latin-1 becomes `Br\xfccke`.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import bpy
from meshclash.clash.errors import InputError
from meshclash.messages import Sentence


def make_names_readable() -> list[str]:
    """Rename all data of the open file whose names are not UTF-8; only for sessions that do not save the file.

    Returns:
        The new names.

    Raises:
        InputError: such a name is in a library, where it cannot be changed.
    """
    data = bpy.data
    layers = chain.from_iterable(scene.view_layers for scene in data.scenes)
    renamed = map(_renamed, chain(data.objects, data.collections, data.scenes, layers))
    return [name for name in renamed if name is not None]


def _renamed(item: Any) -> str | None:
    """Return the new name of data, or None if the old name can be read."""
    try:
        item.name  # noqa: B018 - raises the error
    except UnicodeDecodeError as error:
        name = _readable(error.object)
        if getattr(item, "library", None) is not None:
            raise InputError(
                Sentence("the name '{name}' in a library is not UTF-8: rename it in the library's file", name=name)
            ) from error
        item.name = name
        return str(item.name)
    return None


def as_renamed(argument: str) -> str:
    """Convert an argument of the command line in the way `make_names_readable` converts names."""
    return _readable(argument.encode("utf-8", "surrogateescape"))


def _readable(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
