"""What happens when a property changes: properties tell it, and modules that know more say what to do.

Properties are below everything that shows them, so they cannot import it.
"""

from collections.abc import Callable
from typing import Literal

import bpy

Event = Literal["pair chosen", "view left", "list asked", "page turned", "event chosen", "groups asked", "group chosen"]
Reaction = Callable[[bpy.types.Context], None]

_reactions: dict[Event, Reaction] = {}


def on(event: Event) -> Callable[[Reaction], Reaction]:
    """Marks the function that an event calls; there is one for each."""

    def mark(reaction: Reaction) -> Reaction:
        _reactions[event] = reaction
        return reaction

    return mark


def tell(event: Event, context: bpy.types.Context) -> None:
    """Calls what the event is marked for."""
    _reactions[event](context)
