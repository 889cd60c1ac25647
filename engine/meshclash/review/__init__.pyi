"""Review: lists of clashes as decisions - groups with one cause, who decided what, and whether it is still true."""

from .common_solid import Interference as Interference
from .common_solid import interference as interference
from .groups import Clashes as Clashes
from .groups import Group as Group
from .groups import Part as Part
from .groups import group_clashes as group_clashes
from .journal import Comment as Comment
from .journal import Decision as Decision
from .journal import Event as Event
from .journal import Journal as Journal
from .journal import decisions as decisions
from .journal import event as event
from .journal import found_events as found_events
from .journal import progress as progress
from .names import families as families
from .revisions import Identity as Identity
from .revisions import match_revisions as match_revisions
