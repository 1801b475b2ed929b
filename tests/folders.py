#!/usr/bin/env python3
"""The folders of the sources and what they use of each other.

usage: folders.py SOURCE_DIR BUILD_DIR [--graph FILE]

A file uses another if it includes it, or if its object refers to a symbol that the object of the other defines. The
folders are printed with the folders that each of them uses.
Status 1, with a message each, if
  - folders use each other in a circle,
  - more than two files of one folder use each other in a circle,
  - the folders of src, each with all that is below it, use each other in a circle, or are more than MOST_TOP_FOLDERS,
  - a folder holds more than MOST_FILES files,
  - a file sees mpi.h, directly or by what it includes, that is not listed in SEES_MPI,
  - a header of src declares a name that does not say where it is from (ALIASES),
  - two headers have one include guard, or define types of one name,
  - a line has more than MOST_COLUMNS, or the name of a member stands in another line than its type,
  - a file has more than MOST_LINES, or a struct more than MOST_MEMBERS, of which a struct in it is one.
--graph FILE writes the graph of the folders of src in the language of Graphviz.
"""
import collections
import os
import re
import subprocess
import sys

MOST_FILES = 24
MOST_TOP_FOLDERS = 13
MOST_COLUMNS = 100
MOST_LINES = 500
MOST_MEMBERS = 24
PUBLIC = "include/casimir"

# The files that may see MPI: their paths begin with one of these.
SEES_MPI = (
    "include/casimir/casimir.h", "include/casimir/parallel.h", "include/casimir/trajectory.h",
    "src/app/", "src/base/compare_ranks.c", "src/base/parallel.c", "src/engine/", "src/files/input/", "src/paths/",
    "src/statistics/reduce", "src/studies/", "src/files/trajectories/")

# What a header of src declares begins with cas_ and the name of a file or of a registered entry of its folder, of the
# folder, of a type of this header or of one that it includes, or of a public type; a plural counts as the singular,
# and _impl does not count. Types may have any name with cas_. These names are the language of kernels besides. A
# header without a guard is a text that is included several times, of a scheme, say: its names are those of the text.
ALIASES = {"CAS_VL", "CAS_INLINE", "CAS_NOT_INLINE", "CAS_ALG", "CAS_FN", "CAS_SCHEME", "ALGEBRA", "ALGEBRA_PRODUCTS"}

# A registry lists the entries of a .def file, which it does not know otherwise: NAME(entry) stands for the symbol
# cas_name_entry, with what follows it. What a file uses only by such a list, or the list itself, is no use of it.
ENTRY = re.compile(r"^CAS_([A-Z_]+)\((\w+)", re.M)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        return f.read()


def sources(root):
    """A .def file is a registry where it lies beside C; recipes of packages end so, too."""
    for top in ("src", "include"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def")) and any(n.endswith((".c", ".h")) for n in names):
                    yield os.path.relpath(os.path.join(folder, name), root)


def includes(root, files):
    """{file: the files of the project, or mpi.h, that it includes}"""
    found = {}
    for path in files:
        names = re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', read(root, path), re.M)
        candidates = [(c for c in ("src/" + n, "include/" + n, n) if c in files or c == "mpi.h") for n in names]
        found[path] = {c for choice in candidates for c in list(choice)[:1]}
    return found


def registered(root, path, included):
    """the beginnings of the symbols that this file knows by lists alone"""
    return tuple(f"cas_{kind.lower()}_{entry}" for d in included[path] if d.endswith(".def")
                 for kind, entry in ENTRY.findall(read(root, d)))


def objects(build):
    """(object, source) of the library and of the program; the sources of one set of instructions stand for all"""
    for target in ("casimir", "casimir_program", "kernels_generic"):
        top = os.path.join(build, "CMakeFiles", target + ".dir")
        for folder, _, names in os.walk(top):
            for name in names:
                if name.endswith(".c.o"):
                    path = os.path.join(folder, name)
                    yield path, os.path.relpath(path, top)[:-len(".o")]


def symbols(paths):
    """{object: (what it defines, what it refers to)}, without names of the C library, such as _exit: whoever calls
    one does not use the file that replaces it"""
    found = collections.defaultdict(lambda: (set(), set()))
    listed = subprocess.run(["nm", "-P", "-g", *paths, os.devnull], check=False, capture_output=True, text=True).stdout
    for line in listed.splitlines():
        if line.endswith(":"): # of several files, each begins with its name
            defined, used = found[line[:-1]]
            continue
        name, kind = line.split()[:2]
        if not name.startswith("_"):
            (used if kind in "Uw" else defined).add(name)
    return found


def symbol_uses(root, build, files, included):
    """{file: the files that define what it refers to}"""
    of = {path: source for path, source in objects(build) if source in files}
    tables = {of[path]: found for path, found in symbols(list(of)).items()}
    home = {name: source for source, (defined, _) in tables.items() for name in defined}
    if not home:
        sys.exit(f"folders.py: there are no objects in {build}")
    uses = collections.defaultdict(set)
    for source, (_, used) in tables.items():
        listed = registered(root, source, included)
        uses[source] = {home[n] for n in used if n in home and not (listed and n.startswith(listed))}
    return uses


# ---- names ----

GUARD = re.compile(r"\A\s*#ifndef (\w+)\n#define \1$", re.M)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|CAS_PRINTF\([^)]*\)|\bCAS_MUST_CHECK\b")
TYPE = re.compile(r"typedef .*?(?:\(\s*\*\s*(?P<pointer>\w+)\s*\)\s*\(|(?P<call>\w+)\s*\((?=[^*])|(?P<plain>\w+)\s*$)"
                  r"|(?:struct|enum|union) (?P<tag>\w+) \{\}$")
NO_NAME = re.compile(r"(?:struct|enum|union)(?: \w+)?(?: \{\})?$")
SYMBOL = re.compile(r"\bCAS_ISA\(\s*(\w+)\s*\)|(\w+)\s*\(|(\w+)\s*(?:\[[^]]*\]\s*)*$")


def without_comments(text):
    """also without strings and with whole lines"""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text.replace("\\\n", " "))


def declared(text):
    """(names of types, other names) that a header declares, at file scope"""
    text, braces = without_comments(text), True
    types, names = set(), set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M))
    text = ATTRIBUTE.sub("", re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)).replace('extern "" {', "")
    for constants in re.findall(r"^(?:typedef )?enum\b[^;{}]*\{([^{}]*)\}", text, re.M):
        names |= set(re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"\([^()]*\)", "", constants)))
    while braces:
        text, braces = re.subn(r"\{[^{}]*\}", "\0", text)
    for statement in re.sub(r"\)\s*\0", ");", text).split(";"):  # a function ends so
        statement = " ".join(statement.replace("\0", " {} ").split())
        found = TYPE.match(statement)
        if found:
            types |= {n for n in found.groupdict().values() if n}
        elif statement and not NO_NAME.match(statement):
            symbol = SYMBOL.search(re.sub(r"=.*", "", statement).strip())
            names |= {n for n in symbol.groups() if n} if symbol else set()
    return types, names


def families(root, path, files, included, types):
    """what names of this header may begin with, in small letters, without cas_ and as singulars"""
    folder = os.path.dirname(path)
    beside = [f for f in files if os.path.dirname(f) == folder]
    found = {os.path.splitext(os.path.basename(f))[0].removesuffix("_impl") for f in beside}
    found.add(os.path.basename(folder))
    found |= {entry for f in beside if f.endswith(".def") for _, entry in ENTRY.findall(read(root, f))}
    seen = [path] + [i for i in included[path] if i in types] + [h for h in types if h.startswith(PUBLIC)]
    found |= {t.removeprefix("cas_") for h in seen for t in types[h]}
    return {singular(f.lower()) for f in found}


def singular(word):
    return word[:-3] + "y" if word.endswith("ies") else word.removesuffix("s")


def begins(name, family):
    """whether a name begins with one of these families, of whose words the last may be a plural"""
    words = name.lower().split("_")
    return words[0] == "cas" and any(singular("_".join(words[1:n + 1])) in family for n in range(1, len(words)))


def name_faults(root, files, included):
    headers = sorted(f for f in files if f.endswith(".h"))
    text = {h: read(root, h) for h in headers}
    guard = {h: GUARD.search(re.sub(r"/\*.*?\*/", "", text[h], flags=re.S)) for h in headers}
    types, names = {}, {}
    for h in headers:
        types[h], names[h] = declared(text[h]) if guard[h] else (set(), set())
    for h in headers:
        if guard[h] and h.startswith("src/"):
            family = families(root, h, files, included, types)
            wrong = {n for n in names[h] if not begins(n, family)} - ALIASES - {guard[h][1]}
            wrong |= {t for t in types[h] if not t.startswith("cas_")}
            yield from (f"{h} declares {n}, which does not say where it is from" for n in sorted(wrong))
    defined = collections.defaultdict(list)
    for h in headers:
        for name in re.findall(r"^(?:} (\w+);|(?:struct|enum|union) (\w+) {)", text[h], re.M):
            defined["the type " + "".join(name)].append(h)
        if guard[h]:
            defined["the include guard " + guard[h][1]].append(h)
    yield from (f"{what} is in {' and '.join(where)}" for what, where in sorted(defined.items()) if len(where) > 1)


BRACES = re.compile(r"(\bstruct\b[^;{}()=]*)?\{([^{}]*)\}")
TORN = re.compile(r"^  (?:const |unsigned |struct )?\w+\n +\**\w+(?:\[\w+\])*[;,]", re.M)


def line_faults(root, files):
    for path in sorted(files):
        text = read(root, path)
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > MOST_COLUMNS:
                yield f"{path}:{number} has {len(line)} columns, more than {MOST_COLUMNS}"
        for torn in TORN.finditer(text):
            yield f"{path}: {' '.join(torn[0].split())} is torn: put the comment above it"
        if text.count("\n") > MOST_LINES:
            yield f"{path} has more than {MOST_LINES} lines"
        text = without_comments(text)
        for _ in range(4):  # parentheses within parentheses
            text = re.sub(r"\([^()]*\)", "", text)
        while inner := BRACES.search(text):
            if inner[1] and inner[2].count(";") + inner[2].count(",") > MOST_MEMBERS:
                yield f"{path}: struct of {re.split('[;,]', inner[2])[0].strip()} has more than {MOST_MEMBERS} members"
            text = text[:inner.start()] + text[inner.end():]


# ---- graphs ----

def reaches(graph, start):
    seen, todo = set(), [start]
    while todo:
        for w in graph.get(todo.pop(), ()):
            if w not in seen:
                seen.add(w)
                todo.append(w)
    return seen


def circles(graph):
    """the sets of nodes that reach each other"""
    reached = {v: reaches(graph, v) for v in graph}
    return sorted({tuple(sorted(w for w in reached[v] if v in reached.get(w, ()))) for v in graph if v in reached[v]})


def merged(uses, name):
    graph = collections.defaultdict(set)
    for a, others in uses.items():
        graph[name(a)] |= {name(b) for b in others if name(b) != name(a)}
    return graph


def top_folder(path):
    """src/math of src/math/algebra/so3.h"""
    return "/".join(path.split("/")[:2])


def describe_circle(circle, uses, name):
    """one line for each use that is part of the circle"""
    return "\n".join(f"    {a} uses {b}" for a in sorted(uses) for b in sorted(uses[a])
                     if name(a) in circle and name(b) in circle and name(a) != name(b))


def short(folder):
    return PUBLIC if folder == PUBLIC else os.path.relpath(folder, "src")


def write_graph(file, folders):
    with open(file, "w", encoding="utf-8") as f:
        f.write("digraph folders {\n")
        for a in sorted(folders):
            f.write(f'  "{short(a)}";\n')
            for b in sorted(folders[a]):
                f.write(f'  "{short(a)}" -> "{short(b)}";\n')
        f.write("}\n")


def main(root, build, graph_file=None):
    files = set(sources(root))
    included = includes(root, files)
    uses = symbol_uses(root, build, files, included)
    for path in files:
        uses[path] |= {i for i in included[path] if i in files and not i.endswith(".def")}
    folders = merged(uses, os.path.dirname)
    faults = []

    for folder in sorted(folders):
        print(f"{short(folder)}: {' '.join(short(f) for f in sorted(folders[folder]))}")
    tops_used = merged(uses, top_folder)
    for what, graph, name in ("folders", folders, os.path.dirname), ("folders of src", tops_used, top_folder):
        for circle in circles(graph):
            faults.append(f"{what} in a circle: {' '.join(circle)}\n" + describe_circle(circle, uses, name))
    tops = [f for f in os.listdir(os.path.join(root, "src")) if os.path.isdir(os.path.join(root, "src", f))]
    if len(tops) > MOST_TOP_FOLDERS:
        faults.append(f"src has {len(tops)} folders, more than {MOST_TOP_FOLDERS}")
    for circle in circles(uses):
        if len(circle) > 2 and len({os.path.dirname(f) for f in circle}) == 1:
            faults.append(f"files in a circle: {' '.join(circle)}\n" + describe_circle(circle, uses, str))
    for folder, n in sorted(collections.Counter(os.path.dirname(f) for f in files).items()):
        if n > MOST_FILES:
            faults.append(f"{folder} holds {n} files, more than {MOST_FILES}")
    for path in sorted(files):
        if "mpi.h" in reaches(included, path) and not path.startswith(SEES_MPI):
            faults.append(f"{path} sees mpi.h")
    faults += name_faults(root, files, included)
    faults += line_faults(root, files)
    if graph_file:
        write_graph(graph_file, tops_used)
    for fault in faults:
        print("folders.py:", fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if len(arguments) not in (2, 4) or (len(arguments) == 4 and arguments[2] != "--graph"):
        sys.exit(__doc__)
    sys.exit(main(arguments[0], arguments[1], *arguments[3:]))
