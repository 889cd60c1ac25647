"""Reports as dictionaries, made by hand."""

from meshclash.clash.options import DetectOptions

HOSTILE = '<b>&"=cmd\x1b[2J\x00\ud800]]>'
GLOBAL_ID = "2O2Fr$t4X7Zf8NOew3FL9r"


def pair(number=1, verdict="clash", **changes):
    made = {
        "id": f"{number:016x}", "a": f"A{number}", "b": f"B{number}", "frame": 1, "verdict": verdict, "contacts": 4,
        "faces_a": [0], "faces_b": [1], "original_faces_a": None, "original_faces_b": None,
        "location": [1.0, 2.0, 3.0], "depth": 0.01, "distance": None, "point_a": None, "point_b": None, "face_a": None,
        "face_b": None, "probability": None, "points_a": [], "points_b": [], "count_a": 1, "count_b": 1,
        "status": "open", "comment": "", "outdated": False, "flush": False, "certainty": 1.0, "volume": None,
        "volume_lower": None, "volume_upper": None, "depth_lower": 0.01, "depth_upper": 0.02, "new": None,
        "group": None, "test": None,
    }  # fmt: skip
    return {**made, **changes}


def report(*pairs, objects=(), lost=(), allow_lost=False):
    skipped = [{"name": name, "reason": "it is torn", "lost": True} for name in lost]
    skipped += [{"name": "Rail", "reason": "it has no faces", "lost": False}]
    no_geometry = {"camera": 2, "mesh without faces": 3}
    stats = {
        "seconds": 1.5,
        "skipped": skipped,
        "no_geometry": no_geometry,
        "resolution": 0.0,
        "coarse": [],
        "left_out": {"pairs": 0, "beyond": None},
    }
    return {
        "schema": "meshclash.report/1", "version": "0.2.0", "file": "model.ifc", "created": "2026-11-24T12:00:00+01:00",
        "saved_list": None, "unit": "m", "files": [], "baseline": None, "options": DetectOptions().as_dict(),
        "objects": list(objects), "events": None, "pairs": list(pairs), "stats": {**stats, "smaller": 0},
        "allow_lost": allow_lost,
    }  # fmt: skip
