"""The nodes of a hierarchy, one after the other, in slices."""

from collections.abc import Callable, Generator

from ..types.results import Progress


def node_steps(
    advance: Callable[[int], int], total: int, low: float, high: float, text: str
) -> Generator[Progress, None, None]:
    """Go on from node to node by ``advance``, in slices."""
    done = 0
    while True:
        done = advance(done)
        yield Progress(low + (high - low) * done / total, text)
        if done >= total:
            return
