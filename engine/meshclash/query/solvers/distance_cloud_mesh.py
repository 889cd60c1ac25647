"""``distance`` of a cloud and a mesh, or of two clouds."""

from collections.abc import Generator

from ...pointcloud.distance import CloudDistance, cloud_distance
from ...types.results import Progress
from ...types.steps import steps
from ..results import Distance, no_start
from ..table import Asked


def solve(asked: Asked) -> Generator[Progress, None, CloudDistance]:
    """The distance; an earlier one does not make it faster."""
    if not isinstance(asked.options.start, Distance | CloudDistance | None):
        raise no_start("distance", asked.options.start)
    poses = asked.every_row if asked.stacked else asked.poses
    return steps(cloud_distance, *asked.things, *poses)
