"""`python -m bench NAME [options]`: one module of this package per name, imported only when asked for."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any

# A module here offers add_arguments(parser) and run(options) -> exit status; the text is what --help says.
BENCHES = {
    "blender-files": "pairs and depths of `meshclash detect` beside those in Blender of the same files",
    "clouds": "collisions of point clouds beside their meshes' own answers and cKDTree's minimum distance",
    "continuous": "points, edges and triangles between two frames against rational root isolation",
    "costs": "what a volume test and a triangle test cost, told apart by a designed experiment",
    "depths": "depths of overlaps against rational truth (boxes) and the best of many searches (models)",
    "everyday": "single questions and small scenes as Python users write them, beside python-fcl, coal and trimesh",
    "exactness": "verdicts and kinds against exact arithmetic, for triangle pairs and whole meshes",
    "fcl-calls": "single calls through compat.fcl beside python-fcl, for each pair of shapes",
    "filters": "the float32 filters of the 8-wide engine under attack: does any drop a contact?",
    "gpu": "a CUDA device beside our own CPU path: the same answers, times, memory; the host where there is none",
    "ifc": "all pairs of elements of IFC models beside ifcopenshell's geometry tree, differences judged exactly",
    "ifc-rows": "the first rows of the list of an IFC model, each judged by manifold3d's common volume",
    "interference": "common solids of closed pairs beside their truth and proved bounds of their volumes",
    "latency": "what compiling costs: each kernel cold and from the cache, and the first answer of a fresh process",
    "massive": "meshes on disk beside the same meshes in memory: building, frames, memory, the same bytes",
    "motion": "moments of contact, convex hulls, sorted boxes and steps of scenes, against independent answers",
    "open-meshes": "inside, containment and depth of open, cracked and turned meshes whose truth is known",
    "nearest": "nearest points, signed distances and sides of points beside Open3D, libigl and trimesh",
    "papers": "figures of the founding papers from our data, on one page beside the papers' numbers",
    "mesh-files": "files of meshes as `meshclash.read` gives them, beside Blender's importer of glTF and trimesh",
    "public": "public models against themselves, contacts and distances, beside python-fcl, coal and Embree",
    "rays": "rays against models beside embreex and Open3D, crossings and parity against fractions",
    "rigid": "all contacts and first contact of two posed meshes beside four other libraries",
    "primitives": "depths and normals of primitives beside analytic ones, of convex hulls beside coal and MuJoCo",
    "robot-files": "poses, limits and shapes of URDF files beside Pinocchio and coal",
    "usd-ifc-files": "USD and IFC files as `meshclash.read` reads them beside plain ifcopenshell, usd-core and Blender",
    "robots": "a robot in random configurations, with itself and obstacles, beside coal",
    "single": "single calls with a new pose each beside python-fcl and coal, from 12 to a million triangles",
    "stacks": "stacks of poses on one thread and on all, beside coal and python-fcl in a loop",
    "timecritical": "calibration of time-critical detection",
    "voxels": "voxels of deforming objects: marking, contacts and volumes beside rebuilding and other libraries",
    "verdicts": "verdicts of solids whose answer is known: unions of boxes that touch, or nearly do",
    "volumes": "verdicts of closed models beside manifold3d's common volumes, close cases by exact arithmetic",
    "scene": "time of Detect for a thousand objects against each other, stage by stage",
}


def _module(name: str) -> Any:
    return importlib.import_module(f".{name.replace('-', '_')}", __package__)


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, run one bench and return its exit status (0 fine, 1 a check failed, 2 bad options)."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = parser.add_subparsers(dest="bench", required=True, metavar="NAME")
    arguments = sys.argv[1:] if arguments is None else arguments
    for name, text in BENCHES.items():
        bench_parser = names.add_parser(name, help=text, description=text)
        if name in arguments[:1]:
            _module(name).add_arguments(bench_parser)
    options = parser.parse_args(arguments)
    return _module(options.bench).run(options)


if __name__ == "__main__":
    sys.exit(main())
