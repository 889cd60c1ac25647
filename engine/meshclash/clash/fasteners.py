"""Recognise fasteners: by their names and classes, and screws also by their shape.

The option *Ignore Fasteners* leaves them out of a test. Nothing else does, and a report names each of them.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..messages import Sentence
from .frame_scene import FrameScene, Progress, Skipped, SourceMesh, SourceObject

BY_NAME, BY_CLASS, BY_SHAPE = REASONS = (
    "fastener, recognised by its name", "fastener, recognised by its class", "screw, recognised by its shape",
)  # fmt: skip
CLASSES = ("IfcFastener", "IfcMechanicalFastener")
AT_ONCE = 64
"""Objects that are looked at in one step."""

_ISO = """
1207 1234 1479 1481 1482 1483 1580 2009 2010 2338 2339 2340 2341 2342 2702 2936 3266 4014 4015 4016 4017 4018 4026 4027
4028 4029 4032 4033 4034 4035 4036 4161 4162 4762 4766 4775 7040 7041 7042 7043 7044 7045 7046 7047 7048 7049 7050 7051
7053 7089 7090 7091 7092 7093 7094 7379 7380 7411 7412 7413 7414 7415 7416 7417 7434 7435 7436 7719 7720 8673 8674 8675
8676 8734 8735 8738 8739 8740 8741 8742 8743 8744 8745 8746 8747 8748 8749 8750 8751 8752 8765 10509 10510 10511 10512
10513 10642 10644 10663 10669 10673 12125 12126 12474 13337 14579 14580 14581 14582 14583 14584 14585 14586 14587 15071
15072 15480 15481 15482 15483 15971 15972 15973 15974 15975 15976 15977 15978 15979 15980 15981 15982 15983 15984 16582
16583 16584 16585 21269 21670 23429
"""
_DIN = """
1 7 84 85 93 94 95 96 97 124 125 126 127 128 137 186 188 253 258 261 315 316 404 417 427 431 432 433 434 435 436 438
439 440 443 444 462 463 464 465 466 467 471 472 478 479 480 525 526 529 546 547 548 551 553 555 557 558 561 564 571 580
582 601 602 603 604 605 607 608 609 610 653 660 661 662 674 675 703 705 710 835 906 908 909 910 911 912 913 914 915 916
917 920 921 922 923 924 925 926 927 928 929 930 931 932 933 934 935 936 937 938 939 940 949 960 961 962 963 964 965 966
967 968 969 970 971 972 973 974 975 976 977 978 979 980 981 982 983 984 985 986 987 988 1440 1441 1443 1444 1445 1470
1471 1472 1473 1474 1475 1476 1477 1479 1480 1481 1587 1804 1816 2093 6319 6325 6330 6331 6334 6340 6379 6796 6797 6798
6799 6900 6901 6902 6903 6904 6905 6906 6907 6908 6912 6914 6915 6916 6917 6918 6921 6922 6923 6924 6925 6926 6927 7337
7338 7340 7341 7343 7344 7346 7349 7500 7504 7513 7516 7964 7965 7967 7968 7969 7971 7972 7973 7976 7978 7979 7980 7981
7982 7983 7984 7985 7989 7990 7991 7993 7995 7996 7997 7999 9021 9045 11024 15237 18182 25201 34800 34801 34802 34803
34804 34805 34806 34807 34808 34809 34810 34811 34812 34813 34814 34815 34816 34817 34818 34819 34820
"""
_STANDARDS = {name: frozenset(map(int, numbers.split())) for name, numbers in (("iso", _ISO), ("din", _DIN))}
"""Numbers of the standards of screws, bolts, studs, nuts, washers, rings, pins and rivets; others, as of pipes and
beams, are none.
"""
_STANDARD = re.compile(r"(?<![a-z])((?:(?:iso|din|en)[\s_.-]*)+)(\d{1,5})(?!\d)", re.IGNORECASE)
_THREAD = re.compile(r"(?<![a-z0-9])M\d{1,2}(?:[.,]\d)?\s*[x×]\s*\d", re.IGNORECASE)
"""A thread with a length: ``M8x30``."""
_WORD = re.compile(r"[^\W\d_]?[^\W\d_A-ZÄÖÜ]+|[A-ZÄÖÜ]+(?![^\W\d_A-ZÄÖÜ])")
_ENDS = (
    "bolt", "bolts", "screw", "screws", "washer", "washers", "rivet", "rivets",
    "schraube", "schrauben", "mutter", "muttern", "unterlegscheibe", "unterlegscheiben", "federring", "bolzen",
    "niet", "niete", "nieten", "gewindestift", "gewindestifte", "splint", "splinte",
)  # fmt: skip
_WHOLE = frozenset((
    "nut", "nuts", "locknut", "hexnut", "wingnut", "capnut", "jamnut", "studbolt",
))  # fmt: skip
_OTHER_WORDS = frozenset((
    "leadscrew", "ballscrew", "corkscrew", "thunderbolt", "deadbolt", "dishwasher", "schiffsschraube", "luftschraube",
    "förderschraube", "perlmutter", "großmutter", "grossmutter",
))  # fmt: skip
_AFTER = {"screw": ("lead", "ball", "power", "feed", "archimedes"), "nut": ("lead", "ball"),
          "washer": ("dish", "pressure", "parts", "window", "windshield", "screen")}  # fmt: skip
"""Words before these make other things of them: a lead screw is no fastener."""
_HEADS = frozenset((
    "action", "block", "boss", "box", "bracket", "cap", "circle", "compressor", "conveyor", "cover", "cracker",
    "cutter", "driver", "dryer", "extractor", "feeder", "fluid", "guide", "gun", "hole", "holes", "holder", "housing",
    "jack", "machine", "motor", "nozzle", "pattern", "plate", "press", "pump", "rack", "runner", "seat", "shaft",
    "tank", "terminal", "tower", "tray",
))  # fmt: skip
"""Words that say what a thing is when they follow: a bolt plate is a plate."""
_JAPANESE = re.compile("ボルト|ねじ|ネジ|ナット|ワッシャ|座金|リベット")


def is_fastener_name(name: str) -> bool:
    """Return whether a name means a fastener: "Bolt M8", "Sechskantschraube", "DIN 912".

    "Bolt plate", "lead screw" and "DIN 2448", a pipe, are none.
    """
    for bodies, number in _STANDARD.findall(name):
        named = bodies.lower()
        standard = "iso" if "iso" in named else "din" if "din" in named else ""
        if standard and int(number) in _STANDARDS[standard]:
            return True
    if _THREAD.search(name) or _JAPANESE.search(name):
        return True
    words = [word.lower() for word in _WORD.findall(name)]
    following = {after: before for before, after in pairwise(words)}
    for k, word in enumerate(words):
        if word in _OTHER_WORDS or not (word in _WHOLE or word.endswith(_ENDS)):
            continue
        before = _AFTER.get(word.removesuffix("s"), ())
        if following.get(word) not in before and _HEADS.isdisjoint(words[k + 1 :]):
            return True
    return False


class Screw(NamedTuple):
    """The size of a screw: diameter of the shaft and whole length, in units of its mesh."""

    diameter: float
    length: float


MOST_TRIANGLES = 20_000
SLICES = 32
LARGEST = Screw(0.1, 1.0)
"""Of a screw [m]."""
EQUAL = 0.1
"""How much the extents across the axis may differ, as a share."""
HEAD = 1.25
"""Times the radius of the shaft from which a slice is of the head."""
HEAD_RADIUS = 1.3, 2.4
"""Of the head in radii of the shaft: ISO 4762 has 1.5, ISO 4017 up to 2."""
HEAD_HEIGHT = 0.25, 1.3
"""Of the head in diameters of the shaft."""
ROUND = 0.75
"""Least radius of the shaft in one slice, as a share of the greatest: a thread is deeper than facets are flat."""


def screw_of(vertices: np.ndarray, triangles: np.ndarray) -> Screw | None:
    """Return the size of a mesh that is shaped like a screw; None if it is not.

    It has a head and a longer, round shaft about one axis. Threads, slots and sockets of the head do not matter.

    Args:
        vertices: (n, 3) coordinates.
        triangles: (m, 3) vertex indices.
    """
    if not 12 <= len(triangles) <= MOST_TRIANGLES:
        return None
    used, flat = np.unique(triangles, return_inverse=True)
    points = vertices[used].astype(np.float64)
    faces = flat.reshape(-1, 3)
    axis, middle = _axis(points[faces])
    if axis is None:
        return None
    points = points - middle
    along = points @ axis
    across = points - along[:, None] * axis
    edges = np.unique(np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)
    low, high = along.min(), along.max()
    length = float(high - low)
    places = low + (np.arange(SLICES) + 0.5) / SLICES * length
    greatest, least = _radii(along[edges], across[edges], places)
    if not (greatest > 0.0).all():
        return None
    for turned in (slice(None), slice(None, None, -1)):
        found = _screw(greatest[turned], least[turned], length)
        if found is not None:
            return found
    return None


def _axis(corners: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the axis of a surface, None if it has none, and its centre, from its moments of area."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.sqrt((normal**2).sum(axis=1))
    centre = corners.mean(axis=1)
    total = area.sum()
    if not (np.isfinite(total) and total > 0.0):
        return None, np.zeros(3)
    middle = (area[:, None] * centre).sum(axis=0) / total
    offset = corners - middle
    sums = offset.sum(axis=1)
    # of a triangle: the mean of the products over its corners and three times its centre
    moments = np.einsum("t,tki,tkj->ij", area, offset, offset) + np.einsum("t,ti,tj->ij", area, sums, sums)
    values, vectors = np.linalg.eigh(moments / (12.0 * total))
    if values[1] - values[0] > 2.0 * EQUAL * values[1]:  # squares of extents
        return None, middle
    return vectors[:, 2], middle


def _radii(along: np.ndarray, across: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the greatest and the least distance from the axis of the edges in each plane across it; 0 without any."""
    greatest, least = np.zeros(len(places)), np.zeros(len(places))
    for k, place in enumerate(places):
        crossing = (along[:, 0] - place) * (along[:, 1] - place) <= 0.0
        crossing &= along[:, 0] != along[:, 1]
        ends = along[crossing]
        share = (place - ends[:, 0]) / (ends[:, 1] - ends[:, 0])
        point = across[crossing, 0] + share[:, None] * (across[crossing, 1] - across[crossing, 0])
        radius = np.sqrt((point**2).sum(axis=1))
        if len(radius):
            greatest[k], least[k] = radius.max(), radius.min()
    return greatest, least


def _screw(greatest: np.ndarray, least: np.ndarray, length: float) -> Screw | None:
    """Return the screw with these radii from the head to the tip, or None."""
    shaft = float(greatest[SLICES // 2 :].max())
    head = greatest > HEAD * shaft
    count = int(head.sum())
    if not 1 <= count <= SLICES // 2 or not head[:count].all():
        return None
    diameter, height = 2.0 * shaft, count / SLICES * length
    widest = float(greatest[:count].max()) / shaft
    straight = slice(count + 1, count + 1 + max(1, (SLICES - count) * 2 // 3))  # the tip may be pointed
    is_head = HEAD_RADIUS[0] <= widest <= HEAD_RADIUS[1]
    is_high = HEAD_HEIGHT[0] * diameter <= height + length / SLICES and height <= HEAD_HEIGHT[1] * diameter
    is_long = length - height >= diameter
    is_round = bool((least[straight] >= ROUND * shaft).all())
    return Screw(diameter, length) if is_head and is_high and is_long and is_round else None


class Fasteners:
    """Finds the fasteners of a scene; shapes are remembered as long as their meshes are used."""

    def __init__(self) -> None:
        self._screws: WeakKeyDictionary[SourceMesh, Screw | None] = WeakKeyDictionary()

    def ignored_steps(self, frame: FrameScene, scale: float) -> Generator[Progress, None, FrameScene]:
        """Return a frame without its fasteners, which are among `skipped`, in slices.

        Args:
            frame: all objects.
            scale: metres per scene unit.
        """
        kept, skipped = [], []
        for done, item in enumerate(frame.objects):
            reason = self._reason(item, frame.meshes[item.mesh_key], scale)
            if reason:
                skipped.append(Skipped(item.name, reason))
            else:
                kept.append(item)
            if done % AT_ONCE == AT_ONCE - 1:
                yield Progress(done / len(frame.objects), Sentence("Looking for fasteners"))
        return replace(frame, objects=kept, skipped=[*frame.skipped, *skipped]) if skipped else frame

    def _reason(self, item: SourceObject, mesh: SourceMesh, scale: float) -> str:
        """Return why an object counts as a fastener; "" if it is none."""
        if item.properties.get("class") in CLASSES:
            return BY_CLASS
        names = item.own_name or item.source, item.properties.get("type") or ""
        if any(map(is_fastener_name, names)):
            return BY_NAME
        if mesh.file is not None:
            return ""
        if mesh not in self._screws:
            self._screws[mesh] = screw_of(mesh.vertices, mesh.triangles)
        screw = self._screws[mesh]
        if screw is None:
            return ""
        stretch = scale * float(np.cbrt(abs(np.linalg.det(item.matrix[:3, :3]))))
        small = screw.diameter * stretch <= LARGEST.diameter and screw.length * stretch <= LARGEST.length
        return BY_SHAPE if small else ""
