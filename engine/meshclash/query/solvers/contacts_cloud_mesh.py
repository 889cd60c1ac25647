"""``collide`` of a cloud and a mesh, or of two clouds: points on both surfaces."""

from collections.abc import Generator

from ...pointcloud.cloud_contacts import CloudContacts
from ...pointcloud.query import common_points_steps
from ...types.results import Progress
from ..table import Request


def solve(asked: Request) -> Generator[Progress, None, CloudContacts]:
    """All regions in which the surfaces meet."""
    return common_points_steps(*asked.things, *asked.every_row, first_only=False)
