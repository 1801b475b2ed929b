#!/bin/sh
# The report as a page of HTML: everything about a run, nothing from elsewhere, and no markup but its own.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

cat >study.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.5}}
study: {kind: convergence, coarsest_step: 2^-3, coarsest_steps: 2, levels: 3, reference: 5, paths: 2000, functionals: [x1]}
END
"$CASIMIR" run study.yaml --quiet --output study.h5 >/dev/null || fail "study.yaml does not run"
expect 0 '' "$CASIMIR" report study.h5 --html study.html
[ ! -s out ] || fail "the tables were printed too: $(cat out)"
"$CASIMIR" report study.h5 --html - >again.html
cmp study.html again.html || fail "--html - is another page"
"$CASIMIR" report --long study.h5 >tables

# the tables, the configuration and the figure are there; every element is known, and none asks for anything outside
cat >check.py <<'END'
import html.parser, re, sys
known = set("html head meta title style body h1 h2 b br div p pre code table tr th td figure figcaption".split())
drawing = set("svg g path text tspan use defs circle polygon polyline rect line desc title image lineargradient stop "
              "clippath mask pattern symbol filter feflood fecomposite feblend femerge femergenode".split())
class Page(html.parser.HTMLParser):
    text, tags, ids = "", [], []
    def handle_starttag(self, tag, attributes):
        assert tag in known | drawing, tag
        self.tags.append(tag)
        for name, value in attributes:
            assert not name.startswith("on"), (tag, name)
            if name == "id":
                self.ids.append(value)
            if name in ("src", "href", "xlink:href", "action", "srcset"):
                assert value.startswith("#") or value.startswith("data:image/png"), (tag, name, value)
            assert "url(" not in (value or "") or re.search(r"url\(['\"]?#", value), value
    handle_startendtag = handle_starttag
    def handle_data(self, data):
        self.text += data
page = Page()
page.feed(open(sys.argv[1]).read())
page.close()
assert "script" not in page.tags
assert len(page.ids) == len(set(page.ids)), "names of two figures clash"
for word in sys.argv[2:]:
    assert word in page.text, word
print(page.text, end="")
END
"$python" check.py study.html 'Verdicts' 'Strong error' 'Weak error of x1' 'Failed paths: none' 'coarsest_step' \
  'How to repeat it' 'casimir run run.yaml' 'step size h' 'root-mean-square error' >text || fail "study.html"
said=$("$python" -c 'import h5py; print(h5py.File("study.h5")["result"].attrs["headline"])')
sed '/^Verdicts/,$d' text | grep -qxF -e "$said" || fail "the page does not begin with '$said'"
sed '1,/^$/d' tables | grep . >lines
while IFS= read -r line; do
  grep -qF -e "$line" text || fail "the page has no line '$line'"
done <lines

# how to repeat it: the configuration of the page gives the same numbers
sed -n '/<h2>Configuration/,$p' study.html | sed -e '1d;s/^<pre>//;/<\/pre>/,$d' -e 's/&quot;/"/g;s/&#39;/'"'"'/g' >run.yaml
expect 0 '' "$CASIMIR" run run.yaml --quiet --output again.h5
"$CASIMIR" report --long again.h5 | sed '/^Strong/,$!d' >tables-again
sed '/^Strong/,$!d' tables | cmp - tables-again || fail "the configuration of the page gives other numbers"

# ---- what a file says of itself is text ----
"$python" - <<'END' || fail "evil.h5"
import h5py, shutil
shutil.copy("study.h5", "evil.h5")
evil = "<script>document.title='harm'</script><img src=x onerror=alert(1)>&amp;\"'"
with h5py.File("evil.h5", "r+") as f:
    f.move("weak/x1", "weak/<script>alert(1)<img src=x onerror=a>&amp;")
    for name in ("system", "study", "kernels", "commit", "configuration", "generator", "casimir_version", "started"):
        f.attrs[name] = name + evil + "\x1b[31m"
    for group in list(f["weak"].values()) + [f["strong"]]:
        group["verdict"][()] = evil
END
expect 0 '' "$CASIMIR" report evil.h5 --unsealed --html evil.html
"$python" check.py evil.html "<script>document.title='harm'</script>" '&amp;' >/dev/null || fail "evil.html"
! grep -q "$(printf '\033')" evil.html || fail "evil.html: raw control characters"

# ---- what is wrong ----
cp study.h5 study-too.html
expect 2 'is what is reported' "$CASIMIR" report study-too.html --html study-too.html
cmp study.h5 study-too.html || fail "a page has taken the place of its file"
expect 3 'no-such-directory' "$CASIMIR" report study.h5 --html no-such-directory/a.html
mkdir empty
expect 5 'python3 was not found on the PATH' env PATH="$PWD/empty" "$CASIMIR" report study.h5 --html plain.html
[ ! -e plain.html ] || fail "a page without Python"

# a figure that the program computes for, where that is killed: no page that lacks it without a word
cat >fluid.yaml <<'END'
system: {name: euler_zeitlin, N: 4, noise: {amplitude: 0.1}, initial: {random: {seed: 1, norm: 1}}}
study: {kind: ensemble, step: 2^-4, steps: 4, every: 2, paths: 4, members: 2, observables: [energy]}
END
"$CASIMIR" run fluid.yaml --quiet --output fluid.h5 >/dev/null || fail "fluid.yaml does not run"
cat >killed <<END
#!/bin/sh
[ "\$1" != evaluate ] || kill -KILL \$\$
exec "$CASIMIR" "\$@"
END
printf '#!/bin/sh\nCASIMIR=%s exec %s "$@"\n' "$PWD/killed" "$python" >python
chmod +x killed python
expect 0 '' "$CASIMIR" report fluid.h5 --html fluid.html
grep -q '<figcaption>member_maps' fluid.html || fail "no maps of members, by which this is tried"
rm fluid.html
expect 5 "killed evaluate' ended with status -9" env CASIMIR_PYTHON="$PWD/python" "$CASIMIR" report fluid.h5 --html fluid.html
[ ! -e fluid.html ] || fail "a page without a figure that failed"

# ---- in a browser, light and dark and on paper: no script, nothing asked for, nothing wider than the window, figures on white ----
if command -v chromium >/dev/null; then
  for page in study:light:255 study:dark:20 evil:dark:20; do
    rest=${page#*:} name=${page%%:*}
    timeout 120 "$python" -B "$SOURCE_DIR/tests/browser.py" "file://$PWD/$name.html" "${rest%:*}" "
      getComputedStyle(document.body).backgroundColor.startsWith('rgb(${rest#*:},')
      [...document.querySelectorAll('figure')].every(f => getComputedStyle(f).backgroundColor == 'rgb(255, 255, 255)')
      [...document.querySelectorAll('figure svg')].every(f => f.getBoundingClientRect().height > 100) && document.querySelectorAll('figure').length > 0
      document.documentElement.scrollWidth <= innerWidth && document.scripts.length == 0 && !document.title.startsWith('harm')" >log 2>&1 || fail "$page: $(cat log)"
  done
  timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --print-to-pdf=study.pdf "file://$PWD/study.html" 2>log
  begins study.pdf '%PDF'
else
  echo "no chromium: pages were not opened"
fi
[ "$failures" -eq 0 ]
