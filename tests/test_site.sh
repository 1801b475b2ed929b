#!/bin/sh
# The site: every public name is documented, every link leads somewhere, nothing is loaded from elsewhere, and in a browser
# formulas are drawn and words are found.
# lane: figures
. "$SOURCE_DIR/tests/checks.sh"
if ! command -v mkdocs >/dev/null || ! command -v doxygen >/dev/null || ! [ -e /usr/share/javascript/katex/katex.min.js ] ||
  ! [ -d /usr/share/mkdocs/themes/material ]; then
  echo "the site needs Debian's packages doxygen mkdocs mkdocs-material libjs-katex: not tried"
  exit 77
fi

"$python" -B "$SOURCE_DIR/src/cmake/site/build.py" site site >log 2>&1 || { cat log >&2; fail "the site is not built"; exit 1; }

# a name without a comment is an error, of each kind
mkdir -p tree/src tree/include
mkdir tree/src/cmake
cp -R "$SOURCE_DIR/src/cmake/site" tree/src/cmake
cp "$SOURCE_DIR/CMakeLists.txt" tree
refused() {
  rm -rf tree/include/casimir
  cp -R "$SOURCE_DIR/include/casimir" tree/include
  sed -i "$2" "tree/include/casimir/$1"
  ! "$python" -B tree/src/cmake/site/build.py api api >log 2>&1 || fail "undocumented, and not refused: $2"
  grep -q 'is not documented' log || fail "$2: $(cat log)"
}
refused statistics.h 's|^void cas_step_format|int cas_new(void);\n&|'
refused statistics.h 's|^  cas_error_kind kind; .*|  cas_error_kind kind;|'
refused results.h 's|^  CAS_FAILURE_VALUE .*|  CAS_FAILURE_VALUE|'

cat >check.py <<'END'
import html, pathlib, re, sys, urllib.parse
root = pathlib.Path(sys.argv[1]).resolve()
text = {p: p.read_text() for p in root.rglob("*.html") if p.name != "404.html"}
ids = {p: set(map(html.unescape, re.findall(r"""\s(?:id|name)=["']?([^"'\s>]+)""", t))) for p, t in text.items()}
bad = links = 0
for path, page in text.items():
    for tag, rest in re.findall(r"<(a|link|img|script|iframe|source|object|embed)\b([^>]*)>", page):
        for link in re.findall(r"""\s(?:href|src|data)=["']?([^"'\s>]+)""", rest if 'rel="canonical"' not in rest else ""):
            url = urllib.parse.urlsplit(html.unescape(link))
            links += 1
            if url.scheme in ("data", "javascript"):
                continue
            if url.scheme or url.netloc:
                found = tag == "a" and url.scheme == "https"
            else:
                there = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
                there = there / "index.html" if there.is_dir() else there
                anchor = urllib.parse.unquote(url.fragment)
                found = there.exists() and (not anchor or there not in ids or anchor in ids[there])
            if not found:
                bad += 1
                print(f"{path.relative_to(root)}: {link}", file=sys.stderr)
sheets = [p for p in root.rglob("*.css") if re.search(r"""url\(["']*http""", p.read_text())]
print(len(text), "pages,", links, "links")
sys.exit(bad > 0 or bool(sheets) or len(text) < 30 or links < 500)
END
"$python" check.py site || fail "links of the site"

# ---- in a browser, to which no other machine can be reached ----
if command -v chromium >/dev/null; then
  "$python" - <<'END' >port 2>server.log &
import functools, http.server
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="site")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
END
  server=$!
  at_end() { kill $server; }
  await test -s port
  browse() { timeout 300 "$python" -B "$SOURCE_DIR/tests/browser.py" "http://127.0.0.1:$(cat port)/$1" "$2" "$3" >&2 || fail "$1"; }
  browse mathematics.html light '
    document.querySelectorAll(".katex-display").length >= 5
    document.querySelectorAll(".katex-error").length == 0'
  browse studies.html dark '
    q = document.querySelector(".md-search__input"), q.focus(), true
    q.value = "prescribed", q.dispatchEvent(new KeyboardEvent("keyup", {key: "d", bubbles: true})), true
    [...document.querySelectorAll(".md-search-result__link")].some(a => a.href.includes("/studies.html"))'
else
  echo "no chromium: the site was not opened"
fi
