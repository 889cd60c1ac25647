"""Plots of numbers as SVG, and a page of them: no library for drawing is needed."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

COLOURS = ("#1a6fb4", "#c4571a", "#2d8a4e", "#7a4aa0")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 460, 300, 58, 44, 14

Line = tuple[str, Sequence[float], Sequence[float]]


@dataclass
class Plot:
    """Lines over one axis; from our data, and of a paper."""

    title: str
    x: str
    y: str
    logarithmic: bool = False
    """Of x."""
    lines: list[Line] = field(default_factory=list)
    papers: list[Line] = field(default_factory=list)

    def add(self, name: str, x: Sequence[float], y: Sequence[float]) -> None:
        """Take a line of our data."""
        self.lines.append((name, x, y))

    def paper(self, name: str, x: Sequence[float], y: Sequence[float]) -> Plot:
        """Take a paper's numbers, which are drawn grey; returns the plot."""
        self.papers.append((name, x, y))
        return self

    def svg(self) -> str:
        """The drawing."""
        every = [*self.lines, *self.papers]
        low_x, high_x = (pick(self._along(x) for _, xs, _ in every for x in xs) for pick in (min, max))
        wide, high = WIDTH - LEFT - 20, HEIGHT - BOTTOM - TOP
        high_y = 1.05 * max(y for _, _, ys in every for y in ys) or 1.0

        def place(x: float, y: float) -> str:
            across = (self._along(x) - low_x) / ((high_x - low_x) or 1.0)
            return f"{LEFT + across * wide:.1f},{TOP + (1.0 - y / high_y) * high:.1f}"

        parts = [
            f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - 20}" height="{HEIGHT - BOTTOM - TOP}" class="frame"/>'
        ]
        for share in (0.0, 0.5, 1.0):
            y, x = share * high_y, low_x + share * (high_x - low_x)
            shown = 10.0**x if self.logarithmic else x
            across, up = place(shown, y).split(",")
            parts.append(f'<text x="{LEFT - 6}" y="{up}" class="end">{_told(y)}</text>')
            parts.append(f'<text x="{across}" y="{HEIGHT - BOTTOM + 15}" class="middle">{_told(shown)}</text>')
        for kind, lines in (("paper", self.papers), ("ours", self.lines)):
            for number, (_, xs, ys) in enumerate(lines):
                colour = "#999999" if kind == "paper" else COLOURS[number]
                points = [place(x, y) for x, y in zip(xs, ys, strict=True)]
                parts.append(f'<polyline points="{" ".join(points)}" stroke="{colour}"/>')
                parts += ['<circle cx="{}" cy="{}" r="2.5" fill="{}"/>'.format(*p.split(","), colour) for p in points]
        parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" class="middle">{html.escape(self.x)}</text>')
        parts.append(f'<text x="14" y="{HEIGHT / 2}" class="up">{html.escape(self.y)}</text>')
        return f'<svg width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'

    def _along(self, x: float) -> float:
        return math.log10(x) if self.logarithmic else x

    def legend(self) -> str:
        """What the colours mean."""
        ours = [(COLOURS[number], name) for number, (name, _, _) in enumerate(self.lines)]
        named = [*ours, *(("#999999", name) for name, _, _ in self.papers)]
        return " ".join(f'<span style="color:{colour}">&#9632; {html.escape(name)}</span>' for colour, name in named)


def _told(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100.0 else f"{value:.3g}"


def write_page(path: Path, title: str, plots: Sequence[Plot]) -> None:
    """Write all plots on one page."""
    style = (
        "body{font:14px sans-serif;margin:20px}figure{display:inline-block;width:470px;margin:8px;vertical-align:top}"
        "svg text{font:11px sans-serif}polyline{fill:none;stroke-width:1.6}.frame{fill:none;stroke:#ccc}"
        ".end{text-anchor:end}.middle{text-anchor:middle}.up{text-anchor:middle;transform:rotate(-90deg);"
        "transform-origin:14px 150px}figcaption{font-size:12px}"
    )
    figures = (
        f"<figure><b>{html.escape(plot.title)}</b>{plot.svg()}<figcaption>{plot.legend()}</figcaption></figure>"
        for plot in plots
    )
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{style}</style>'
    path.write_text(f"{head}<h1>{title}</h1>{''.join(figures)}</html>", encoding="utf-8")
