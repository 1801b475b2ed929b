"""`casimir plot --script`: a short script that makes the same figure from the file, to be edited."""

import inspect
import os
import pprint

TEXT = '''# casimir figure: python3 {script} [FIGURE.pdf]   (svg, pdf, eps, png; {names} beside it)
# draw() is how casimir draws the picture '{picture}'; change it. `casimir plot {first} --template {script}` draws by it too.
import sys

sys.path.append({package!r})
from casimir.drawing import Drawing
from casimir.request import Request
{imports}

FILES = {files}
OPTIONS = {options}


{look}

if __name__ == "__main__":
    Drawing(FILES, Request(**OPTIONS)).save(sys.argv[1] if len(sys.argv) > 1 else {figure!r}, draw)
'''


def _names(code):
    """What a function takes from its module, and attributes."""
    return set(code.co_names).union(*(_names(part) for part in code.co_consts if inspect.iscode(part)))


def write(drawing, files, labels, options):
    look = drawing.picture.draw()
    module, source = inspect.getmodule(look), inspect.getsource(look).rstrip()
    used = sorted(name for name in _names(look.__code__) if hasattr(module, name))
    modules = [f"import {getattr(module, name).__name__}" + (" as np" if name == "np" else "") for name in used
               if inspect.ismodule(getattr(module, name))]
    names = ", ".join(name for name in used if not inspect.ismodule(getattr(module, name)))
    kept = {k: v for k, v in options.items() if k not in ("into", "output", "script")}
    kept.setdefault("picture", drawing.picture.name)
    kept.update({"labels": labels} if labels else {})
    output = options.get("output") or "-"
    return TEXT.format(script="figure.py" if output == "-" else os.path.basename(output), names=", ".join(map(os.path.basename, files)),
                       picture=drawing.picture.name, first=files[0], package=os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                       imports="\n".join([*modules, f"from {module.__name__} import {names}"]), files=pprint.pformat(files),
                       options=pprint.pformat(kept), look=source.replace(f"def {look.__name__}(", "def draw(", 1),
                       figure=os.path.splitext(os.path.basename(files[0]))[0] + ".svg")
