"""``distance`` of a cloud and a mesh, or of two clouds."""

import math
from collections.abc import Generator

from ...errors import UnsupportedOption
from ...pointcloud.cloud_distance import CloudDistance, cloud_distance
from ...types.results import Progress
from ...types.steps import steps
from ..results import Distance, no_start
from ..table import Request


def solve(asked: Request) -> Generator[Progress, None, CloudDistance]:
    """The distance; an earlier one does not make it faster. Raises UnsupportedOption for limits."""
    if asked.options.upper_limit < math.inf or asked.options.lower_limit > 0.0:
        raise UnsupportedOption("distances of point clouds have no limits: leave upper_limit and lower_limit out")
    if not isinstance(asked.options.start, Distance | CloudDistance | None):
        raise no_start("distance", asked.options.start)
    poses = asked.every_row if asked.stacked else asked.poses
    return steps(cloud_distance, *asked.things, *poses)
