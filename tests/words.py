#!/usr/bin/env python3
"""Words of pages and comments: words.py SOURCE_DIR

Comments of C, of scripts and of configurations, and the text of pages, are plain sentences that name what they speak of.
Status 1, with a line for each place, where one of them has a phrase of REFUSED: it leaves the noun out, or says "the same"
of something that stands elsewhere.
"""
import os
import re
import sys

FOLDERS = ("bench", "docs", "include", "jobs", "src", "tests")
FILES = ("README.md", "CMakeLists.txt", ".ci/run")

REFUSED = [(re.compile(pattern), instead) for pattern, instead in (
    (r"\bso (many|much)\b(?! as| more| less)", "say how many, or of what"),
    (r"(?<!\bso )\bthat there (is|are|was|were)\b", "name what there is"),
    (r"\bthose that\b", "name what they are"),
    (r"^The same\b", "say what is the same, and with what"))]

COMMENT = {
    ".c": r"/\*(.*?)\*/|//([^\n]*)", ".h": r"/\*(.*?)\*/|//([^\n]*)", ".def": r"/\*(.*?)\*/",
    ".py": r'"""(.*?)"""|(?:^[ \t]*#(?!!)[^\n]*\n?)+|#([^\n]*)', "": r"(?:^[ \t]*#(?!!)[^\n]*\n?)+|\s#([^\n]*)"}
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def comments(path, text):
    """(line, text) of each comment, of which the marks are taken away"""
    ending = os.path.splitext(path)[1]
    if ending in (".c", ".h", ".def"):
        text = STRING.sub(lambda m: " " * len(m[0]), text)
    for m in re.finditer(COMMENT.get(ending, COMMENT[""]), text, re.S | re.M):
        yield text.count("\n", 0, m.start()) + 1, re.sub(r"^[ \t]*(#|\*)+", "", m[m.lastindex or 0], flags=re.M)


def prose(text):
    """(line, text) of each paragraph, item and cell of a page, without code"""
    text = re.sub(r"^```.*?^```|<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)
    text = re.sub(r"`[^`]*`", lambda m: "`" + "\n" * m[0].count("\n") + "`", text)
    for m in re.finditer(r"(?:^(?!    )[^\n]+\n)+", text, re.M):
        line = text.count("\n", 0, m.start()) + 1
        for item in re.finditer(r"(?:^[ \t]*(?:[*-]|\d+\.) |\||(?<=[.:!?]) |\A)([^|]*?)(?=^[ \t]*(?:[*-]|\d+\.) |\||(?<=[.:!?])\s|\Z)",
                                m[0], re.M | re.S):
            yield line + m[0].count("\n", 0, item.start(1)), item[1]


def faults(path, text):
    for line, part in prose(text) if path.endswith(".md") else comments(path, text):
        words = " ".join(part.split()).lstrip("*-|: ")
        for pattern, instead in REFUSED:
            for found in pattern.finditer(words):
                yield f"{path}:{line}: '{found[0]}' in '{words[max(0, found.start() - 30):found.end() + 30]}': {instead}"


def sources(root):
    yield from FILES
    for folder in FOLDERS:
        for top, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def", ".py", ".sh", ".md", ".yaml", ".sbatch", ".cmake", "CMakeLists.txt")):
                    yield os.path.relpath(os.path.join(top, name), root)


def main(root):
    bad = 0
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as f:
            for fault in faults(path, f.read()):
                bad += 1
                print("words.py:", fault, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
