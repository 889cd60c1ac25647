"""Read SRDF files, as written by MoveIt's setup assistant: pairs of a robot's links that are not compared."""

from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from ..errors import InvalidFile
from .xml_files import read_xml


@dataclass(frozen=True)
class Srdf:
    """The pairs of links in a file.

    Attributes:
        uncompared: links that are not compared with other links of the robot, except in ``enabled`` pairs.
        enabled, disabled: pairs of links that are compared, and that are not.
    """

    uncompared: tuple[str, ...] = ()
    enabled: tuple[tuple[str, str], ...] = ()
    disabled: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> set[str]:
        """Return the names of all links in the file."""
        return {*self.uncompared, *(name for pair in self.enabled + self.disabled for name in pair)}


def read_srdf(file: Path) -> Srdf:
    """Read an SRDF file; raises InvalidFile."""
    root = read_xml(file)
    if root.tag != "robot":
        raise InvalidFile(f"{file}: the root element of an SRDF file must be <robot>, not <{root.tag:.80}>")

    def named(element: Element, attribute: str) -> str:
        name = element.get(attribute)
        if not name:
            raise InvalidFile(f"{file}: a <{element.tag}> element has no attribute {attribute}")
        return name

    def pairs(tag: str) -> tuple[tuple[str, str], ...]:
        return tuple((named(element, "link1"), named(element, "link2")) for element in root.iter(tag))

    alone = tuple(named(element, "link") for element in root.iter("disable_default_collisions"))
    return Srdf(alone, pairs("enable_collisions"), pairs("disable_collisions"))
