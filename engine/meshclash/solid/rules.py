"""The rules that determine a verdict, in the order in which they are applied: ``RULES``.

Each rule examines some of the pairs and writes its decision. A later rule may overrule an earlier rule if its docstring
says so. The table in docs/verdicts.md has a line for each rule. The solid that a mesh represents is computed before
(``boundary_mesh.py``, ``solidity.py``). Below, *solid* means a mesh that is closed after this step.
"""

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import numpy as np

from ..answering.answer import answer_steps
from ..geometry.triangle_pair import CROSSING
from ..traversal.question import Goal, Question
from ..types.steps import hold_progress
from ..types.verdict import APART as APART_VERDICT
from ..types.verdict import CLASH as CLASH_VERDICT
from ..types.verdict import CONTAINED as CONTAINED_VERDICT
from ..types.verdict import DUPLICATE as DUPLICATE_VERDICT
from ..types.verdict import TOUCHING as TOUCHING_VERDICT
from .case import Case, Limits, pair_order
from .cell_membership import may_overlap, sample_steps, shares_volume
from .coincidence import duplicate_steps
from .contact_centres import centre_steps
from .contact_planes import kept_apart_steps
from .depth_intervals import LOWER, UPPER, Overlaps, measure_steps
from .flush_containment import within_steps
from .holes import near_holes_steps, passing_steps
from .open_judge import ball_steps, contain_steps, may_lie_in, parted_steps
from .open_overlap import DEPTH_CERTAINTY
from .sampling import COMMON, ONLY_A, ONLY_B, SURFACE_IN, SURFACE_OUT

APART, TOUCHING, CONTAINED, DUPLICATE, CLASH = (
    verdict.severity
    for verdict in (APART_VERDICT, TOUCHING_VERDICT, CONTAINED_VERDICT, DUPLICATE_VERDICT, CLASH_VERDICT)
)
_ALONG_EDGES = 0.9  # certainty that surfaces which meet only along edges do not cross
_DECIMAL = 1.0 + 1e-9  # permitted lengths are decimal numbers; coordinates seldom equal them to the last bit

Steps = Generator[None, None, None]


class State:
    """The results for k pairs of objects while the rules are applied.

    Attributes:
        case, limits: the pairs, and their permitted overlaps.
        posed: arguments that all kernels on posed solids share.
        start: the contacts of pair j are the rows start[j]:start[j + 1] of the result, (k + 1,) int64.
        closed: which sides are solids, (k, 2) bool.
        bits: the kinds of cells found for solids, see ``sampling.py``, (k,) int64.
        codes: severities of the verdicts, (k,) int8.
        certainties: probabilities that the verdicts are right, (k,).
        same: which pairs consist of the same set of points, (k,) bool.
        flush: which pairs have this verdict only because of the resolution, (k,) bool.
        depths: proved bounds [m], (k, 2); NaN without a proof.
        balls: diameters of balls in both objects [m], (k,); NaN if no ball is known.
        permitted: permitted overlap [m], (k,).
        rounding: length by which surfaces may cross [m], (k,).
        swapped: which pairs are measured second object first, (k,) bool.
        middles: centres of contacts, (n, 3) [m], NaN if not computed; None if no depth is measured.
        overlaps: the measured overlaps of pairs of solids.
    """

    def __init__(self, case: Case, limits: Limits) -> None:
        self.case, self.limits = case, limits
        self.posed: tuple[Any, ...] = case.posed()
        self.start = case.starts
        self.closed: np.ndarray = case.solids.closed[case.jobs]
        count = len(case.jobs)
        self.bits = np.zeros(count, np.int64)
        self.codes = np.full(count, APART, np.int8)
        self.certainties = np.ones(count)
        self.same = np.zeros(count, np.bool_)
        self.flush = np.zeros(count, np.bool_)
        self.depths, self.balls = np.full((count, 2), np.nan), np.full(count, np.nan)
        self.permitted, self.rounding = limits.permitted(case.resolutions), limits.rounding(case.resolutions)
        self.swapped = pair_order(case)
        self.middles: np.ndarray | None = None

    @property
    def solids(self) -> np.ndarray:
        """Return which pairs consist of two solids, (k,) bool."""
        return np.logical_and(self.closed[:, 0], self.closed[:, 1])

    @property
    def sampled(self) -> np.ndarray:
        """Return which pairs need the middles of only some of their contacts: surfaces may not cross, (k,) bool."""
        return np.equal(self.rounding, 0.0)

    @property
    def allowed(self) -> np.ndarray:
        """Return the overlap (k,) [m] up to which solids count as touching."""
        return self.permitted * _DECIMAL

    def has(self, bit: int) -> np.ndarray:
        """Return which pairs have cells with a bit, (k,) bool."""
        return (self.bits & bit) != 0

    def within(self, lengths: np.ndarray) -> np.ndarray:
        """Return which clashes (k,) overlap by no more than the lengths (k,), which are above 0.

        The bounds decide if they exist; if the bounds leave the question open, the largest balls found decide.
        """
        shallow = (self.balls <= lengths) | (self.depths[:, UPPER] <= lengths)
        return (lengths > 0.0) & (self.codes == CLASH) & shallow


class Rule(NamedTuple):
    """A rule of a verdict."""

    apply: Callable[[State], Steps]

    @property
    def name(self) -> str:
        """Name of the rule, as in the table."""
        return self.apply.__name__.replace("_", " ")


# Relations of surfaces and solids


def meeting(state: State) -> Steps:
    """Judge by contacts: objects whose triangles meet touch, all other objects are apart.

    The rule applies to all pairs, until another rule refines the verdict. Proof: triangles are compared exactly.
    """
    state.codes[:] = np.where(np.diff(state.start) > 0, TOUCHING, APART)
    yield


def solids_by_cells(state: State) -> Steps:
    """Judge two solids by the cells into which they divide space: clash, contained or duplicate.

    The rule applies to pairs of solids whose boxes share volume. Suppose that cells in both solids exist. The objects
    are duplicates if no cell is in only one of them, CONTAINED if such cells exist for only one of the two, and CLASH
    if they exist for both. Without cells in both solids, the rule *meeting* decides. Proof: exact signs of orientations
    next to vertices and intersection points.
    """
    asked = ~state.same & may_overlap(state.case)
    state.bits = yield from sample_steps(state.case, state.posed, state.start, asked)
    common = state.has(COMMON)
    state.codes[common] = DUPLICATE
    state.codes[common & (state.has(ONLY_A) | state.has(ONLY_B))] = CONTAINED
    state.codes[common & state.has(ONLY_A) & state.has(ONLY_B)] = CLASH


def surface_in_solid(state: State) -> Steps:
    """Judge a surface that enters a solid: the surface clashes, or is contained if no part of it is outside.

    The rule applies to a solid and an open mesh. Proof: exact signs, at the places that *solids by cells* tests.
    """
    state.codes[state.has(SURFACE_IN)] = CONTAINED
    state.codes[state.has(SURFACE_IN) & state.has(SURFACE_OUT)] = CLASH
    yield


def surfaces_cross(state: State) -> Steps:
    """Judge surfaces whose triangles cross: the surfaces clash.

    The rule applies to two open meshes. Proof: triangles are compared exactly. Surfaces that meet only in points and
    along edges touch. The verdict is certain if a plane separates all triangles in contact; otherwise the certainty is
    0.9, because the surfaces may pass through each other at the contact.
    """
    crossing = np.zeros(len(state.codes), np.bool_)
    crossing[state.case.answer.jobs[state.case.answer.kinds == CROSSING]] = True
    surfaces = ~state.closed.any(axis=1)
    state.codes[crossing & surfaces] = CLASH
    doubtful = np.flatnonzero(surfaces & (state.codes == TOUCHING) & may_overlap(state.case))
    kept_apart = yield from kept_apart_steps(state.case, doubtful)
    state.certainties[doubtful[~kept_apart]] = _ALONG_EDGES


def same_points(state: State) -> Steps:
    """Judge objects with the same triangles at the same positions, or coinciding open surfaces: these objects are
    duplicates.

    The rule applies to objects in equal boxes. Proof: the numbers are equal; or every triangle of each surface lies on
    the other surface, by exact signs. This rule runs first, because every triangle of coinciding surfaces is a contact.
    """
    state.codes[state.same], state.certainties[state.same] = DUPLICATE, 1.0
    yield


def parts_in_open_solid(state: State) -> Steps:
    """Judge components inside the solid that an open mesh represents: the object is contained; if other components are
    outside, it clashes.

    The rule applies to pairs that are apart or touch, with one open mesh: a component without crossings is completely
    on one side. The certainty depends on the winding numbers of samples, on the opening of the mesh, and on the
    certainty that the mesh represents a solid (measured by ``bench open-meshes``). If a mesh is no solid as a whole,
    its closed parts count.
    """
    may_lie = may_lie_in(state.case, (state.codes <= TOUCHING)[:, None] & ~state.closed[:, ::-1])
    yield from contain_steps(state.case, may_lie, state.codes, state.certainties)


def balls_in_open_solids(state: State) -> Steps:
    """Judge touching objects by a ball inside both of the solids that they represent: with such a ball they clash.

    The rule applies to pairs with an open mesh that touch; for other pairs the ball gives the depth. The certainty is
    computed as in *parts in open solid*, at the ball's centre.
    """
    state.balls = yield from ball_steps(
        state.case, ~state.solids, state.codes, state.certainties, _measured(state), state.limits.exact
    )


def through_holes(state: State) -> Steps:
    """Judge a surface that passes through a hole of an open solid: the surface clashes; a surface near a hole may
    clash.

    The rule applies to pairs that are apart, touch, or have a contained object. A surface that neither meets the mesh
    nor comes near its holes is on one side of the solid that the mesh represents: the certainty of the verdict does not
    change. For objects that touch, the rule before has decided by balls; here they only become less certain. The
    certainty is derived from the points that are farthest inside and outside (measured by
    ``tests/engine/open_truth.py``).
    """
    asked = state.codes <= CONTAINED
    near = yield from near_holes_steps(state.case, np.stack([asked, asked], axis=1))
    for job, inner in np.argwhere(near).tolist():
        passing, sure = yield from passing_steps(state.case, job, inner)
        if state.codes[job] == CLASH:
            continue
        if passing > 0.5 and state.codes[job] != TOUCHING:
            state.codes[job], state.certainties[job] = CLASH, min(passing, sure)
        else:
            state.certainties[job] = min(state.certainties[job], max(0.5, 1.0 - passing), sure)


# Depths and permitted overlaps


def depths_of_solids(state: State) -> Steps:
    """Measure the depth of the overlap of solids; the rule decides no verdict.

    The rule applies to pairs of solids with common volume, if depths are requested or permitted. Proof: balls in both
    solids, and bounds of all such balls (``depth_intervals.py``).
    """
    if state.middles is None:
        return
    clashing = state.codes == CLASH
    allowed = np.where(clashing, state.allowed, 0.0)
    deep = np.flatnonzero(state.solids & (state.codes >= CONTAINED) & (state.limits.depths | (allowed > 0.0)))
    overlaps = Overlaps(state.case, state.start, state.middles, state.swapped)
    yield from measure_steps(overlaps, deep, clashing, allowed, state.limits.exact, shares_volume)
    state.depths[deep], state.balls[deep] = overlaps.found[deep, : UPPER + 1], overlaps.found[deep, LOWER]


def flush_by_depth(state: State) -> Steps:
    """Judge solids that overlap by no more than their resolution: these solids touch.

    The rule applies to clashes, if the resolution is permitted. Proof: the bounds of the depth; if these do not decide,
    the largest ball found decides, see *permitted overlap*.
    """
    tiny = state.within(np.minimum(state.allowed, state.rounding * _DECIMAL))
    _mark_unproved(state, tiny, state.rounding * _DECIMAL)
    state.codes[tiny] = TOUCHING
    state.flush |= tiny & state.limits.by_resolution
    yield


def flush_by_moving(state: State) -> Steps:
    """Judge surfaces that a move by no more than their resolution separates: these surfaces touch.

    The rule applies to clashes with an open mesh and unknown depth, if the resolution is permitted. Proof: the surfaces
    are moved, and the rules of contact find them apart.
    """
    unbound = (state.codes == CLASH) & (state.rounding > 0.0) & np.isnan(state.depths[:, UPPER]) & ~state.solids
    unbound &= ~state.within(state.allowed) & ~(state.balls > state.rounding)
    parted = yield from parted_steps(state.case, np.flatnonzero(unbound), state.rounding, APART, contact_codes_steps)
    state.codes[parted] = TOUCHING
    state.flush |= parted


def flush_parts(state: State) -> Steps:
    """Judge an object that extends beyond a solid by no more than the resolution: the object is contained; if this is
    true for both objects, they are duplicates.

    The rule applies to clashing and contained objects with one solid, if the resolution is permitted. All corners, edge
    midpoints and centroids of triangles, and points next to contacts, are examined (``flush_containment.py``).
    """
    if state.middles is None or state.sampled.all():
        return
    deep = (state.codes == CLASH) | (state.codes == CONTAINED)
    chosen = np.flatnonzero((state.rounding > 0.0) & deep & state.closed.any(axis=1))
    boxes, pairs = (state.case.boxes_a, state.case.boxes_b), state.case.answer.pairs
    within = yield from within_steps(state.posed, boxes, chosen, state.start, pairs, state.middles, state.rounding)
    meant = np.where((state.codes == CLASH) & within.any(axis=1), CONTAINED, state.codes).astype(np.int8)
    meant[within.all(axis=1)] = DUPLICATE
    state.flush |= meant != state.codes
    state.codes = meant


def permitted_overlap(state: State) -> Steps:
    """Judge a clash whose depth is at most the permitted overlap: the objects touch.

    The rule applies to clashes with a depth. Proof: the bounds. If the bounds do not decide, and for open meshes, the
    largest ball found decides, with certainty 0.95.
    """
    light = state.within(state.allowed)
    _mark_unproved(state, light, state.allowed)
    state.codes[light] = TOUCHING
    yield


def touch_tolerance(state: State) -> Steps:
    """Judge objects that do not meet but whose gap is within the touch tolerance: these objects touch.

    The rule applies to pairs that are apart. Proof: distances are compared exactly.
    """
    apart, limits, case = np.flatnonzero(state.codes == APART), state.limits, state.case
    if limits.touch_tolerance <= 0.0 or len(apart) == 0:
        return
    side = case.tree_set.side
    question = Question(
        side, side, case.jobs[apart], case.rows_a[apart], case.rows_b[apart], Goal.WITHIN,
        tolerance=limits.touch_tolerance, first_only=True,
    )  # fmt: skip
    near = yield from hold_progress(answer_steps(question), None)
    state.codes[apart[np.unique(near.jobs)]] = TOUCHING


RULES_OF_CONTACT = tuple(
    map(
        Rule,
        (meeting, solids_by_cells, surface_in_solid, surfaces_cross, same_points, parts_in_open_solid,
         balls_in_open_solids, through_holes),
    )
)  # fmt: skip
"""Rules for the relation of objects, without permitted overlaps."""
RULES_OF_PERMISSION = tuple(
    map(Rule, (depths_of_solids, flush_by_depth, flush_by_moving, flush_parts, permitted_overlap, touch_tolerance))
)
"""Rules that make verdicts milder by the permitted lengths."""
RULES = RULES_OF_CONTACT + RULES_OF_PERMISSION


def applied_steps(case: Case, limits: Limits, rules: tuple[Rule, ...] = RULES) -> Generator[None, None, State]:
    """Apply rules to the pairs of a case and return the result; the generator yields every few milliseconds."""
    state = State(case, limits)
    if _measured(state).any():
        state.middles = yield from centre_steps(case, state.swapped, state.sampled)
    state.same = yield from duplicate_steps(case, state.posed)
    for rule in rules:
        yield from rule.apply(state)
    return state


def contact_codes_steps(case: Case) -> Generator[None, None, np.ndarray]:
    """Return the severities (k,) int8 of the verdicts of pairs, without permitted overlaps."""
    return (yield from applied_steps(case, Limits(depths=False), RULES_OF_CONTACT)).codes


def _measured(state: State) -> np.ndarray:
    """Return for which pairs depths are requested, or decide the verdict, (k,) bool."""
    return state.limits.depths | (state.permitted > 0.0)


def _mark_unproved(state: State, milder: np.ndarray, lengths: np.ndarray) -> None:
    """Mark pairs (k,) bool whose bounds do not prove that they overlap by no more than lengths (k,) [m]."""
    unproved = milder & ~(state.depths[:, UPPER] <= lengths)
    state.certainties[unproved] = np.minimum(state.certainties[unproved], DEPTH_CERTAINTY)
