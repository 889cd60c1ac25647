"""3MF packages for tests of their reader, written by hand as the specification says."""

import zipfile

import numpy as np

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
KINDS = "http://schemas.microsoft.com/3dmanufacturing/"
PRODUCTION, BEAMS, SLICES = KINDS + "production/2015/06", KINDS + "beamlattice/2017/02", KINDS + "slice/2015/07"
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float64)
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def tetrahedron(size=1.0, more=""):
    rows = "".join(f'<vertex x="{x!r}" y="{y!r}" z="{z!r}"/>' for x, y, z in (size * POINTS).tolist())
    faces = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in FACES)
    return f"<mesh><vertices>{rows}</vertices><triangles>{faces}</triangles>{more}</mesh>"


def thing(number, content, more=""):
    return f'<object id="{number}" {more}>{content}</object>'


def parts_of(*components):
    return "<components>" + "".join(f"<component {one}/>" for one in components) + "</components>"


def at(x, y=0, z=0):
    return f'transform="1 0 0 0 1 0 0 0 1 {x} {y} {z}"'


def model(objects, build, head=""):
    names = f'xmlns="{CORE}" xmlns:p="{PRODUCTION}" xmlns:b="{BEAMS}" xmlns:s="{SLICES}" xmlns:a="urn:acme"'
    return f"<model {names} {head}><resources>{objects}</resources><build>{build}</build></model>"


def package(path, start, **others):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("3D/3dmodel.model", start)
        for name, text in others.items():
            archive.writestr(f"3D/{name}.model", text)
    return path
