"""Pictures of clashes without a window, by VTK."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..colours import COLOUR_A, COLOUR_B
from ..errors import InputError
from .nearby import Nearby, Triangles, nearby
from .topics import FIELD, VIEW

WIDTH, HEIGHT = 640, 360
MOST_PICTURES = 500
COLOURS = COLOUR_A, COLOUR_B
CANNOT_DRAW = "VTK cannot draw here: it found neither a display, nor EGL, nor OSMesa"
_TRIAL = """
from vtkmodules import vtkRenderingCore, vtkRenderingOpenGL2
window = vtkRenderingCore.vtkRenderWindow()
window.SetOffScreenRendering(1)
window.AddRenderer(vtkRenderingCore.vtkRenderer())
window.Render()
raise SystemExit(not window.SupportsOpenGL())
"""
_LONGEST_TRIAL = 120.0  # s


def pictures(pairs: Iterable[dict[str, Any]], triangles: Triangles) -> dict[str, bytes]:
    """PNG by the ids of pairs, of the first `MOST_PICTURES`.

    Raises:
        InputError: VTK is not installed, or cannot draw here; the message says what to do.
    """
    try:
        import vtkmodules.vtkRenderingOpenGL2  # noqa: F401, PLC0415 - registers what draws
        from vtkmodules import vtkRenderingCore  # noqa: PLC0415
        from vtkmodules.vtkCommonCore import vtkLogger  # noqa: PLC0415
    except ImportError as error:
        raise InputError(f"pictures are drawn by VTK ({error}): pip install 'meshclash[picture]'") from error
    _try_to_draw()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)  # it tells each way to draw that it tries
    window = vtkRenderingCore.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetSize(WIDTH, HEIGHT)
    window.SetMultiSamples(0)  # as peeling wants it
    found: dict[str, bytes] = {}
    for pair in pairs:
        if len(found) == MOST_PICTURES:
            break
        if pair["id"] not in found and (shown := nearby(pair, triangles)) is not None:
            found[pair["id"]] = _drawn(window, vtkRenderingCore, shown)
    window.Finalize()
    return found


def _try_to_draw() -> None:
    """Raises InputError where VTK cannot draw: it may end the process that asks it, so another one does."""
    try:
        drawn = subprocess.run([sys.executable, "-c", _TRIAL], capture_output=True, timeout=_LONGEST_TRIAL, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"VTK cannot draw here: {error}") from error
    if drawn.returncode:
        raise InputError(CANNOT_DRAW)


def _drawn(window: Any, core: Any, shown: Nearby) -> bytes:
    from vtkmodules.util.numpy_support import vtk_to_numpy  # noqa: PLC0415
    from vtkmodules.vtkIOImage import vtkPNGWriter  # noqa: PLC0415

    renderer = core.vtkRenderer()
    renderer.SetBackground(1.0, 1.0, 1.0)
    renderer.SetUseDepthPeeling(1)  # else what is behind shows through or not by the order of triangles
    renderer.SetUseFXAA(1)
    for triangles, colour in zip((shown.a, shown.b), COLOURS, strict=True):
        mesh = _mesh(triangles)
        renderer.AddActor(_actor(core, mesh, colour, 0.6, wireframe=False))
        # edges of the faces' own look are drawn wrong where a triangle reaches behind the camera
        renderer.AddActor(_actor(core, mesh, (0.0, 0.0, 0.0), 0.2, wireframe=True))
    window.AddRenderer(renderer)
    camera = renderer.GetActiveCamera()
    reach = 3.2 * shown.reach
    camera.SetFocalPoint(*shown.centre)
    camera.SetPosition(*(shown.centre + reach * np.array(VIEW)))
    camera.SetViewUp(0.0, 0.0, 1.0)
    camera.SetViewAngle(0.75 * FIELD)
    renderer.ResetCameraClippingRange()
    window.Render()
    grab = core.vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    writer = vtkPNGWriter()
    writer.SetWriteToMemory(1)
    writer.SetInputConnection(grab.GetOutputPort())
    writer.Write()
    window.RemoveRenderer(renderer)
    if not writer.GetResult():
        raise InputError(CANNOT_DRAW)
    return bytes(vtk_to_numpy(writer.GetResult()))


def _mesh(triangles: np.ndarray) -> Any:
    from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray  # noqa: PLC0415
    from vtkmodules.vtkCommonCore import vtkPoints  # noqa: PLC0415
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData  # noqa: PLC0415

    points = vtkPoints()
    points.SetData(numpy_to_vtk(np.ascontiguousarray(triangles.reshape(-1, 3)), deep=True))
    cells = vtkCellArray()
    cells.SetData(3, numpy_to_vtkIdTypeArray(np.arange(3 * len(triangles)), deep=True))
    mesh = vtkPolyData()
    mesh.SetPoints(points)
    mesh.SetPolys(cells)
    return mesh


def _actor(core: Any, mesh: Any, colour: tuple[float, float, float], opacity: float, wireframe: bool) -> Any:
    mapper = core.vtkPolyDataMapper()
    mapper.SetInputData(mesh)
    actor = core.vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    look.SetColor(*colour)
    look.SetOpacity(opacity)
    look.SetInterpolationToFlat()
    if wireframe:
        look.SetRepresentationToWireframe()
        mapper.SetResolveCoincidentTopologyToPolygonOffset()
    return actor
