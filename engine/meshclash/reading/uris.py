"""Names of files in URIs, without the standard library's module for it, which also opens connections."""

import os
import re
from pathlib import Path

_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")


def unescaped_bytes(text: str) -> bytes:
    """The bytes of a text in which "%20" stands for a blank (RFC 3986, section 2.1)."""
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), text.encode("utf-8", "surrogateescape"))


def unescaped(text: str) -> str:
    """The same as text; bytes that are no UTF-8 become replacement characters."""
    return unescaped_bytes(text).decode("utf-8", "replace")


def path_of(uri: str) -> Path:
    """The file of a URI that begins with "file://" (RFC 8089); its host is passed over."""
    path = unescaped("/" + uri.partition("://")[2].partition("/")[2])
    return Path(path[1:] if os.name == "nt" and re.match(r"/[A-Za-z]:", path) else path)
