"""What the program `casimir` computes: observables of states, by `casimir evaluate`, and the rows of `casimir report`."""

import contextlib
import json
import os
import subprocess

import numpy as np

from .errors import Failed, Refused, lacks_files

unsealed = False  # whether files without a seal are read


def says(command, *arguments, given=b""):
    """What a command of the program prints, as bytes."""
    program, unsealed_too = os.environ.get("CASIMIR", "casimir"), ["--unsealed"] * unsealed
    try:
        done = subprocess.run([program, command, *unsealed_too, *arguments], input=given, capture_output=True)
    except OSError as reason:
        if lacks_files(reason):
            raise
        raise Failed(f"the program '{program}' cannot be started ({reason.strerror}): name it in the environment variable CASIMIR") \
            from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().removeprefix("casimir: ")
        why = said or f"'{program} {command}' ended with status {done.returncode}"
        raise Refused(why) if done.returncode in (2, 3) else Failed(why)  # what is asked for, or a file, is wrong
    return done.stdout


class Observable:
    """An observable of the system of a results file, with its parameters. `observable(states)` computes it: states are as
    the file has them, [n, ..] or one, real or complex. The result is [n, *shape]; NaN where a state is none of the system.
    `unit`, and of maps `axes`, {name: coordinates}."""

    def __init__(self, file, name, axes=0):
        self.file, self.name = file, name
        head, _ = self._ask(np.zeros(0))
        self.unit, self.shape = head["unit"], tuple(head["shape"])
        self.axes = {axis["name"]: np.array(axis["coordinates"]) for axis in head["axes"]}
        if len(self.shape) != axes:
            raise Refused(f"{file}: the observable '{name}' has {len(self.shape)} axes, and what is drawn needs {axes}")

    def _ask(self, states):
        size = ["--size", str(states[0].nbytes // 8)] if len(states) else []
        out = says("evaluate", *size, "--", self.file, self.name, given=np.ascontiguousarray(states).tobytes())
        head, _, numbers = out.partition(b"\n")
        return json.loads(head), np.frombuffer(numbers)

    def __call__(self, states):
        return self._ask(states.astype(complex if states.dtype.kind == "c" else float))[1].reshape(-1, *self.shape)


def has_observable(file, name, axes=0):
    """Whether the system of a file has it."""
    with contextlib.suppress(Refused):
        return bool(Observable(file, name, axes))
    return False
