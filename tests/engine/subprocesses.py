"""Running a piece of Python in a process of its own, with an engine and a cache folder of one's choice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import meshclash

ENGINE = Path(meshclash.__file__).parent


def run_python(code: str, engine: Path = ENGINE, **environment):
    """What the code prints last, read as JSON; variables given as None are removed."""
    variables = {**os.environ, "PYTHONPATH": str(engine.parent), **environment}
    variables = {name: str(value) for name, value in variables.items() if value is not None}
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
