"""Shorten names that are too long for their column, and keep the parts that distinguish them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache

CUT = "…"
ROUNDS = 3
DECIMAL = r"(?<![\w.])\d+\.\d+(?![\w.])"
WORDS = re.compile(rf"{DECIMAL}|\d+|[^\W\d_]+|[\W_]+")  # numbers, words, and characters between them
UNCUT = re.compile(rf"{DECIMAL}|[^\W_]+|[\W_]+")  # the same, where "M8" is a word


def commonness(names: Iterable[str]) -> Counter[str]:
    """Return in how many names each word occurs: common words do not distinguish names."""
    return Counter(word for name in set(names) for word in set(WORDS.findall(name)))


def shorten(
    name: str, room: float, width: Callable[[str], float], common: Counter[str], sought: Sequence[str] = ()
) -> str:
    """Return the name, shortened to fit.

    The most common words are removed first, and among equally common words those in the middle; words of the search
    text are removed last. A name of one long word keeps its beginning and its end.

    Args:
        name: the name.
        room: largest width.
        width: function that returns the width of a text, in the same unit.
        common: `commonness` of the names that are shown together.
        sought: texts that the user searched for, in either case.
    """
    if width(name) <= room:
        return name
    words, found = _words(name, sought)
    kept = [True] * len(words)
    middle = 0.5 * (len(words) - 1)
    telling = [index for index, word in enumerate(words) if word[0].isalnum() or index in found]
    order = sorted(telling, key=lambda index: (index in found, -common[words[index]], abs(index - middle)))
    for index in order[:-1]:
        kept[index] = False
        text = _joined(words, kept, found)
        if width(text) <= room:
            return _begun(name, text, room, width)
    if found:  # ignores punctuation around the last word
        last = order[-1]
        alone = CUT * (last > 0) + words[last] + CUT * (last + 1 < len(words))
        if width(alone) <= room:
            return alone
    return cut_in_the_middle(_joined(words, kept, found) if order else name, room, width)


def whole_words(text: str, room: float, width: Callable[[str], float]) -> str:
    """Shorten a text to whole words and numbers from its beginning and its end; words are never cut."""
    if width(text) <= room:
        return text
    words = UNCUT.findall(text)
    places = [k for k, word in enumerate(words) if word[0].isalnum()]
    for count in range(len(places) - 1, 0, -1):
        for last in (count // 2, 0) if count > 1 else (0, 1):
            first = count - last
            head = "".join(words[: places[first - 1] + 1]) if first else ""
            tail = "".join(words[places[len(places) - last] :]) if last else ""
            if width(head + CUT + tail) <= room:
                return head + CUT + tail
    return CUT


def told_apart(
    names: Iterable[str], room: float, width: Callable[[str], float], sought: Sequence[str] = ()
) -> dict[str, str]:
    """Shorten names to fit, so that different names stay different if there is enough room.

    Names that would become equal are shortened again to the parts that differ. Texts that were searched for are dropped
    if they leave no room to distinguish names.

    Args:
        names: names that are shown together.
        room, width, sought: as for `shorten`.
    """
    width = cache(width)
    different = sorted(set(names))
    common = commonness(different)
    texts = {name: shorten(name, room, width, common, sought) for name in different}
    for _ in range(ROUNDS):
        for group in _alike(texts):
            common = commonness(group)
            texts.update({name: shorten(name, room, width, common, sought) for name in group})
    for _ in range(ROUNDS):
        for group in _alike(texts):
            places = enumerate(zip(*group, strict=False))
            end = max(map(len, group))
            start = next((at for at, letters in places if len({*letters}) > 1), end)
            ways = [{name: _around(name, at, room, width, sought) for name in group} for at in (start, end)]
            counts = [len({*way.values()}) for way in ways]
            texts.update(ways[counts.index(max(counts))])
    alike = [name for group in _alike(texts) for name in group] if sought else []
    texts.update(told_apart(alike, room, width) if alike else {})
    return told_apart(different, room, width) if alike and _alike(texts) else texts


def _alike(texts: dict[str, str]) -> list[list[str]]:
    """Return groups of names that were shortened to the same text."""
    groups: dict[str, list[str]] = {}
    for name, text in texts.items():
        groups.setdefault(text, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _around(name: str, start: int, room: float, width: Callable[[str], float], sought: Sequence[str]) -> str:
    """Return the part of a name after a position: the searched texts in it, and as much text between them as fits."""
    start = min(start, len(name) - 1)
    ends = (_end_of(name, text) for text in sought)
    found = max((end for end in ends if 0 < end[1] <= start), default=(0, 0))
    for low, high in dict.fromkeys((found, (0, 0))):
        head, first, last = _part(name, low, high) if high else "", start, len(name)

        def text(first: int, last: int, head: str = head, high: int = high) -> str:
            return head.removesuffix(CUT) + (CUT if first > high else "") + name[first:last] + CUT * (last < len(name))

        while last > first + 1 and width(text(first, last)) > room:
            last -= 1
        if width(text(first, last)) > room:
            continue
        while first > high and width(text(first - 1, last)) <= room:
            first -= 1
        return text(first, last)
    return cut_in_the_middle(name[start:], room, width)


def _end_of(name: str, text: str) -> tuple[int, int]:
    """Return the position of a text in a name, ignoring case; (0, 0) if the name does not contain the text."""
    match = re.search(re.escape(text), name, re.IGNORECASE) if text else None
    return match.span() if match else (0, 0)


def _part(name: str, start: int, end: int) -> str:
    return (CUT if start else "") + name[start:end] + (CUT if end < len(name) else "")


def _words(name: str, sought: Sequence[str]) -> tuple[list[str], set[int]]:
    """Return the words of a name, with searched texts as separate words, and the indices of the searched texts."""
    words: list[str] = []
    found: set[int] = set()
    texts = "|".join(re.escape(text) for text in sorted(sought, key=len, reverse=True) if text)
    for index, part in enumerate(re.split(f"({texts})", name, flags=re.IGNORECASE) if texts else [name]):
        if index % 2:
            found.add(len(words))
            words.append(part)
        else:
            words += WORDS.findall(part)
    return words, found


def _begun(name: str, text: str, room: float, width: Callable[[str], float]) -> str:
    """Extend a shortened name by as much of the name's beginning as fits."""
    if not text.startswith(CUT):
        return text
    most = name.find(text.split(CUT)[1])  # where the first kept part begins
    fitting = (length for length in range(most, 0, -1) if width(name[:length].rstrip() + text) <= room)
    return name[: next(fitting, 0)].rstrip() + text


def cut_in_the_middle(text: str, room: float, width: Callable[[str], float]) -> str:
    """Return as much of the beginning and the end as fits, at least the ellipsis."""
    if width(text) <= room:
        return text
    longest, too_long = 0, len(text)
    while too_long - longest > 1:
        length = (longest + too_long) // 2
        if width(_ends(text, length)) <= room:
            longest = length
        else:
            too_long = length
    return _ends(text, longest)


def _ends(text: str, length: int) -> str:
    """Return ``length`` letters of a text, from its beginning and its end."""
    text, tail = text.strip(CUT), length // 2
    return text[: length - tail] + CUT + (text[-tail:] if tail else "")


def _joined(words: list[str], kept: list[bool], found: set[int]) -> str:
    """Join the kept words, with an ellipsis for each gap."""
    parts: list[str] = []
    for index, word in enumerate(words):
        beside = [kept[other] for other in (index - 1, index + 1) if 0 <= other < len(words)]
        if kept[index] and (word[0].isalnum() or index in found or all(beside)):
            parts.append(word)
        elif not parts or parts[-1] != CUT:
            parts.append(CUT)
    return "".join(parts)
