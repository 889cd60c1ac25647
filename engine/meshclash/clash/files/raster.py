"""Draw triangles into an image on the CPU: two transparent solids, their overlap, and the objects behind them.

Each pixel stores the surfaces of the two solids behind it, the nearest first. While a line of sight is inside both
solids, it is in their overlap, which is painted over all other surfaces. No other object is drawn in front of the
solids, because it would hide them.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from ...jit import inner, kernel

MOST_LAYERS = 12
"""Maximum number of surfaces of the two solids that a pixel stores; nearer surfaces replace farther ones."""
LEAST = 1e-6
"""Shortest way through an overlap, in half heights of the image: two faces at one place are no overlap."""
PAPER = (0.933, 0.945, 0.957)
CONTEXT = (0.80, 0.825, 0.85)
OVERLAP = (1.0, 0.80, 0.0)
INK = (0.11, 0.13, 0.16)
ALPHA_FRONT, ALPHA_BACK = 0.62, 0.25
"""Opacity of the faces of the solids that face the viewer, and of those that face away."""
_LIGHT = np.array([-0.35, 0.45, 0.82])  # to the right, up, towards the viewer
_LIGHT /= np.linalg.norm(_LIGHT)


def shades(corners: np.ndarray) -> np.ndarray:
    """Return the brightness of each triangle, from 0 to 1, independent of the side that is seen.

    Args:
        corners: (t, 3, 3) to the right, up and towards the viewer.
    """
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    return 0.55 + 0.45 * np.abs(normals @ _LIGHT) / np.where(lengths > 0.0, lengths, 1.0)


@inner
def _edge(x0, y0, x1, y1, x, y):
    return (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)


@inner
def _span(x0, y0, x1, y1, x2, y2, y, width):
    """Return the first and last column of the part of a pixel row, at height y, that may be inside a triangle."""
    low, high = np.inf, -np.inf
    for xa, ya, xb, yb in ((x0, y0, x1, y1), (x1, y1, x2, y2), (x2, y2, x0, y0)):
        if (ya <= y) != (yb <= y):
            x = xa + (xb - xa) * (y - ya) / (yb - ya)
            low, high = min(low, x), max(high, x)
    if low > high:
        return 0, -1
    return int(max(0.0, np.floor(low - 1.0))), int(min(width - 1.0, np.ceil(high)))


@kernel
def fill(corners, owners, brightness, limits, depths, tones, sides, counts):
    """Add the surfaces of some triangles to the pixels: each pixel keeps the nearest ones that lie behind its limit.

    Args:
        corners: (t, 3, 3) column, row and depth away from the viewer.
        owners: (t,) 0 or 1, the solid.
        brightness: (t,).
        limits: (h, w) depth; surfaces in front of this depth are left out.
        depths, tones, sides, counts: (h, w, layers) and (h, w) values of the pixels; a side is 2 * owner, plus 1 if it
            faces away from the viewer.
    """
    height, width, layers = depths.shape
    for t in range(len(corners)):
        x0, y0, z0 = corners[t, 0]
        x1, y1, z1 = corners[t, 1]
        x2, y2, z2 = corners[t, 2]
        area = _edge(x0, y0, x1, y1, x2, y2)
        if area == 0.0:
            continue
        side = 2 * owners[t] + (1 if area > 0.0 else 0)  # rows go down, so a front face turns the other way round
        first, last = max(0, int(np.floor(min(y0, y1, y2)))), min(height - 1, int(np.ceil(max(y0, y1, y2))))
        for row in range(first, last + 1):
            y = row + 0.5
            left, right = _span(x0, y0, x1, y1, x2, y2, y, width)
            for column in range(left, right + 1):
                x = column + 0.5
                a = _edge(x1, y1, x2, y2, x, y) / area
                b = _edge(x2, y2, x0, y0, x, y) / area
                c = 1.0 - a - b
                if a < 0.0 or b < 0.0 or c < 0.0:
                    continue
                depth = a * z0 + b * z1 + c * z2
                if depth < limits[row, column]:
                    continue
                count = counts[row, column]
                if count == layers:
                    if depth >= depths[row, column, layers - 1]:
                        continue
                    count -= 1
                k = count
                while k > 0 and depths[row, column, k - 1] > depth:
                    depths[row, column, k] = depths[row, column, k - 1]
                    tones[row, column, k] = tones[row, column, k - 1]
                    sides[row, column, k] = sides[row, column, k - 1]
                    k -= 1
                depths[row, column, k] = depth
                tones[row, column, k] = brightness[t]
                sides[row, column, k] = side
                counts[row, column] = count + 1


@kernel
def blend(depths, tones, sides, counts, closed, behind, colours, image, overlaps):
    """Colour the pixels, and mark the pixels with an overlap.

    Args:
        depths, tones, sides, counts: the output of ``fill``.
        closed: whether both solids are closed, so that an overlap is defined.
        behind: (h, w) brightness of the background objects; below 0 for pixels without one.
        colours: (5, 3) colours of the solids, of background objects, of the paper and of an overlap.
        image: (h, w, 3), colours from 0 to 1.
        overlaps: (h, w) 1 if the line of sight passes through the overlap of both solids.
    """
    height, width, _ = depths.shape
    for row in range(height):
        for column in range(width):
            through, within = 1.0, np.zeros(2, np.int64)
            red, green, blue = 0.0, 0.0, 0.0
            tone = -1.0
            for k in range(counts[row, column]):
                side = sides[row, column, k]
                owner, is_back = side // 2, side % 2
                share = through * (ALPHA_BACK if is_back else ALPHA_FRONT)
                bright = tones[row, column, k]
                red += share * bright * colours[owner, 0]
                green += share * bright * colours[owner, 1]
                blue += share * bright * colours[owner, 2]
                through -= share
                within[owner] += -1 if is_back else 1
                inside_both = within[0] > 0 and within[1] > 0 and k + 1 < counts[row, column]
                if (
                    closed
                    and tone < 0.0
                    and inside_both
                    and depths[row, column, k + 1] - depths[row, column, k] > LEAST
                ):
                    tone = bright
            at_back, bright = (3, 1.0) if behind[row, column] < 0.0 else (2, behind[row, column])
            red += through * bright * colours[at_back, 0]
            green += through * bright * colours[at_back, 1]
            blue += through * bright * colours[at_back, 2]
            if tone >= 0.0:
                overlaps[row, column] = 1
                red = 0.15 * red + 0.85 * tone * colours[4, 0]
                green = 0.15 * green + 0.85 * tone * colours[4, 1]
                blue = 0.15 * blue + 0.85 * tone * colours[4, 2]
            image[row, column, 0], image[row, column, 1], image[row, column, 2] = red, green, blue


@kernel
def draw_lines(ends, surface, before, behind, hidden, seen, ink, image):
    """Draw lines two pixels wide.

    Args:
        ends: (n, 2, 3) column, row and depth of both ends.
        surface: (h, w) depth of the surface on which the lines lie.
        before, behind: distance before and behind the surface up to which a line is visible.
        hidden, seen: darkness of a line where it is hidden, and where it is visible.
        ink: (3,) its colour.
        image: (h, w, 3).
    """
    height, width = surface.shape
    touched = np.zeros((height, width))
    for k in range(len(ends)):
        x0, y0, z0 = ends[k, 0]
        x1, y1, z1 = ends[k, 1]
        low, high = 0.0, 1.0  # the part of the line inside the image
        for start, step, size in ((x0, x1 - x0, width), (y0, y1 - y0, height)):
            if step == 0.0:
                if start < 0.0 or start >= size:
                    high = -1.0
                continue
            one, other = (0.0 - start) / step, (size - start) / step
            low, high = max(low, min(one, other)), min(high, max(one, other))
        if high <= low:
            continue
        steps = int(np.ceil(max(abs(x1 - x0), abs(y1 - y0)) * (high - low))) + 1
        for step in range(steps + 1):
            at = low + (high - low) * step / steps
            x, y, z = x0 + at * (x1 - x0), y0 + at * (y1 - y0), z0 + at * (z1 - z0)
            for row in range(int(y - 0.5), int(y - 0.5) + 2):
                for column in range(int(x - 0.5), int(x - 0.5) + 2):
                    if 0 <= row < height and 0 <= column < width:
                        off = z - surface[row, column]
                        dark = seen if -before <= off <= behind else hidden
                        touched[row, column] = max(touched[row, column], dark)
    for row in range(height):
        for column in range(width):
            share = touched[row, column]
            if share > 0.0:
                for channel in range(3):
                    image[row, column, channel] += share * (ink[channel] - image[row, column, channel])


def to_png(image: np.ndarray) -> bytes:
    """Return a PNG of an image (h, w, 3) with colours from 0 to 1. Source: PNG (ISO/IEC 15948)."""
    height, width, _ = image.shape
    pixels = np.rint(255.0 * np.clip(image, 0.0, 1.0)).astype(np.uint8).reshape(height, 3 * width)
    lines = np.zeros((height, 1 + 3 * width), np.uint8)  # each begins with the number of its filter
    lines[:, 1:] = pixels
    lines[1:, 1:] -= pixels[:-1]  # "up": flat colours become zeros
    lines[1:, 0] = 2
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
