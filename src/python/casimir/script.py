"""`casimir plot --script`: a short script that makes the same figure from the file, to be edited."""

import inspect
import os
import pprint

HEAD = '''# casimir figure: python3 {script} [FIGURE.pdf]   (svg, pdf, eps, png; {names} beside it)
# draw() is how casimir draws the picture '{picture}'; change it. `casimir plot {first} --template {script}` draws by it too.
import sys

sys.path.append({package!r})
import casimir
{imports}

FILES = {files}
OPTIONS = {options}


{look}

if __name__ == "__main__":
    picture = casimir.drawing.Drawing(FILES, casimir.request.Request(**OPTIONS))
    figure = casimir.looks.kit.make(picture, picture.data(), draw)
    casimir.looks.kit.save_as(figure, sys.argv[1] if len(sys.argv) > 1 else {figure!r})
'''


def write(drawing, files, labels, options):
    look = drawing.picture.draw()
    module = inspect.getmodule(look)
    source = inspect.getsource(look)
    kept = {k: v for k, v in options.items() if k not in ("into", "output", "script")}
    kept.setdefault("picture", drawing.picture.name)
    kept.update({"labels": labels} if labels else {})
    script = os.path.basename(options.get("output") or "figure.py").replace("-", "figure.py", 1) if options.get("output") == "-" else \
        os.path.basename(options.get("output") or "figure.py")
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    imports = f"import casimir.drawing, casimir.looks.kit, casimir.request\nfrom {module.__name__} import *  # and names with _:\n" \
              + "".join(f"from {module.__name__} import {name}\n" for name in sorted(vars(module)) if name.startswith("_")
                        and not name.startswith("__") and name + "(" in source)
    stem = os.path.splitext(os.path.basename(files[0]))[0]
    return HEAD.format(script=script, names=", ".join(map(os.path.basename, files)), picture=drawing.picture.name, first=files[0],
                       package=package, imports=imports.rstrip().replace("  # and names with _:", ""), files=pprint.pformat(files),
                       options=pprint.pformat(kept), look=source.replace(f"def {look.__name__}(", "def draw(", 1).rstrip() + "\n",
                       figure=stem + ".svg")
