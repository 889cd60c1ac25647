"""`python -m tasks A B`: all contacts of two clustered meshes, found by worker processes; exit status 1 for any.

Run from a checkout, with ``engine`` on the path. Other options are those of `python -m meshclash massive collide`.
"""

import argparse
import sys
from collections.abc import Sequence

import numpy as np
from meshclash import commands as command
from meshclash.massive.mesh import ClusteredMesh
from meshclash.traversal.contacts import Contacts
from meshclash.types.steps import run, steps

from .contacts import ModelPair, collide_pairs


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for, with the exit status of ``meshclash``."""
    parser = argparse.ArgumentParser(prog="python -m tasks", description=__doc__)
    command.add_collide_arguments(parser, _by_workers)
    parser.add_argument("--workers", type=int, metavar="N", help="processes of this machine (default: one a core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="the workers of this Dask scheduler")
    return command.main(sys.argv[1:] if arguments is None else arguments, parser)


def _by_workers(
    a: ClusteredMesh, b: ClusteredMesh, poses: list[np.ndarray | None], options: argparse.Namespace
) -> Contacts:
    from .dask_workers import DaskWorkers  # noqa: PLC0415 (an error of one line where Dask is missing)

    with DaskWorkers(options.scheduler, options.workers) as workers:
        return run(steps(collide_pairs, [ModelPair(a, b, *poses)], workers), command.tell)[0]


if __name__ == "__main__":
    sys.exit(main())
