"""Review: lists of clashes as decisions - groups with one cause, who decided what, and whether it is still true."""

from .coaxial import CoaxialFit as CoaxialFit
from .coaxial import coaxial_fit as coaxial_fit
from .common_solid import Interference as Interference
from .common_solid import interference as interference
from .groups import Clashes as Clashes
from .groups import Group as Group
from .groups import Part as Part
from .groups import group_clashes as group_clashes
from .history import Comment as Comment
from .history import Decision as Decision
from .history import Found as Found
from .history import History as History
from .history import decisions as decisions
from .history import detection_steps as detection_steps
from .history import found_events as found_events
from .history import progress as progress
from .history import said_events as said_events
from .journal import Event as Event
from .journal import Journal as Journal
from .journal import event as event
from .names import families as families
from .revisions import Identity as Identity
from .revisions import match_revisions as match_revisions
