"""Process the nodes of a hierarchy in slices."""

from collections.abc import Callable, Generator

from ..types.results import Progress


def node_steps(
    advance: Callable[[int], int], total: int, low: float, high: float, text: str
) -> Generator[Progress, None, None]:
    """Process all nodes with ``advance``, in slices.

    ``advance`` receives the number of nodes processed so far, and returns the new number.
    """
    done = 0
    while True:
        done = advance(done)
        yield Progress(low + (high - low) * done / total, text)
        if done >= total:
            return
