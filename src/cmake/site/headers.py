"""Headers as Doxygen wants them: comments behind or above members of structs and enums document these, a comment
behind several declarators documents each, and lists by X-macros become enumerators."""
import re

TOKEN = re.compile(r"/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\"(?:\\.|[^\"\\])*\"|\s+|\w+|.", re.S | re.M)


def text_of(comment):
    """The text of a comment, in which nothing is a command, a tag or a link of Doxygen."""
    text = re.sub(r"^/\*+<?|\*/$", "", comment)
    text = re.sub(r"\n[ \t]*\*? ?", "\n", text).strip()
    text = re.sub(r"(?<!\.)\.\.(?!\.)", "...", text)
    text = re.sub(r"([\\@#%])", r"\\\1", text).replace("<", "\\<").replace(">", "\\>")
    return re.sub(r"`([^`]+)`", r"<tt>\1</tt>", text)


def documented(declaration, text, needed=False):
    if needed and not text:
        raise ValueError(f"{declaration.split()[0].strip(',')} is not documented")  # Doxygen lets these pass
    return f"/** {text} */\n{declaration}" if text else declaration


def enumerators(name, source):
    """Those of an X-macro: X(NAME, .., "text") /* comment */."""
    body = re.search(r"#define " + name + r"\(X\)((?:[^\n]*\\\n)*[^\n]*)", source).group(1)
    for entry in re.finditer(r"X\((\w+)([^\n]*?)\)\s*(/\*.*?\*/)?\s*\\?$", body, re.M):
        text = text_of(entry[3]) if entry[3] else re.findall(r'"(.*?)"', entry[2])[-1]
        yield documented(entry[1] + ",", text)


def split(declaration):
    """One declaration for each declarator: `double a, *b` gives `double a` and `double *b`."""
    parts, depth = [""], 0
    for c in declaration:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    if len(parts) == 1:
        return parts
    base = re.match(r"\s*((?:\w+\s+)*\w+)(?=\s+\w|\s*\*)", parts[0]).group(1)
    return [parts[0]] + [base + " " + p.strip() for p in parts[1:]]


class Members:
    """The body of a struct or an enum, from its tokens behind the opening brace. A struct in it has a name of both, as
    Doxygen has no places for members of one without a name."""

    def __init__(self, tokens, is_enum, source, name=""):
        self.tokens, self.is_enum, self.source, self.name, self.out = tokens, is_enum, source, name, []

    def flush(self, declaration, above, inside, behind):
        declaration = declaration.strip()
        if not declaration:
            return
        if declaration.startswith("struct {"):
            body, member = declaration[len("struct"):].rsplit(maxsplit=1)
            declaration = f"struct {self.name}_{member} {member}"
            self.out.append(documented(f"struct {self.name}_{member}{body};", " ".join(filter(None, [above, behind]))))
        end = "," if self.is_enum else ";"
        shared = " ".join(filter(None, [above, behind]))
        for i, part in enumerate([declaration] if self.is_enum else split(declaration)):
            own = inside.get(i)
            self.out.append(documented(part.strip() + end, " ".join(filter(None, [own, shared])), self.is_enum))

    def read(self):
        """Up to the closing brace; returns the text of the body."""
        declaration, above, inside, last, fresh = "", "", {}, None, False
        end = "," if self.is_enum else ";"
        depth = 0
        for token in self.tokens:
            if token.startswith("/*"):
                if token.startswith("/* ----"):
                    continue
                if declaration.strip():
                    inside[declaration.count(",")] = text_of(token)
                elif last and not fresh:  # on the line where a member has ended
                    last[3] = " ".join(filter(None, [last[3], text_of(token)]))
                else:
                    above = " ".join(filter(None, [above, text_of(token)]))
            elif token.lstrip().startswith("#"):
                continue
            elif token == "{":
                inner = Members(self.tokens, "enum" in declaration, self.source, self.name)
                declaration += "{\n" + inner.read() + "\n}"
            elif token == "}":
                break
            elif token == end and depth == 0:
                if last:
                    self.flush(*last)
                last, declaration, above, inside, fresh = [declaration, above, inside, ""], "", "", {}, False
            elif token.isspace():
                fresh = fresh or "\n" in token
                declaration += " " if declaration else ""
            else:
                depth += (token in "([") - (token in ")]")
                declaration += token
                listed = re.fullmatch(r"(CAS_\w+_LIST)\(\w+\)", declaration.strip())
                if listed and self.is_enum:
                    if last:
                        self.flush(*last)
                    self.out += enumerators(listed[1], self.source)
                    last, declaration = None, ""
        if last:
            self.flush(*last)
        self.flush(declaration, above, inside, "")
        return "\n".join(self.out)


def convert(source):
    tokens = iter(TOKEN.findall(source))
    out, before, first = "", "", True
    names = iter(re.findall(r"^\}\s*(\w*);", source, re.M))  # behind structs and enums
    for token in tokens:
        if token.startswith("/**") and first:
            token, first = f"/** \\file\n{text_of(token)} */", False
        elif token.startswith("/**"):
            token = f"/** {text_of(token)} */"
        if token == "{" and re.search(r"\b(struct|enum)\b[^;{}()]*$", before):
            name = next(names) or re.search(r"(\w*)\s*$", before)[1]
            token = "{\n" + Members(tokens, bool(re.search(r"\benum\b[^;{}()]*$", before)), source, name).read() + "\n}"
        if not token.startswith("/*") and not token.lstrip().startswith("#"):
            before = (before + token)[-200:]
        out += token
    return out
