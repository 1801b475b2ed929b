#!/usr/bin/python3
"""Builds the documentation: `build.py api DIRECTORY` the interface by Doxygen, `build.py site DIRECTORY` all pages by
MkDocs Material with the interface among them. Everything that the pages load is beside them. Debian's packages:
doxygen mkdocs mkdocs-material libjs-katex."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import headers

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
KATEX = pathlib.Path("/usr/share/javascript/katex")
# pages outside of docs/, by their names in the site, where those of docs/ and docs/systems/ lie beside each other
PAGES = {"README.md": "index.md", "src/python/README.md": "python.md", "src/cmake/packaging/README.md": "packaging.md"}


def version():
    return re.search(r"project\(casimir VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def build_api(out, work):
    """The interface as HTML in `out`. Doxygen fails where a name is not documented."""
    staged = work / "include" / "casimir"
    staged.mkdir(parents=True, exist_ok=True)
    for header in sorted((ROOT / "include" / "casimir").glob("*.h")):
        try:
            (staged / header.name).write_text(headers.convert(header.read_text()))
        except ValueError as error:
            sys.exit(f"{header}: {error}")
    (staged / "main.dox").write_text("""/** \\mainpage
    casimir.h runs studies from a program; results.h and statistics.h have their results as structs, config.h reads
    configurations, trajectory.h and dataset.h write and read files, status.h and parallel.h have errors and agreement
    between ranks. extend.h has the tables by which systems, schemes and generators are added, algebra.h those of
    algebras.
    The other pages: <a href="../index.html">casimir</a>. */
""")
    out.mkdir(parents=True, exist_ok=True)
    settings = (HERE / "Doxyfile").read_text() + (
        f'INPUT = "{staged}"\nOUTPUT_DIRECTORY = "{out}"\nSTRIP_FROM_PATH = "{staged.parent}"\n'
        f"PROJECT_NUMBER = {version()}\n")
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)


def target(link, page):
    """Where a link of a page of the tree leads in the site, whose pages are all in one directory."""
    path, hash_, anchor = link.partition("#")
    if re.match(r"[a-z]+:", link) or not path:
        return link
    place = (ROOT / page).parent / path
    name = str(place.resolve().relative_to(ROOT))
    if not place.exists():
        sys.exit(f"{page}: there is no {path}")
    if name in PAGES:
        return PAGES[name] + hash_ + anchor
    if re.fullmatch(r"include/casimir/\w+\.h", name):
        return "api/" + place.name.replace("_", "__").replace(".h", "_8h.html")
    if name.startswith("docs/"):
        return (place.name if place.suffix == ".md" else name.removeprefix("docs/")) + hash_ + anchor
    return name + hash_ + anchor if place.is_file() else link


def stage_page(page, pages):
    text = (ROOT / page).read_text()
    text = re.sub(r"(\]\()([^()\s]+)(\))", lambda m: m[1] + target(m[2], page) + m[3], text)
    name = PAGES.get(page, pathlib.Path(page).name)
    (pages / name).write_text(text)
    for link in re.findall(r"\]\(((?:jobs|src)/[^()\s#]+)", text):
        if (ROOT / link).is_file():
            (pages / link).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / link, pages / link)


def build_site(out, work):
    pages = work / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "figures", pages / "figures")
    build_api(pages / "api", work)
    for name in ("katex.min.css", "katex.min.js"):
        (pages / "katex").mkdir(exist_ok=True)
        shutil.copy(KATEX / name, pages / "katex")
    shutil.copytree(KATEX / "fonts", pages / "katex" / "fonts", ignore=shutil.ignore_patterns("*.ttf", "*.woff"))
    for name in ("mathematics.js", "site.css"):
        shutil.copy(HERE / name, pages)
    shutil.copy(ROOT / "docs" / "CITATION.cff", pages)
    for page in [*PAGES, *(str(p.relative_to(ROOT)) for p in sorted((ROOT / "docs").rglob("*.md")))]:
        stage_page(page, pages)
    shutil.copy(HERE / "mkdocs.yml", work)
    subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--clean", "--config-file", work / "mkdocs.yml",
                    "--site-dir", out.resolve()], check=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("what", choices=("api", "site"))
    arguments.add_argument("directory", type=pathlib.Path)
    given = arguments.parse_args()
    missing = [p for p in ("doxygen", "mkdocs")[: 1 + (given.what == "site")] if not shutil.which(p)]
    if given.what == "site" and not (KATEX / "katex.min.js").exists():
        missing.append("libjs-katex")
    if missing:
        sys.exit(f"missing: {' '.join(missing)} (Debian: doxygen mkdocs mkdocs-material libjs-katex)")
    work = given.directory.with_name(given.directory.name + ".stage")
    work.mkdir(parents=True, exist_ok=True)
    try:
        (build_api if given.what == "api" else build_site)(given.directory, work)
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd[0]} failed")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
