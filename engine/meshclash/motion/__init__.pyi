"""Motion: times of contact, contacts between two frames, and scenes that change."""

from ..broadphase.incremental import PairChanges as PairChanges
from ..broadphase.incremental import SweepAndPrune as SweepAndPrune
from ..continuous.impacts import Impacts as Impacts
from ..continuous.impacts import edge_edge_impacts as edge_edge_impacts
from ..continuous.impacts import point_triangle_impacts as point_triangle_impacts
from ..query.features import Feature as Feature
from ..query.swept_collide import SweptContacts as SweptContacts
from ..query.swept_collide import swept_collide as swept_collide
from ..query.swept_collide import swept_self_collide as swept_self_collide
from ..query.swept_points import SweptPoints as SweptPoints
from ..scene.live_contacts import LiveChanges as LiveChanges
from ..scene.live_contacts import LiveContacts as LiveContacts
from ..scene.live_gaps import LiveGaps as LiveGaps
from ..scene.scene_step import SceneStep as SceneStep
from ..timecritical.shared_budget import SceneEstimate as SceneEstimate
from .contact_times import TimeOfContact as TimeOfContact
from .contact_times import time_of_contact as time_of_contact
from .deepest_moment import ContactInterval as ContactInterval
from .motions import KeyframedMotion as KeyframedMotion
from .motions import ScrewMotion as ScrewMotion
