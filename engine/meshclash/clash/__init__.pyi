"""Clash detection as a user asks for it: what is tested, what is found, what was decided about it, and reports."""

from .review.coaxial import CoaxialFit as CoaxialFit
from .review.coaxial import coaxial_fit as coaxial_fit
from .review.common_solid import Interference as Interference
from .review.common_solid import interference as interference
from .review.groups import Clashes as Clashes
from .review.groups import Group as Group
from .review.groups import Part as Part
from .review.groups import group_clashes as group_clashes
from .review.history import Comment as Comment
from .review.history import Decision as Decision
from .review.history import Found as Found
from .review.history import History as History
from .review.history import decisions as decisions
from .review.history import detection_steps as detection_steps
from .review.history import found_events as found_events
from .review.history import progress as progress
from .review.history import said_events as said_events
from .review.journal import Event as Event
from .review.journal import Journal as Journal
from .review.journal import event as event
from .review.names import families as families
from .review.revisions import Identity as Identity
from .review.revisions import match_revisions as match_revisions
