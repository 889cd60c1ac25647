"""``penetration`` of two convex solids: the nearest facet of the polytope of differences, all poses in one call."""

from collections.abc import Generator

from ...convex.convexity import convex_points
from ...convex.expanding_polytope import APART, OPEN
from ...convex.hull_separation import part_each
from ...hierarchy.build import as_boxes
from ...types.pose import pose_of
from ...types.steps import UNANSWERED, Unanswered
from ..results import Penetration, no_penetration, no_start, penetration_of_row, stacked_penetrations
from ..shortcuts.prepared_penetration import known_pairs
from ..table import Request
from .penetration_mesh_mesh import penetration_of_pose


def solve(asked: Request) -> Generator[float, None, Penetration | Unanswered]:
    """The translation for each pose; ``UNANSWERED`` where a mesh is no convex solid."""
    trees, start = (as_boxes(asked.things[0]), as_boxes(asked.things[1])), asked.options.start
    a, b = (convex_points(tree.mesh) for tree in trees)
    if a is None or b is None:
        return UNANSWERED
    if not isinstance(start, Penetration | None):
        raise no_start("penetration", start)
    yield 0.0
    rows_a, rows_b = asked.every_row
    parted = part_each(a, b, rows_a, rows_b, known_pairs(start, a, b))
    columns = [parted.lengths, parted.directions, parted.lower, parted.points[:, 0], parted.points[:, 1]]
    found = []
    for k, told in enumerate(parted.told.tolist()):
        if told == OPEN:
            yield k / len(rows_a)
            found.append(penetration_of_pose(trees, pose_of(rows_a[k]), pose_of(rows_b[k]), None))
        elif told == APART:
            found.append(no_penetration(parted.pairs))
        else:
            found.append(penetration_of_row([column[k] for column in columns], None, parted.pairs))
    return stacked_penetrations(found) if asked.stacked else found[0]
