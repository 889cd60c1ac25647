"""Engines made to stop everywhere: few steps in a call, outputs of few pairs, slices of no time."""

from meshclash.traversal import binary_engine, run, wide_engine


def limit(monkeypatch, steps=None, chunk=None, seconds=None):
    """Until the test ends, let engines stop after so many steps, pairs found, or seconds."""
    for engine in (binary_engine, wide_engine):
        if steps is not None:
            monkeypatch.setattr(engine, "STEPS", steps)
        if chunk is not None:
            monkeypatch.setattr(engine, "CHUNK", chunk)
    monkeypatch.setattr(wide_engine, "_spare", [])
    if seconds is not None:
        monkeypatch.setattr(run, "_SLICE_SECONDS", seconds)
