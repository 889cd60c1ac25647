"""Callbacks for changed properties: properties announce an event, and other modules register functions for it.

Modules that show properties import them, so properties cannot import these modules.
"""

from collections.abc import Callable
from typing import Literal

import bpy

Event = Literal["pair chosen", "view left", "list asked", "page turned", "event chosen", "groups asked", "group chosen"]
Reaction = Callable[[bpy.types.Context], None]

_reactions: dict[Event, Reaction] = {}


def on(event: Event) -> Callable[[Reaction], Reaction]:
    """Register the function that an event calls; each event has one function."""

    def mark(reaction: Reaction) -> Reaction:
        _reactions[event] = reaction
        return reaction

    return mark


def tell(event: Event, context: bpy.types.Context) -> None:
    """Call the function of an event."""
    _reactions[event](context)
