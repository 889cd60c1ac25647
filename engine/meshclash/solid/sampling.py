"""Find which types of cells two surfaces form: cells in both solids, or in only one solid.

The triangles of two surfaces divide space into cells, and the kinds of bounded cells give the verdict. Where no
triangles cross, the convex corners of a cell are vertices of the meshes. Where only edges cross, each cell contains a
whole line. At such a corner, some triangle borders the cell next to one of its edges. So testing both sides of every
triangle, next to both edges at each of its vertices, finds all cells; winding numbers at those places
(``exact_winding.py``) determine their type. Around a vertex off the other surface, the winding number of that surface
is constant, also on all triangles that do not touch it. Therefore only the vertices of triangles with contacts, and one
vertex of each component, are tested. Where triangles cross and one of them is an inner face of its solid, the points
where an edge passes through a triangle are corners of cells, too.

A self-intersecting surface has further corners, which ``voids.py`` tests. For an open surface, the result tells which
parts of the surface lie in the solid.

Work is divided into portions, so that callers can stop between two portions.
"""

import numpy as np

from ..geometry.predicates import UNCERTAIN, exact_orient3d
from ..geometry.triangle_pair import CROSSING
from ..jit import inner, kernel, portable
from ..reference import by_reference
from ..traversal.exact_winding import (
    FOUND,
    GRAZES,
    MOST_AROUND,
    TURNS,
    away_from,
    cut_base,
    held_edges,
    held_triangle,
    is_at,
    numbers_at,
    place_in_triangle,
    ray_end,
    star,
    vertex_base,
)
from ..traversal.frames import make_frame
from ..traversal.point import world_triangle
from .local_separation import (
    BOTH,
    NO_PLANES,
    ONLY_OTHER,
    ONLY_OWN,
    by_half_space,
    by_wedge,
    cells_beside,
    planes_around,
)

COMMON, ONLY_A, ONLY_B, SURFACE_IN, SURFACE_OUT, UNDECIDED = 1, 2, 4, 8, 16, 32
"""Bits of the result for a pair: cells in both solids or in one solid; parts of an open surface inside and outside the
other object's solid; a test that float64 and expansions could not decide."""

_SOLID, _SURFACE = COMMON | ONLY_A | ONLY_B, SURFACE_IN | SURFACE_OUT

TOUCHED_A, TOUCHED_B, CONTACTS, COMPONENTS_A, COMPONENTS_B, ITSELF_A, ITSELF_B = 0, 1, 2, 3, 4, 5, 6
"""Types of places to test: triangles of one object that have contacts; the contacts themselves; components of one
object; pairs of triangles of one object that cross each other."""
ALL_PLACES = np.array([CONTACTS, COMPONENTS_A, COMPONENTS_B, TOUCHED_A, TOUCHED_B])
"""All places of surfaces without self-intersections, in the order that decides most pairs soonest."""
EFFORT = 1 << 14
"""Effort of a portion of work, which takes some milliseconds."""
_LOOK = 1 << 5  # effort of testing around a point; skipping a contact costs 1


@portable
def is_complete(bits):
    """Return whether no more kinds of cells can be found, for one pair or an array of pairs."""
    return ((bits & _SOLID) == _SOLID) | ((bits & _SURFACE) == _SURFACE)


@portable
def _slots(touched, vertices):
    """Return the size of the table of visited vertices, a power of two, for a number of touched triangles of a mesh."""
    size = 2
    while size < 2 * min(3 * touched, vertices):
        size *= 2
    return size


def visited_room(contacts: np.ndarray, vertices: np.ndarray) -> int:
    """Return the length of ``visited`` for pairs with given numbers of contacts (k,) and of vertices of their meshes
    (k,).
    """
    if not len(contacts):
        return 0
    largest = np.argmax(np.minimum(3 * contacts, vertices))
    return int(_slots(int(contacts[largest]), int(vertices[largest])))


@inner
def _visited_mask(forest, tree, count):
    end = forest.vertex_start[tree + 1] if tree + 1 < len(forest.vertex_start) else len(forest.vertices)
    return _slots(count, end - forest.vertex_start[tree]) - 1


@inner
def _visit(visited, mask, vertex):
    """Record a visit to a vertex in a table of mask + 1 slots; return whether it is the first visit."""
    slot = (vertex * 73856093) & mask
    while visited[slot] != 0:
        if visited[slot] == vertex + 1:
            return False
        slot = (slot + 1) & mask
    visited[slot] = vertex + 1
    return True


@inner
def _corner(corners, i):
    return corners[0] if i == 0 else (corners[1] if i == 1 else corners[2])


@inner
def _bits_of_cell(own_number, number, flat, side):
    """Return the bits of a cell with two winding numbers: of the own object, a (side 0) or b, and of the other object.

    ``flat``: own is present there in any case.
    """
    only_own, only_other = (ONLY_A, ONLY_B) if side == 0 else (ONLY_B, ONLY_A)
    if own_number != 0 or flat:
        return COMMON if number != 0 else only_own
    return only_other if number != 0 else 0


@inner
def _bits_of_cells(cells, side):
    """Return the bits of cells of ``local_separation.py``; own is a (side 0) or b."""
    only_own, only_other = (ONLY_A, ONLY_B) if side == 0 else (ONLY_B, ONLY_A)
    bits = COMMON if cells & BOTH else 0
    return bits | (only_own if cells & ONLY_OWN else 0) | (only_other if cells & ONLY_OTHER else 0)


@inner
def _cells_of(bits, side):
    """Return the cells of ``local_separation.py`` for some bits; own is a (side 0) or b."""
    only_own, only_other = (ONLY_A, ONLY_B) if side == 0 else (ONLY_B, ONLY_A)
    cells = BOTH if bits & COMMON else 0
    return cells | (ONLY_OWN if bits & only_own else 0) | (ONLY_OTHER if bits & only_other else 0)


@inner
def _bits_at_place(forest, solids, own, other, side, base, y, z, q, found, counts, numbers, bits, work):
    """Return the bit mask ``bits`` with the cells on both sides of a triangle of ``own`` added, at a place; ``own`` is
    a (side 0) or b.

    A triangle whose winding numbers cancel on both sides is not a boundary, but still belongs to its object. Also
    returns whether other places between the same cells add no information.
    """
    only_own, only_other = (ONLY_A, ONLY_B) if side == 0 else (ONLY_B, ONLY_A)
    towards, away, lies, decided = numbers_at(
        forest, solids, other, base, y, z, q, found[1 - side], counts[1 - side], numbers[1 - side], work
    )
    if not decided:
        return bits | UNDECIDED, False
    possible = (COMMON | only_other if towards != 0 or away != 0 else 0) | (
        only_own if towards == 0 or away == 0 else 0
    )
    if bits & possible == possible:
        return bits, True
    own_towards, own_away, _, decided = numbers_at(
        forest, solids, own, base, y, z, q, found[side], counts[side], numbers[side], work
    )
    if not decided:
        return bits | UNDECIDED, False
    winds = own_towards != 0 or own_away != 0
    flat = not winds and not lies
    bits |= _bits_of_cell(own_towards, towards, flat, side)
    return bits | _bits_of_cell(own_away, away, flat, side), winds


@inner
def _bits_of_corners(forest, solids, a, b, base, q, found, counts, numbers, bits, work):
    """Return the bit mask ``bits`` with the cells next to all edges at the base added, for the triangles around it."""
    planes, used = planes_around(forest, a, found[0], counts[0], NO_PLANES, 0, work)
    planes, used = planes_around(forest, b, found[1], counts[1], planes, used, work)
    for side in range(2):
        own, other = (a, b) if side == 0 else (b, a)
        seen = 0
        for i in range(counts[side]):
            corners = world_triangle(forest, own.tree, held_triangle(found[side, i]), own.pose)
            for edge in range(3):
                if held_edges(found[side, i]) & (1 << edge) == 0:
                    continue
                apex = _corner(corners, (edge + 2) % 3)
                for k in range(2):
                    y = _corner(corners, (edge + k) % 3)
                    if is_at(base, y, work):
                        continue
                    cells = cells_beside(planes, used, y, apex, work)
                    if seen & cells != 0:
                        continue
                    bits, settled = _bits_at_place(
                        forest, solids, own, other, side, base, y, apex, q, found, counts, numbers, bits, work
                    )
                    if settled:
                        seen |= cells
                if is_complete(bits):
                    return bits
    return bits


@inner
def _bits_on_open(forest, solids, other, base, corners, y, q, found, count, number, bits, work):
    """Return the bit mask ``bits`` with the places in an open triangle added, from a base towards y, then towards each
    corner.
    """
    for i in range(3):
        z = _corner(corners, i)
        if not place_in_triangle(base, y, z, q, corners, work):
            continue
        towards, away, _, decided = numbers_at(forest, solids, other, base, y, z, q, found, count, number, work)
        if not decided:
            bits |= UNDECIDED
        elif towards != 0 and away != 0:
            bits |= SURFACE_IN
        elif towards == 0 and away == 0:
            bits |= SURFACE_OUT
    return bits


@inner
def _bits_of_open(forest, solids, own, other, side, base, q, found, counts, numbers, bits, work):
    """Return the bit mask ``bits`` with the parts of an open surface around a base added; edges of the other surface
    may bound these parts.
    """
    ahead = found[1 - side], counts[1 - side], numbers[1 - side]
    for i in range(counts[side]):
        corners = world_triangle(forest, own.tree, held_triangle(found[side, i]), own.pose)
        for k in range(3 + 3 * counts[1 - side]):
            y = _corner(corners, k)
            if k >= 3:
                around = world_triangle(forest, other.tree, held_triangle(found[1 - side, (k - 3) // 3]), other.pose)
                y = _corner(around, k % 3)
                if exact_orient3d(corners[0], corners[1], corners[2], y, work.exact) != 0:
                    continue
            if not is_at(base, y, work):
                bits = _bits_on_open(forest, solids, other, base, corners, y, q, *ahead, bits, work)
            if is_complete(bits):
                return bits
    return bits


@inner
def _at_vertex(entries, count):
    """Return whether a base is a vertex of a triangle around it, because vertices of the first object are tested
    anyway.
    """
    for i in range(min(count, MOST_AROUND)):
        edges = held_edges(entries[i])
        if edges & (edges - 1) != 0:
            return True
    return False


@inner
def look_around(forest, solids, a, b, side, base, bits, found, work):
    """Return the bit mask ``bits`` with all cells around a point of the surface of a (side 0) or b added."""
    own, other = (a, b) if side == 0 else (b, a)
    solid = solids.closed[own.tree]
    first = away_from(forest, other, base)
    for turn in range(TURNS):
        q = ray_end(forest, a, b, (first + turn) % TURNS, base)
        number, count, how = star(forest, solids, other, base, q, found[1 - side], work)
        if how == GRAZES:
            continue
        if how == FOUND and count == 0:
            if not solid:
                return bits | (SURFACE_IN if number != 0 else SURFACE_OUT)
            only_own, only_other = (ONLY_A, ONLY_B) if side == 0 else (ONLY_B, ONLY_A)
            possible = COMMON | only_other if number != 0 else only_own
            if bits & possible == possible:
                return bits
        if side == 1 and solid and _at_vertex(found[0], count):
            return bits
        own_number, own_count, own_how = star(forest, solids, own, base, q, found[side], work)
        if own_how == GRAZES:
            continue
        if how != FOUND or own_how != FOUND or max(count, own_count) > MOST_AROUND:
            return bits | UNDECIDED
        if solid and count == 0 and own_count == 0:  # only on triangles without area
            return bits | (COMMON if number != 0 else (ONLY_A if side == 0 else ONLY_B))
        counts = (own_count, count) if side == 0 else (count, own_count)
        numbers = (own_number, number) if side == 0 else (number, own_number)
        if solid:
            first = found[side], own_count, own_number
            second = found[1 - side], count, number
            known = _cells_of(bits, side)
            cells = by_wedge(forest, solids, own, other, first, second, base, q, work)
            if cells & known == cells:
                return bits
            exact, cells = by_half_space(forest, solids, own, other, first, second, base, q, known, work)
            around = _bits_of_cells(cells, side)
            if exact or bits & around == around:
                return bits | around
            return _bits_of_corners(forest, solids, a, b, base, q, found, counts, numbers, bits, work)
        return _bits_of_open(forest, solids, own, other, side, base, q, found, counts, numbers, bits, work)
    return bits | UNDECIDED


@inner
def _bits_of_triangle(forest, solids, a, b, side, t, bits, found, visited, mask, work):
    """Return the bit mask ``bits`` with the cells around the unvisited vertices of a triangle added, and the effort."""
    own = a if side == 0 else b
    row = forest.triangle_start[own.tree] + t
    effort = 1
    for i in range(3):
        if not is_complete(bits) and _visit(visited, mask, np.int64(forest.triangles[row, i])):
            corners = world_triangle(forest, own.tree, t, own.pose)
            base = by_reference(vertex_base(_corner(corners, i)))
            bits = look_around(forest, solids, a, b, side, base, bits, found, work)
            effort += _LOOK
    return bits, effort


@inner
def _bits_of_component(forest, solids, a, b, side, component, bits, found, work):
    """Return the bit mask ``bits`` with the cells around one vertex of a component added."""
    own = a if side == 0 else b
    t = np.int64(solids.representatives[solids.component_start[own.tree] + component])
    corners = world_triangle(forest, own.tree, t, own.pose)
    return look_around(forest, solids, a, b, side, by_reference(vertex_base(corners[0])), bits, found, work)


@inner
def _meets(v, w, corners, work):
    """Return 1 if a segment passes from one side of a triangle to the other through it, 0 if not, 2 if undecided."""
    r, s, t = corners
    at_v, at_w = exact_orient3d(r, s, t, v, work.exact), exact_orient3d(r, s, t, w, work.exact)
    if at_v == UNCERTAIN or at_w == UNCERTAIN:
        return 2
    if at_v * at_w != -1:
        return 0
    rs, st = exact_orient3d(v, w, r, s, work.exact), exact_orient3d(v, w, s, t, work.exact)
    tr = exact_orient3d(v, w, t, r, work.exact)
    if rs == UNCERTAIN or st == UNCERTAIN or tr == UNCERTAIN:
        return 2
    return 0 if (rs > 0 or st > 0 or tr > 0) and (rs < 0 or st < 0 or tr < 0) else 1


@inner
def _bits_of_cuts(forest, solids, a, b, side, first, second, bits, found, work):
    """Return the bit mask ``bits`` with the cells added around points in which an edge of one triangle passes through
    another triangle.

    ``side`` is the side of the surface in question.
    """
    for i in range(6):
        corners, through = (first, second) if i < 3 else (second, first)
        v, w = _corner(corners, i % 3), _corner(corners, (i + 1) % 3)
        meets = _meets(v, w, through, work)
        if meets == 2:
            return bits | UNDECIDED
        if meets == 1:
            base = by_reference(cut_base(v, w, *through))
            bits = look_around(forest, solids, a, b, side, base, bits, found, work)
        if is_complete(bits):
            return bits
    return bits


@inner
def _bits_of_contact(forest, solids, a, b, side, t, u, bits, found, work):
    """Return the bit mask ``bits`` with the cells added around points where an edge of t (of a) or u passes through the
    other triangle.

    ``side`` is the side of the surface in question. If that surface is open, the corners of the other triangle in its
    plane are tested, too.
    """
    first, second = world_triangle(forest, a.tree, t, a.pose), world_triangle(forest, b.tree, u, b.pose)
    bits = _bits_of_cuts(forest, solids, a, b, side, first, second, bits, found, work)
    if is_complete(bits):
        return bits
    if not solids.closed[a.tree if side == 0 else b.tree]:
        plane, corners = (first, second) if side == 0 else (second, first)
        for i in range(3):
            v = _corner(corners, i)
            if exact_orient3d(*plane, v, work.exact) == 0:
                base = by_reference(vertex_base(v))
                bits = look_around(forest, solids, a, b, side, base, bits, found, work)
    return bits


@inner
def _place_count(solids, what, a, b, count):
    """Return the number of places to test for a pair with ``count`` contacts."""
    if what in (COMPONENTS_A, COMPONENTS_B):
        tree = a.tree if what == COMPONENTS_A else b.tree
        return solids.component_start[tree + 1] - solids.component_start[tree]
    return count


@inner
def bits_of_places(forest, solids, a, b, what, place, start, count, pairs, kinds, bits, found, visited, effort, work):
    """Return the bit mask ``bits`` with the cells added around places of one kind of a pair, the next place and the
    remaining effort.

    The search starts at ``place``. The contacts of the pair begin at ``start``. The next place is -1 if no place is
    left.
    """
    closed = solids.closed[a.tree] and solids.closed[b.tree]
    end = _place_count(solids, what, a, b, count)
    mask = 0
    if what in (TOUCHED_A, TOUCHED_B):
        mask = _visited_mask(forest, (a if what == TOUCHED_A else b).tree, count)
        if place == 0:
            visited[: mask + 1] = 0
    while place < end and effort > 0 and not is_complete(bits):
        row = start + place
        cost = _LOOK
        if what >= ITSELF_A:
            own = a if what == ITSELF_A else b
            first = world_triangle(forest, own.tree, np.int64(pairs[row, 0]), own.pose)
            second = world_triangle(forest, own.tree, np.int64(pairs[row, 1]), own.pose)
            bits = _bits_of_cuts(forest, solids, a, b, what - ITSELF_A, first, second, bits, found, work)
        elif what >= COMPONENTS_A:
            bits = _bits_of_component(forest, solids, a, b, what - COMPONENTS_A, place, bits, found, work)
        elif what == CONTACTS:
            if kinds[row] == CROSSING or not closed:
                side = 0 if closed or not solids.closed[a.tree] else 1
                t, u = np.int64(pairs[row, 0]), np.int64(pairs[row, 1])
                bits = _bits_of_contact(forest, solids, a, b, side, t, u, bits, found, work)
            else:
                cost = 1
        else:
            t = np.int64(pairs[row, what])
            bits, cost = _bits_of_triangle(forest, solids, a, b, what, t, bits, found, visited, mask, work)
        place += 1
        effort -= cost
    return bits, (-1 if place >= end or is_complete(bits) else place), effort


@inner
def _is_asked(asked, job, what):
    """Return whether places of a type are tested: contacts for both objects, other types for the object in their
    name.
    """
    if what == CONTACTS:
        return asked[job, 0] or asked[job, 1]
    return asked[job, 0] if what in (TOUCHED_A, COMPONENTS_A, ITSELF_A) else asked[job, 1]


@kernel
def sample_sides(
    forest, solids, origins, reaches, jobs, rows_a, rows_b, inverse_a, inverse_b,
    asked, places, start, pairs, kinds, visited, work, effort, progress, bits,
):  # fmt: skip
    """Add the bits of cells found at places to ``bits`` (k,) of pairs of objects; return whether all pairs are done.

    Args:
        asked: whether the surface of the first and of the second object is tested, (k, 2) bool: open objects, and
            closed ones unless the other is open; at least one object is closed.
        places: the kinds of places, in this order, (n,) int64.
        start: pair j has the contacts start[j]:start[j + 1] of ``pairs`` and ``kinds``, (k + 1,) int64.
        visited: int64 array with the length given by ``visited_room``; kept from call to call.
        progress: the pair, the index of the type of places, and the next place; zeros at first, (3,) int64; kept from
            call to call.
        effort: limit of the effort after which to stop.
    """
    forest = by_reference(forest)
    solids = by_reference(solids)
    work = by_reference(work)
    found = np.empty((2, MOST_AROUND), np.int64)
    for job in range(progress[0], len(bits)):
        if is_complete(bits[job]) or not (asked[job, 0] or asked[job, 1]):
            continue
        if effort <= 0:
            progress[0], progress[1], progress[2] = job, 0, 0
            return False
        begin, place = (progress[1], progress[2]) if job == progress[0] else (0, 0)
        a = by_reference(make_frame(jobs[job, 0], rows_a[job], inverse_a[job], origins, reaches))
        b = by_reference(make_frame(jobs[job, 1], rows_b[job], inverse_b[job], origins, reaches))
        for kind in range(begin, len(places)):
            if not _is_asked(asked, job, places[kind]):
                continue
            bits[job], place, effort = bits_of_places(
                forest, solids, a, b, places[kind], place, start[job], start[job + 1] - start[job], pairs, kinds,
                bits[job], found, visited, effort, work,
            )  # fmt: skip
            if place >= 0:
                progress[0], progress[1], progress[2] = job, kind, place
                return False
            place = 0
            if is_complete(bits[job]):
                break
    return True
