#!/bin/sh
# The report as a page of HTML: everything about a run, nothing from elsewhere, and no markup but its own.
# lane: figures
# needs: sprng
. "$SOURCE_DIR/tests/plot_checks.sh"

configurations <<END
study | $body | convergence, coarsest_step: 2^-3, coarsest_steps: 2, levels: 3, reference: 5, paths: 2000, functionals: [x1]
matrices | {name: euler_zeitlin, N: 4, noise: {amplitude: 0.1}, initial: {random: {seed: 1, norm: 1}}} | ensemble, step: 2^-4, steps: 4, every: 2, paths: 4, members: 2, observables: [energy]
END
results study matrices
ends 0 '' "$CASIMIR" report study.h5 --html study.html
[ ! -s message ] || fail "the tables were printed too: $(cat message)"
draws_alone "$CASIMIR" report study.h5 --html - | cmp study.html - || fail "--html - is another page"

# every line of the tables is text of the page, the first behind the heading; and how to repeat it
"$CASIMIR" report --long study.h5 >tables
"$python" - <<'END' >run.yaml || fail "study.html"
import html, re, sys
page = open("study.html").read()
text = html.unescape(re.sub("<[^>]*>", "", page))
lines = [*filter(str.strip, open("tables").read().split("\n"))]
missing = [line for line in lines if line not in text]
assert not missing, missing
headline = lines[0] if lines[0] in text else ""
assert headline and text.index(headline) < text.index("Verdicts"), lines[0]
for words in "strong/error", "Failed paths: none", "casimir run run.yaml", "step size h", "root-mean-square error":
    assert words in text, words
ids = re.findall(r'\bid="([^"]*)"', page)
assert len(ids) == len(set(ids)), "names of two figures clash"
print(text[text.rindex("Configuration\n") + 14:])
END
ends 0 '' "$CASIMIR" run run.yaml --quiet --output again.h5
"$CASIMIR" report --long again.h5 | sed '/^strong\//,$!d' >again
sed '/^strong\//,$!d' tables | cmp - again || fail "the configuration of the page gives other numbers"

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
ends 0 '' "$CASIMIR" report evil.h5 --unsealed --html evil.html
! grep -q "$(printf '\033')" evil.html || fail "evil.html: raw control characters"

# ---- what is wrong ----
# a figure that the program computes for, where that is killed: no page that lacks it without a word
printf '#!/bin/sh\n[ "$1" != evaluate ] || kill -KILL $$\nexec "%s" "$@"\n' "$CASIMIR" >killed
printf '#!/bin/sh\nCASIMIR=%s exec %s "$@"\n' "$PWD/killed" "$python" >python
chmod +x killed python
ends 0 '' "$CASIMIR" report matrices.h5 --html matrices.html
grep -q '<figcaption>member_maps' matrices.html || fail "no maps of members, by which this is tried"
ends 5 "killed evaluate' ended with status -9" env CASIMIR_PYTHON="$PWD/python" "$CASIMIR" report matrices.h5 --html broken.html
[ ! -e broken.html ] || fail "a page without a figure that failed"

# ---- in a browser, light and dark and on paper: no script, nothing asked for, nothing wider than the window, figures on white;
# no element that is no part of such pages, and what a file says is shown as it is ----
if command -v chromium >/dev/null; then
  for page in study:light:255 study:dark:20 matrices:light:255 evil:dark:20; do
    rest=${page#*:} name=${page%%:*} harm=
    [ "$name" != evil ] || harm="document.body.innerText.includes(\"<script>document.title='harm'</script>\") && document.title.includes('&amp;')"
    timeout 120 "$python" -B "$SOURCE_DIR/tests/browser.py" "file://$PWD/$name.html" "${rest%:*}" "
      getComputedStyle(document.body).backgroundColor.startsWith('rgb(${rest#*:},')
      [...document.querySelectorAll('figure')].every(f => getComputedStyle(f).backgroundColor == 'rgb(255, 255, 255)')
      [...document.querySelectorAll('figure svg')].every(f => f.getBoundingClientRect().height > 100) && document.querySelectorAll('figure').length > 0
      document.documentElement.scrollWidth <= innerWidth && document.scripts.length == 0 && !document.title.startsWith('harm')
      !document.querySelector('img, iframe, object, embed, link, base, form, input, video, audio, foreignObject, animate, set, a')
      [...document.querySelectorAll('*')].every(e => [...e.attributes].every(a => !a.name.startsWith('on')))
      $harm" >log 2>&1 || fail "$page: $(cat log)"
  done
  timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --print-to-pdf=study.pdf "file://$PWD/study.html" 2>log
  begins study.pdf '%PDF'
else
  echo "no chromium: pages were not opened"
fi
