r"""Names that are not UTF-8: old exporters write them, and Blender's Python can neither read nor look up such a name.

`Brücke` in Latin-1 becomes `Br\xfccke`.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import bpy
from meshclash.clash.errors import InputError
from meshclash.messages import Sentence


def make_names_readable() -> list[str]:
    """Renames, in the open file, what has such a name; for sessions whose file is not saved.

    Returns:
        The new names.

    Raises:
        InputError: one is in a library, where it cannot be renamed.
    """
    data = bpy.data
    layers = chain.from_iterable(scene.view_layers for scene in data.scenes)
    renamed = map(_renamed, chain(data.objects, data.collections, data.scenes, layers))
    return [name for name in renamed if name is not None]


def _renamed(item: Any) -> str | None:
    """The new name, None where the old one can be read."""
    try:
        item.name  # noqa: B018 - the error is what is asked for
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
    """An argument of the command line as `make_names_readable` writes such names."""
    return _readable(argument.encode("utf-8", "surrogateescape"))


def _readable(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
