"""Convert URIs to file names, without ``urllib``, which also opens connections."""

import os
import re
from pathlib import Path

_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")


def unescaped_bytes(text: str) -> bytes:
    """Decode percent encoding such as "%20" to bytes (RFC 3986, section 2.1)."""
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), text.encode("utf-8", "surrogateescape"))


def unescaped(text: str) -> str:
    """Decode percent encoding to text; invalid UTF-8 becomes replacement characters."""
    return unescaped_bytes(text).decode("utf-8", "replace")


def path_of(uri: str) -> Path:
    """Return the path of a URI that begins with "file://" (RFC 8089); its host is ignored."""
    path = unescaped("/" + uri.partition("://")[2].partition("/")[2])
    return Path(path[1:] if os.name == "nt" and re.match(r"/[A-Za-z]:", path) else path)
