"""Runs by the program `casimir`, which has to be installed, or named in the environment variable CASIMIR."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import yaml

from .results import open as open_results


class CasimirError(RuntimeError):
    """There is no program, or it ended with a status other than 0 and 1; the text is what it said."""


def _found(program, remedy):
    """The program, where it can be started."""
    if not shutil.which(program):
        raise CasimirError(f"there is no program '{program}': {remedy}")
    return str(program)


def run(configuration, output, ranks=1, arguments=(), program=None):
    """Runs a configuration, a dict or the path of a YAML file, and opens the results in `output`.

    With more ranks than one, `mpiexec` starts them. Exit status 1 (a check of the study failed) has results too;
    `results.status` tells it.
    """
    program = _found(program or os.environ.get("CASIMIR", "casimir"),
                     "build casimir (sh jobs/quickstart.sh builds build/casimir), then add its folder to PATH, or name "
                     "it in the environment variable CASIMIR or as argument program")
    launcher = []
    if ranks > 1:
        mpiexec = _found(os.environ.get("MPIEXEC", "mpiexec"),
                         "load the MPI that casimir was built with, or name its launcher in the environment variable MPIEXEC")
        launcher = [mpiexec, "-n", str(ranks)]
    with tempfile.TemporaryDirectory() as directory:
        path = configuration
        if isinstance(configuration, dict):
            path = pathlib.Path(directory, "configuration.yaml")
            path.write_text(yaml.safe_dump(configuration, sort_keys=False))
        command = [*launcher, program, "run", str(path), "--output", str(output), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise CasimirError(f"casimir ended with status {done.returncode}: {done.stderr.strip()}")
    results = open_results(output)
    results.status = done.returncode
    results.report = done.stdout
    return results
