"""Names that users give, and what they may have meant."""

import difflib
from collections.abc import Iterable


def suggestion(name: str, names: Iterable[str]) -> str:
    """The end of a message about an unknown name: "; did you mean 'x'?", or "" where no name is similar."""
    close = difflib.get_close_matches(name, list(names), n=3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
