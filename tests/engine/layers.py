"""The rooms of the engine, their stages and what each imports: the data of ``test_layering.py`` and of the picture.

``python tests/engine/layers.py`` draws ``docs/images/architecture.svg`` anew.
"""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "engine" / "meshclash"
PICTURE = ROOT / "docs" / "images" / "architecture.svg"
SOURCES = sorted(ENGINE.rglob("*.py"))

ROOMS = {
    "runtime": (
        "lazy",
        "early_exit",
        "messages",
        "errors",
        "output",
        "kernels",
        "jit_pipeline",
        "jit",
        "compile_notice",
        "reference",
    ),
    "types": ("types",),
    "exact": ("geometry",),
    "files": ("files",),
    "trees": ("volumes", "hierarchy"),
    "search": ("broadphase", "traversal"),
    "engines": ("gpu", "answering"),
    "solids": ("solid",),
    "clouds": ("pointcloud",),
    "convex": ("convex",),
    "voxels": ("voxels",),
    "massive": ("massive",),
    "between frames": ("continuous",),
    "time-critical": ("timecritical",),
    "reading": ("reading",),
    "questions": ("query",),
    "manifold": ("manifold",),
    "motion": ("motion",),
    "scene": ("scene",),
    "lab": ("lab",),
    "clash": ("clash",),
    "compat": ("compat",),
}
"""The stages of each room, from the bottom up: a stage imports from those before it."""
SOLVERS = ("solids", "clouds", "convex", "voxels", "massive", "between frames", "time-critical")
"""Rooms that stand side by side: none imports another one."""
LAYERS = (*(stage for room in ROOMS.values() for stage in room), "clouds", "shapes", "warming", "")
"""All stages; the last are the package itself: its subjects, warm-up and command lines."""

_WIDTH, _FLOOR, _ROOM, _HEIGHT = 880, 52, 118, 30


def imported_modules(path: Path, typed: bool = True) -> list[tuple[int, str]]:
    """(level, dotted name) of every import of a file, also those inside functions; level 0 is absolute.

    Without ``typed`` those that only type checkers see are left out.
    """
    return list(_imports_in(path.read_text(encoding="utf-8"), typed))


@cache
def _imports_in(text: str, typed: bool) -> tuple[tuple[int, str], ...]:
    """The imports of a source, which most tests ask for again."""
    found: list[tuple[int, str]] = []

    def visit(node: ast.AST) -> None:
        if not typed and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            children = node.orelse
        else:
            children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            found.extend((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" if node.module else alias.name for alias in node.names]
            found.extend((node.level, name) for name in names)
        for child in children:
            visit(child)

    visit(ast.parse(text))
    return tuple(found)


PROGRAMS = ("__main__", "commands")
"""Modules above all stages."""


def layer_of(path: Path) -> str:
    parts = path.relative_to(ENGINE).with_suffix("").parts
    return "" if parts == ("__init__",) or parts[-1] in PROGRAMS else parts[0]


def target_layer(path: Path, level: int, name: str) -> str:
    """The stage that a relative import leads to."""
    here = path.relative_to(ENGINE).parts[:-1]
    first = ([*here[: len(here) - level + 1], *name.split(".")])[0]
    return "" if first in PROGRAMS else first


def room_of(stage: str) -> str:
    """The room of a stage; "" for the package itself."""
    return next((room for room, stages in ROOMS.items() if stage in stages), "")


@cache
def arrows(typed: bool = False) -> dict[str, tuple[str, ...]]:
    """Of each room the others that it imports at run time; with ``typed`` also those that only type checkers see."""
    found: dict[str, set[str]] = {room: set() for room in ROOMS}
    for path in SOURCES:
        own = room_of(layer_of(path))
        if own:
            imports = imported_modules(path, typed)
            found[own] |= {room_of(target_layer(path, level, name)) for level, name in imports if level} - {own}
    return {room: tuple(sorted(targets)) for room, targets in found.items()}


@cache
def below(room: str) -> frozenset[str]:
    """All rooms that a room needs, directly or not."""
    return frozenset(arrows()[room]).union(*(below(target) for target in arrows()[room]))


@cache
def floor(room: str) -> int:
    """0 for what imports no other room, else one above the highest that is imported."""
    return 1 + max((floor(target) for target in arrows()[room]), default=-1)


def shown_arrows() -> list[tuple[str, str]]:
    """Arrows that do not follow from others."""
    return [
        (room, target)
        for room, targets in arrows().items()
        for target in targets
        if not any(target in below(other) for other in targets)
    ]


def picture() -> str:
    """The rooms as boxes on floors, and the imports from which all others follow as arrows; SVG."""
    top = max(floor(room) for room in arrows())
    places = {}
    for level in range(top + 1):
        rooms = [room for room in arrows() if floor(room) == level]
        if level:  # above the middle of what it stands on
            rooms.sort(key=lambda room: sum(places[t][0] for t in arrows()[room]) / len(arrows()[room]))
        for k, room in enumerate(rooms):
            places[room] = (_WIDTH * (2 * k + 1) // (2 * len(rooms)), 30 + _FLOOR * (top - level))
    lines = []
    for room, target in shown_arrows():
        (x, y), (u, v) = places[room], places[target]
        ends = f'x1="{x}" y1="{y + _HEIGHT // 2}" x2="{u}" y2="{v - _HEIGHT // 2}"'
        lines.append(f'<line {ends} marker-end="url(#head)"/>')
    boxes = []
    for room, (x, y) in places.items():
        boxes.append(
            f'<rect x="{x - _ROOM // 2}" y="{y - _HEIGHT // 2}" width="{_ROOM}" height="{_HEIGHT}" rx="5"/>'
            f'<text x="{x}" y="{y + 5}" fill="#123" stroke="none">{room}</text>'
        )
    height = _FLOOR * (top + 1) + 10
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif"'
        ' font-size="15">',
        '<defs><marker id="head" markerWidth="7" markerHeight="7" refX="6" refY="3" orient="auto">'
        '<path d="M0,0 L7,3 L0,6 Z" fill="#667"/></marker></defs>',
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        '<g stroke="#99a" stroke-width="1.3">',
        *lines,
        "</g>",
        '<g fill="#eef3fb" stroke="#35588a" text-anchor="middle">',
        *boxes,
        "</g>",
        "</svg>",
        "",
    ])  # fmt: skip


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
    floors, count = 1 + max(map(floor, arrows())), sum(map(len, arrows().values()))
    print(f"{len(arrows())} rooms on {floors} floors, {count} arrows")
