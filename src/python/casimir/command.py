"""The commands that the program has this package perform: plot, data, script, film, export, page, pictures."""

import os
import signal
import sys

from . import film as films
from . import missing_module
from .data import shown
from .drawing import Drawing
from .errors import Failed, Interrupted, Refused, lacks_files
from .pictures import PICTURES
from .request import OPTIONS, Request


def read(arguments):
    """KEY=VALUE .. as files, labels and a dict of the others."""
    pairs = [argument.partition("=")[::2] for argument in arguments]
    files, labels = ([value for key, value in pairs if key == many] for many in ("file", "label"))
    return files, labels, {key: value for key, value in pairs if key not in ("file", "label")}


def _request(labels, options):
    return Request(labels, **{k: v for k, v in options.items() if k in OPTIONS})


def _print(text, into):
    """Text into a file, or on standard output as "-"."""
    with open(1 if into == "-" else into, "wb", closefd=into != "-") as out:
        out.write(text.encode("utf-8", "surrogateescape"))


def plot(files, labels, options):
    from .looks.sheet import format_of

    kind, drawing = format_of(options["output"]), Drawing(files, _request(labels, options))
    drawing.save(options["into"], kind=kind)
    others = drawing.offers()
    if others:
        print(f"casimir: drew {drawing.picture.name}; --picture also offers: {others}", file=sys.stderr)


def data(files, labels, options):
    _print(Drawing(files, _request(labels, options)).text(), options["into"])


def script(files, labels, options):
    from .script import write

    _print(write(Drawing(files, _request(labels, options)), files, labels, options), options["into"])


def film(files, labels, options):
    films.make(files[0], _request(labels, options), *map(options.get, ("into", "film", "frames")))


def export(files, labels, options):
    from .vtk import write

    write(files[0], options["into"])


def page(files, labels, options):
    from .page import write

    _print(write(files[0]), options["into"])


def pictures(files, labels, options):
    for p in PICTURES.values():
        print(f"  {p.name:18} {p.summary}")


def _end(number, frame):
    raise Interrupted("interrupted; there is nothing")


def main(arguments, go_on_with_own=None):
    """Performs a command; the exit status. What there is to say of a failure is said in one line."""
    signal.signal(signal.SIGTERM, _end)
    files, labels, options = read(arguments[1:])
    if options.get("unsealed"):
        from . import engine

        engine.unsealed = True
    try:
        {f.__name__: f for f in (plot, data, script, film, export, page, pictures)}[arguments[0]](files, labels, options)
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
