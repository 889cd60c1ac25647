"""Print lines to streams that may be closed, broken, full, or unable to encode a character."""

from __future__ import annotations

import contextlib
import errno
import os
import re
from typing import TextIO

GONE = (errno.EPIPE, errno.EBADF)  # the reader has left, or there never was one: nobody misses the lines

CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Control characters except line breaks and tabs."""


def printable(text: str) -> str:
    """Escape control characters and characters that cannot be printed, so that the text is one line.

    Names can come from untrusted files: an escape sequence in a name could change the terminal's title, hide lines or
    type commands.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def without_controls(text: str, escape: str = "\\x{:02x}") -> str:
    """Escape the control characters of a file's text, except line breaks and tabs, because terminals show files,
    too.
    """
    return CONTROLS.sub(lambda found: escape.format(ord(found[0])), text)


def say(stream: TextIO | None, *lines: str, end: str = "\n", raw_start: str = "") -> OSError | None:
    """Write lines, with characters escaped that the stream cannot encode; never raises.

    Args:
        stream: the stream; None if there is no stream.
        lines: to write.
        end: text after each line.
        raw_start: text before the first line, not escaped: for example a carriage return that overwrites the last line.

    Returns:
        Return the reason why the lines cannot be printed (for example a full disk), else None.
    """
    if stream is None:
        return None
    text = raw_start + "".join(printable(line) + end for line in lines)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError as error:
        give_up(stream)
        return None if error.errno in GONE else error
    except ValueError:  # the stream was closed by somebody else in this process
        return None
    return None


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether the stream is a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def give_up(stream: TextIO) -> None:
    """Redirect a stream that cannot be written to the null device, so that flushing it at exit raises no error."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)


def open_standard_streams() -> None:
    """Open the null device for each of the descriptors 0 to 2 that is closed.

    If the caller has closed these streams, the next opened file would get their numbers: then messages of other
    libraries would be written into the report.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, and that is this one
