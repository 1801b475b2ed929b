"""What the program `casimir` starts: python3 DIRECTORY COMMAND KEY=VALUE .. (src/app/drawing.c)."""

import os
import sys

sys.dont_write_bytecode = True  # where casimir is installed, drawing leaves nothing
OWN = "/usr/bin/python3"  # of the system, where packages of the distribution are


def go_on_with_own():
    """Another Python of the PATH often lacks the packages that the system's has."""
    if os.path.realpath(sys.executable) != os.path.realpath(OWN) and os.access(OWN, os.X_OK) and not os.environ.get("CASIMIR_PYTHON"):
        os.environ["CASIMIR_PYTHON"] = OWN
        os.execv(OWN, [OWN, *sys.argv])


try:
    from casimir import command
except ModuleNotFoundError as missing:
    if (missing.name or "").startswith("casimir"):
        raise
    go_on_with_own()
    from casimir import missing_module

    sys.exit(missing_module(missing))
sys.exit(command.main(sys.argv[1:], go_on_with_own))
