"""Paths in files that are sent to others: they do not say where a disk keeps a project."""

from __future__ import annotations

import ntpath
import os
import re
from collections.abc import Iterable
from pathlib import Path

FOLDERS = re.compile(r"(?<![\w./])(?:~?(?:/[^\s/:'\"]+)+/|[A-Za-z]:\\(?:[^\\\s:'\"]+\\)+)")
"""The folders of a path in a sentence."""


def sent_path(path: str) -> str:
    """Return the path of a file from the working folder, with "/"; only the name of a file that lies elsewhere.

    The working folder of a check in a repository is the repository, so that SARIF still finds the file.
    """
    if not path:
        return ""
    try:
        found = Path(os.path.relpath(path))
    except ValueError:  # another drive of Windows
        return ntpath.basename(path)
    inside = found.parts[:1] != (os.pardir,) and not ntpath.splitdrive(found)[0]
    return found.as_posix() if inside else ntpath.basename(path)


def without_folders(sentence: str, paths: Iterable[str]) -> str:
    """Return a sentence without the folders of the paths, and of any other absolute path that it names."""
    folders = {path[: -len(name)] for path in paths if (name := ntpath.basename(path)) and name != path}
    for folder in sorted(folders - {"/"}, key=len, reverse=True):
        sentence = sentence.replace(folder, "")
    return FOLDERS.sub("", sentence)
