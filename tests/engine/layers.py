"""The stages of the engine and what each imports: the data of ``test_layering.py`` and of the picture.

``python tests/engine/layers.py`` draws ``docs/images/architecture.svg`` anew.
"""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "engine" / "meshclash"
PICTURE = ROOT / "docs" / "images" / "architecture.svg"
SOURCES = sorted(ENGINE.rglob("*.py"))

LAYERS = (
    "lazy", "errors", "output", "kernels", "jit_pipeline", "jit", "compiling", "reference", "types", "geometry",
    "volumes", "hierarchy", "traversal", "gpu", "broadphase", "answering", "solid", "pointcloud", "convex",
    "voxels", "massive", "reading", "query", "continuous", "manifold", "motion", "timecritical", "scene", "warming",
    "review", "detection", "clouds", "shapes", "lab", "",
)  # fmt: skip
"""From the bottom up: each imports from its own and from those before it. The last is the package itself, with
its command lines."""

_WIDTH, _FLOOR, _ROOM, _HEIGHT = 880, 52, 118, 30


def imported_modules(path: Path, typed: bool = True) -> list[tuple[int, str]]:
    """(level, dotted name) of every import of a file, also those inside functions; level 0 is absolute.

    Without ``typed`` those that only type checkers see are left out.
    """
    found = []

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

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return found


def layer_of(path: Path) -> str:
    parts = path.relative_to(ENGINE).with_suffix("").parts
    return "" if parts == ("__init__",) or parts[-1] == "__main__" else parts[0]


def target_layer(path: Path, level: int, name: str) -> str:
    """The stage that a relative import leads to."""
    here = path.relative_to(ENGINE).parts[:-1]
    return ([*here[: len(here) - level + 1], *name.split(".")])[0]


@cache
def arrows() -> dict[str, tuple[str, ...]]:
    """Of each stage but the package itself the other stages that it imports at run time."""
    found: dict[str, set[str]] = {layer: set() for layer in LAYERS if layer}
    for path in SOURCES:
        own = layer_of(path)
        if own:
            targets = {target_layer(path, level, name) for level, name in imported_modules(path, False) if level}
            found[own] |= targets - {own}
    return {layer: tuple(sorted(targets)) for layer, targets in found.items()}


@cache
def below(layer: str) -> frozenset[str]:
    """All stages that a stage needs, directly or not."""
    return frozenset(arrows()[layer]).union(*(below(target) for target in arrows()[layer]))


@cache
def floor(layer: str) -> int:
    """0 for what imports no stage, else one above the highest stage that is imported."""
    return 1 + max((floor(target) for target in arrows()[layer]), default=-1)


def shown_arrows() -> list[tuple[str, str]]:
    """Arrows that do not follow from others."""
    return [
        (layer, target)
        for layer, targets in arrows().items()
        for target in targets
        if not any(target in below(other) for other in targets)
    ]


def picture() -> str:
    """The stages as boxes on floors, and the imports from which all others follow as arrows; SVG."""
    top = max(floor(layer) for layer in arrows())
    places = {}
    for level in range(top + 1):
        rooms = [layer for layer in arrows() if floor(layer) == level]
        if level:  # above the middle of what it stands on
            rooms.sort(key=lambda layer: sum(places[t][0] for t in arrows()[layer]) / len(arrows()[layer]))
        for k, layer in enumerate(rooms):
            places[layer] = (_WIDTH * (2 * k + 1) // (2 * len(rooms)), 30 + _FLOOR * (top - level))
    lines = []
    for layer, target in shown_arrows():
        (x, y), (u, v) = places[layer], places[target]
        ends = f'x1="{x}" y1="{y + _HEIGHT // 2}" x2="{u}" y2="{v - _HEIGHT // 2}"'
        lines.append(f'<line {ends} marker-end="url(#head)"/>')
    boxes = []
    for layer, (x, y) in places.items():
        boxes.append(
            f'<rect x="{x - _ROOM // 2}" y="{y - _HEIGHT // 2}" width="{_ROOM}" height="{_HEIGHT}" rx="5"/>'
            f'<text x="{x}" y="{y + 5}" fill="#123" stroke="none">{layer}</text>'
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
    print(f"{len(arrows())} stages on {floors} floors, {count} arrows")
