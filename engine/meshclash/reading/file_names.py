"""Short names that distinguish files. Does not import Numba."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath


def file_names(files: Sequence[PurePath]) -> list[str]:
    """Return the shortest names that distinguish files: "model", but "a/model" and "b/model" for two folders.

    The file extension is part of the name only if files differ only in their extension. A file that occurs twice has
    one name.
    """
    distinct = dict.fromkeys(files)
    alike = Counter((file.parent, file.stem) for file in distinct)
    last = {file: file.name if alike[file.parent, file.stem] > 1 else file.stem for file in distinct}
    parts = {file: (*file.parent.parts, name) for file, name in last.items()}
    names, depth, open_files = dict[PurePath, str](), 1, list(distinct)
    while open_files:
        found = {file: "/".join(parts[file][-depth:]) for file in open_files}
        shared = Counter(found.values())
        done = {file: name for file, name in found.items() if shared[name] == 1 or len(parts[file]) <= depth}
        names |= done
        open_files = [file for file in open_files if file not in done]
        depth += 1
    return [names[file] for file in files]
