"""The commands that the program has this package perform: plot, data, script, film, export, page, pictures."""

import os
import signal
import sys

from . import engine, film, missing_module, page
from .data import shown
from .drawing import Drawing
from .errors import Failed, Interrupted, Refused, lacks_files
from .pictures import PICTURES
from .request import OPTIONS, Request


def _perform(command, files, labels, options):
    into, request = options.get("into"), Request(labels, **{k: v for k, v in options.items() if k in OPTIONS})
    if command == "plot":
        from .looks.sheet import format_of

        kind, drawing = format_of(options["output"]), Drawing(files, request)
        drawing.save(into, kind=kind)
        if drawing.offers():
            print(f"casimir: drew {drawing.picture.name}; --picture also offers: {drawing.offers()}", file=sys.stderr)
    elif command == "film":
        film.make(files[0], request, into, options.get("film"), options.get("frames"))
    elif command == "export":
        from .vtk import write

        write(files[0], into)
    elif command == "pictures":
        for p in PICTURES.values():
            print(f"  {p.name:18} {p.summary}")
    else:
        name = os.path.basename(options.get("output", "-"))  # of a script
        text = page.write(files[0]) if command == "page" else Drawing(files, request).text() if command == "data" else \
            Drawing(files, request).script("figure.py" if name == "-" else name)
        with open(1 if into == "-" else into, "wb", closefd=into != "-") as out:
            out.write(text.encode("utf-8", "surrogateescape"))


def _end(number, frame):
    raise Interrupted("interrupted; there is nothing")


def main(arguments, go_on_with_own=None):
    """Performs a command on KEY=VALUE ..; the exit status. What there is to say of a failure is said in one line."""
    signal.signal(signal.SIGTERM, _end)
    pairs = [argument.partition("=")[::2] for argument in arguments[1:]]
    files, labels = ([value for key, value in pairs if key == many] for many in ("file", "label"))
    options = {key: value for key, value in pairs if key not in ("file", "label")}
    engine.unsealed = "unsealed" in options
    try:
        _perform(arguments[0], files, labels, options)
        return 0
    except ModuleNotFoundError as missing:
        if go_on_with_own and not (missing.name or "").startswith("casimir"):
            go_on_with_own()
        return missing_module(missing)
    except (Refused, Failed, Interrupted) as reason:
        print(f"casimir: {shown(reason)}", file=sys.stderr)
        return reason.status
    except MemoryError:
        print("casimir: out of memory", file=sys.stderr)
        return 4
    except OSError as reason:
        where = reason.filename or options.get("into") or options.get("output") or ""
        print(f"casimir: {shown(where)}: {shown(reason.strerror or reason)}", file=sys.stderr)
        return 3
    except Exception as reason:  # noqa: BLE001 one line, whatever a style sheet, a template or a library did
        print(f"casimir: drawing failed, {type(reason).__name__}: {shown(reason)}", file=sys.stderr)
        if os.environ.get("CASIMIR_TRACEBACK"):
            raise
        return 3 if lacks_files(reason) else 5
