"""Runs by the program `casimir`, which has to be installed, or named in the environment variable CASIMIR."""

import os
import pathlib
import subprocess
import tempfile

import yaml

from .results import open as open_results


class CasimirError(RuntimeError):
    """The program ended with a status other than 0 and 1; the text is what it said."""


def run(configuration, output, ranks=1, arguments=(), program=None):
    """Runs a configuration, a dict or the path of a YAML file, and opens the results in `output`.

    With more ranks than one, `mpiexec` starts them. Exit status 1 (a check of the study failed) has results too;
    `results.status` tells it.
    """
    program = program or os.environ.get("CASIMIR", "casimir")
    launcher = [os.environ.get("MPIEXEC", "mpiexec"), "-n", str(ranks)] if ranks > 1 else []
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
