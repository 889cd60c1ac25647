"""The query to the engine about one frame, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..engine_scene import EngineScene
from ..rules import KeepMask

RESOLUTION = "resolution"  # the engine's word

if TYPE_CHECKING:
    from ..options import DetectOptions


@dataclass(frozen=True)
class DetectQuestion:
    """The question to the engine about one frame.

    Attributes:
        engine: the meshclash module.
        world: the engine's scene, and the source of its objects.
        options: lengths in metres.
        metres_per_unit: length of a scene unit in metres.
        set_a, set_b: engine ids of the two sets.
        keep: function that selects the pairs of ids that the exclusion rules permit, or None.
        device: the device that the engine may use, as the argument of `Scene.contacts`.
    """

    engine: ModuleType
    world: EngineScene
    options: DetectOptions
    metres_per_unit: float
    set_a: list[int]
    set_b: list[int]
    keep: KeepMask | None
    device: str = "cpu"

    def units(self, metres: float) -> float:
        """Convert a length to scene units, in which the engine computes."""
        return metres / self.metres_per_unit

    @property
    def permitted_overlap(self) -> float | str:
        """The permitted overlap as the engine expects it: in scene units, or by the resolution of each pair."""
        permitted = self.options.permitted_overlap
        return RESOLUTION if isinstance(permitted, str) else self.units(permitted)


@dataclass(frozen=True)
class DetectAnswer:
    """The engine's result for one frame.

    Attributes:
        stats: the engine's `QueryStats`.
        timings: seconds by stage.
        left_out: number of pairs that are not listed.
        beyond: lower bound of the distance of these pairs, scene units; None if no pair is left out.
    """

    stats: Any
    timings: dict[str, float]
    left_out: int = 0
    beyond: float | None = None
