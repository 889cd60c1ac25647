"""Engines made to stop everywhere: few steps in a call, outputs of few pairs, slices of no time."""

from meshclash.continuous import moving_engine
from meshclash.traversal import binary_engine, wide_engine
from meshclash.types import slices as types_slices


def limit(monkeypatch, steps=None, chunk=None, seconds=None, shared=False):
    """Until the test ends, let engines stop after so many steps, pairs found, or seconds; share all work at once."""
    for engine in (binary_engine, wide_engine, moving_engine):
        if steps is not None:
            monkeypatch.setattr(engine, "STEPS", steps)
        if chunk is not None:
            monkeypatch.setattr(engine, "CHUNK", chunk)
    monkeypatch.setattr(wide_engine, "_spare", [])
    if shared:
        monkeypatch.setattr(wide_engine, "STEPS_ALONE", 1)
        monkeypatch.setattr(wide_engine, "CALLS_TO_COMPILE", 0)
    if seconds is not None:
        monkeypatch.setattr(types_slices, "SLICE_SECONDS", seconds)
