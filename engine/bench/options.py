"""Command line options that benches share: lists of sizes, of names out of a table, and lengths."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Container, Iterable

EXAMPLE = "200,5k,69k,250k,1M"


def parse_sizes(text: str) -> list[int]:
    """Numbers of triangles, such as ``EXAMPLE``."""
    scales = {"k": 1_000, "M": 1_000_000}
    try:
        return [round(float(part.rstrip("kM")) * scales.get(part[-1:], 1)) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of sizes such as {EXAMPLE}") from None


def short_size(size: int) -> str:
    """A number of triangles as ``parse_sizes`` reads it."""
    return f"{size / 1e6:.3g}M" if size >= 1_000_000 else f"{size / 1e3:.3g}k" if size >= 1000 else str(size)


def among(known: Container[str] | Iterable[str]) -> Callable[[str], list[str]]:
    """A parser of lists of names that are keys of a table."""

    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(sorted(known))}")
        return names

    return parse
