"""Runs by the program `casimir`, which has to be installed, or named in the environment variable CASIMIR."""

import functools
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pandas

from .results import Collection, Results, files_of

_DONE = re.compile(r"casimir: (?:round [0-9]+, )? *([0-9]+)% after (.*)")
_POINT = re.compile(r"casimir: point ([0-9]+) of ([0-9]+)(.*): (?:done in .*|was done before)")


class CasimirError(RuntimeError):
    """There is no program, or it ended with a status other than 0 and 1; the text is what it said."""


def _command(ranks, program):
    program = str(program or os.environ.get("CASIMIR", "casimir"))
    command = [program] if ranks == 1 else [os.environ.get("MPIEXEC", "mpiexec"), "-n", str(ranks), program]
    for needed, remedy in (
            (program, "build casimir (sh jobs/quickstart.sh builds build/casimir), then add its folder to PATH, or "
                      "name it in the environment variable CASIMIR or as argument program"),
            (command[0], "load the MPI that casimir was built with, or name its launcher in the environment variable "
                         "MPIEXEC")):
        if not shutil.which(needed):
            raise CasimirError(f"there is no program '{needed}': {remedy}")
    return command


def _show(share, text):
    """One line of standard error, which the next one replaces."""
    print(f"\rcasimir: {share:4.0%}  {text[:70]:70}", end="\n" * (share >= 1), file=sys.stderr, flush=True)


def _perform(command, progress):
    """Runs the command; its standard output, its status, and how many points a sweep has. `progress` is called with the share
    that is done, if at all; a terminal and a notebook are shown it unless told not to be."""
    if progress is None:
        progress = sys.stderr.isatty() or "ipykernel" in sys.modules
    show = _show if progress is True else progress or (lambda share, text: None)
    said, done, points = [], 0, 0
    with tempfile.TemporaryFile("w+") as report:
        with subprocess.Popen(command, stdout=report, stderr=subprocess.PIPE, text=True) as process:
            try:
                for line in process.stderr:
                    share, point = _DONE.match(line), _POINT.match(line)
                    if point:
                        done, points = done + 1, int(point[2])
                        show(done / points, f"point {point[1]}{point[3]}")
                    elif share:
                        show(int(share[1]) / 100, share[2])
                    else:
                        said.append(line)
            except BaseException:
                process.terminate()  # writes a checkpoint, as after Ctrl-C
                process.stderr.read()
                raise
        if process.returncode not in (0, 1):
            raise CasimirError(f"casimir ended with status {process.returncode}: {''.join(said).strip()}")
        report.seek(0)
        return report.read(), process.returncode, points


# A value as JSON, which is YAML too; numbers and arrays of numpy as those of Python.
_yaml = functools.partial(json.dumps, default=lambda of: of.tolist(), ensure_ascii=False)


def _made(what, configuration, options, ranks, program, progress):
    """Performs a command on a configuration, which is written if it is a dict."""
    with tempfile.TemporaryDirectory() as directory:
        path = configuration
        if isinstance(configuration, dict):
            path = pathlib.Path(directory, "configuration.yaml")
            path.write_text(_yaml(configuration, indent=1), encoding="utf-8")
        return _perform([*_command(ranks, program), what, str(path), *options], progress)


def run(configuration, output, ranks=1, arguments=(), program=None, progress=None):
    """Runs a configuration, a dict or the path of a YAML file, and opens the results in `output`.

    With more ranks than one, `mpiexec` starts them. Exit status 1 (a check of the study failed) has results too;
    `results.status` tells it. `progress`: True shows the share that is done, False nothing, a function is called with
    that share and a text; by default it is shown on terminals and in notebooks. Runs of less than a second have none.
    """
    report, status, _ = _made("run", configuration, ["--long", "--output", str(output), *arguments], ranks, program, progress)
    results = Results(output)
    results.status, results.report = status, report
    return results


def sweep(configuration, values, output, zip=False, ranks=1, arguments=(), program=None, progress=None):
    """Runs a configuration for every combination of the values of some keys, or with `zip` for their first values, their
    second ones and so on:

        casimir.sweep(configuration, {"system.noise.sigma": [0.1, 0.2], "study.levels": [4, 5]}, "sigma.h5")

    Returns the Collection of sigma-1.h5, sigma-2.h5, .., of which the last key changes fastest. Arguments are those of
    `run`; progress counts points."""
    options = ["--output", str(output), *["--zip"] * zip]
    for key, of_key in values.items():
        options += ["--set", f"{key}={','.join(map(_yaml, of_key))}"]
    report, status, points = _made("sweep", configuration, [*options, *arguments], ranks, program, progress)
    swept = Collection(f"{str(output).removesuffix('.h5')}-{i:0{len(str(points))}}.h5" for i in range(1, points + 1))
    swept.status, swept.report = status, report
    return swept


def estimates(results, program=None):
    """All numbers with a standard error or an interval of a file, a pattern, several files or results, as `casimir report
    --format csv` writes them: a row each, with the keys in which the files differ."""
    if isinstance(results, (str, os.PathLike)):
        results = files_of(results)
    paths = [str(getattr(r, "path", r)) for r in ([results] if isinstance(results, Results) else results)]
    text, _, _ = _perform([*_command(1, program), "report", "--format", "csv", "--", *paths], False)
    # A name such as nan is no missing number, and an apostrophe stands before what spreadsheets would take for a formula.
    texts = dict.fromkeys(("file", "table", "quantity", "at", "functional"), str)
    table = pandas.read_csv(io.StringIO(text), float_precision="round_trip", keep_default_na=False, na_values=[""], dtype=texts)
    table = table[table["quantity"] != "headline"].reset_index(drop=True)  # the sentence of a file is no number
    return table.replace(r"^'(?=[-=+@])", "", regex=True)
