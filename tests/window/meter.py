"""How long Blender's main thread is held: by each call of the extension's operators, and between two beats of a timer.

The screen of the kit is drawn by software, so a picture alone holds the thread for a fifth of a second and more. The
gaps between beats contain that, the calls do not; a meter that runs while nothing is detected tells how much it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import bpy

BEAT = 0.005  # seconds


class StallMeter:
    """Measures from its making to `stop`.

    Args:
        modules: modules of the extension; the `invoke` and `modal` of their operators are timed.
        doing: says what they do, when one of them is called.

    Attributes:
        held: the longest processor time between two beats that our calls took, in seconds, by what they did.
        drawing: the longest that all else took, which is Blender's.
    """

    def __init__(self, *modules: ModuleType, doing: Callable[[], str] = str) -> None:
        self.calls: list[float] = []
        self.processor = 0.0
        self.gaps: list[float] = []
        self.held: dict[str, float] = {}
        self.drawing = 0.0
        self._doing, self._now = doing, dict[str, float]()
        self._beaten = time.thread_time()
        self.started = self._last = time.perf_counter()
        self._originals: list[tuple[type, str, Callable[..., Any]]] = []
        for module in modules:
            for operator in (item for item in vars(module).values() if isinstance(item, type)):
                if issubclass(operator, bpy.types.Operator) and operator.__module__ == module.__name__:
                    self._time_calls(operator)
        bpy.app.timers.register(self._beat)

    def stop(self) -> dict[str, float | int]:
        """Puts the operators back; gives seconds in all, and the longest call and gap in milliseconds."""
        for operator, name, original in self._originals:
            setattr(operator, name, original)
        self._originals.clear()
        self._note_gap()
        if bpy.app.timers.is_registered(self._beat):
            bpy.app.timers.unregister(self._beat)
        return {
            "seconds": round(time.perf_counter() - self.started, 2),
            "calls": len(self.calls),
            "seconds_in_calls": round(sum(self.calls), 2),
            "processor_seconds_in_calls": round(self.processor, 2),
            "longest_call_ms": round(1e3 * max(self.calls, default=0.0), 1),
            "calls_over_30_ms": sum(call > 0.03 for call in self.calls),
            "longest_gap_ms": round(1e3 * max(self.gaps, default=0.0), 1),
        }

    def _time_calls(self, operator: type) -> None:
        for name in ("invoke", "modal"):
            if name in vars(operator):
                original = vars(operator)[name]
                self._originals.append((operator, name, original))
                setattr(operator, name, self._timed(original))

    def _timed(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(operator: Any, context: Any, event: Any) -> Any:
            started, processor, doing = time.perf_counter(), time.thread_time(), self._doing()
            try:
                return original(operator, context, event)
            finally:
                spent = time.thread_time() - processor
                self.processor += spent
                doing = self._doing() or doing
                self._now[doing] = self._now.get(doing, 0.0) + spent
                self.calls.append(time.perf_counter() - started)

        return call

    def _beat(self) -> float:
        self._note_gap()
        return BEAT

    def _note_gap(self) -> None:
        now, processor = time.perf_counter(), time.thread_time()
        self.gaps.append(now - self._last)
        self._last = now
        for doing in self._now:
            self.held[doing] = max(self.held.get(doing, 0.0), sum(self._now.values()))
        self.drawing = max(self.drawing, processor - self._beaten - sum(self._now.values()))
        self._now.clear()
        self._beaten = processor
