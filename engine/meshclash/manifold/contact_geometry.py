"""A point, a normal and a depth for every contact, with the barycentric coordinates of the point."""

from typing import NamedTuple

import numpy as np

from ..traversal.contacts import Contacts
from ..types.arguments import instance
from .regions import contact_regions


class ContactPoints(NamedTuple):
    """The points, normals and depths of contacts. Row i of each array belongs to row i of ``pairs`` of the contacts.

    Attributes:
        points: (k, 3) [m], world: the centre of the common part of the two triangles.
        normals: (k, 3) unit vectors from a to b, world: the normals of the regions.
        depths: (k,) [m]: the depths of the regions, 0 or more.
        barycentric_a, barycentric_b: (k, 3) barycentric coordinates of the point in each triangle.
        regions: (k,) int64, index of the region among ``contact_regions``.
    """

    points: np.ndarray
    normals: np.ndarray
    depths: np.ndarray
    barycentric_a: np.ndarray
    barycentric_b: np.ndarray
    regions: np.ndarray


def contact_points(contacts: Contacts) -> ContactPoints:
    """Return a point, a normal and a depth for every contact. The arguments and errors are the same as for
    ``contact_regions``.

    Example:
        >>> import numpy as np
        >>> import meshclash as mc
        >>> box = mc.shapes.box(1.0)
        >>> pose = np.eye(4)
        >>> pose[2, 3] = 0.75
        >>> points = mc.manifold.contact_points(mc.collide(box, box, pose_b=pose))
        >>> round(float(points.depths.max()), 9)
        0.25
    """
    instance("contacts", contacts, Contacts)
    regions = contact_regions(contacts)
    normals, depths = np.zeros((len(contacts), 3)), np.zeros(len(contacts))
    numbers = np.zeros(len(contacts), np.int64)
    for k, region in enumerate(regions):
        normals[region.rows], depths[region.rows], numbers[region.rows] = region.normal, region.depth, k
    points = contacts.segments().mean(axis=1)
    for row, outline in contacts.outlines():
        points[row] = outline.mean(axis=0)
    weights = [_barycentric(contacts.world_triangles(side), points) for side in (0, 1)]
    return ContactPoints(points, normals, depths, weights[0], weights[1], numbers)


def _barycentric(triangles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return barycentric coordinates (k, 3), from 0 to 1, of points (k, 3) in triangles (k, 3, 3)."""
    p, q, r = (triangles[:, k] for k in range(3))
    u, v, w = q - p, r - p, points - p
    uu, uv, vv = ((x * y).sum(axis=1) for x, y in ((u, u), (u, v), (v, v)))
    wu, wv = ((w * x).sum(axis=1) for x in (u, v))
    area = uu * vv - uv * uv
    flat = area <= 1e-14 * uu * vv
    safe = np.where(flat, 1.0, area)
    b = np.where(
        flat, np.clip(np.divide(wu, uu, out=np.zeros_like(wu), where=uu > 0.0), 0.0, 1.0), (vv * wu - uv * wv) / safe
    )
    c = np.where(flat, 0.0, (uu * wv - uv * wu) / safe)
    weights = np.clip(np.stack([1.0 - b - c, b, c], axis=1), 0.0, None)
    scaled: np.ndarray = weights / weights.sum(axis=1, keepdims=True)
    return scaled
