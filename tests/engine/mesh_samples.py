"""Files of meshes for tests of readers: written by the libraries that read them, or by hand."""

import struct
from pathlib import Path

import numpy as np

BOX_VERTICES = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float64)
BOX_TRIANGLES = np.array(
    [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3]
).reshape(12, 3)


def write_stl(path: Path, offset=(0.0, 0.0, 0.0), size: float = 1.0) -> Path:
    """A box as binary STL."""
    corners = (size * BOX_VERTICES + offset)[BOX_TRIANGLES].astype("<f4")
    rows = b"".join(bytes(12) + triangle.tobytes() + bytes(2) for triangle in corners)
    path.write_bytes(bytes(80) + struct.pack("<I", len(corners)) + rows)
    return path


def scene_of_boxes(trimesh, matrices):
    """A trimesh scene whose nodes place one box."""
    box = trimesh.Trimesh(BOX_VERTICES, BOX_TRIANGLES, process=False)
    scene = trimesh.Scene()
    scene.geometry["box"] = box
    for name, matrix in matrices.items():
        scene.graph.update(frame_to=name, matrix=matrix, geometry="box")
    return scene


def moved(x: float, scale: float = 1.0) -> np.ndarray:
    """A matrix that scales and moves along x."""
    matrix = np.diag([scale, scale, scale, 1.0])
    matrix[0, 3] = x
    return matrix


USDA = """#usda 1.0
( metersPerUnit = 0.01
  upAxis = "Y" )
def Xform "Pump" {
    double3 xformOp:translate = (100, 200, 300)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Mesh "Mesh" {
        int[] faceVertexCounts = [5, 3]
        int[] faceVertexIndices = [0, 1, 2, 3, 4, 0, 4, 1]
        point3f[] points = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (2, 1, 0), (0, 4, 0)]
    }
}
def Mesh "Hidden" {
    token visibility = "invisible"
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    point3f[] points = [(0, 0, 0), (4, 0, 0), (4, 4, 0)]
}
def "Plate" ( instanceable = true
    references = </Proto> ) {
}
def "Plate2" ( instanceable = true
    references = </Proto> ) {
}
class Xform "Proto" {
    def Mesh "Sheet" {
        int[] faceVertexCounts = [4]
        int[] faceVertexIndices = [0, 1, 2, 3]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    }
}
"""
"""A concave pentagon in centimetres with y up, a hidden mesh, and two instances of a square."""
