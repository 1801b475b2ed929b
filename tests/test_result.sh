#!/bin/sh
# Every study says what it found in one sentence: first on a terminal and in a pipe, in "/result" of its file, and in reports of it. What would resolve more is a command that runs as it is printed.
# needs: sprng
set -u
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"

PATH=$(dirname "$CASIMIR"):$PATH # for commands as they are printed
tried=0
for config in "$SOURCE_DIR"/tests/data/configurations/*.yaml; do
  study=$(basename "$config" .yaml)
  "$CASIMIR" run "$config" --output "$study.h5" >run 2>log || fail "$study: $(cat log)"
  "$CASIMIR" report "$study.h5" >report || fail "report of $study"
  grep -v '^  try' run >said
  grep -v '^  try' report | cmp -s said - || fail "$study: $(cat report), and after the run $(cat run)"
  [ "$(wc -l <run)" -le 24 ] || fail "$study: $(wc -l <run) lines"
  awk 'length > 112 && !/^  (try|results in)/' run >wide
  [ ! -s wide ] || fail "$study: $(cat wide)"
  for words in "rank" "results in $study.h5"; do grep -q "$words" run || fail "$study: no '$words' in $(cat run)"; done
  "$CASIMIR" report "$study.h5" --long >long || fail "report --long of $study"
  grep -q "^$study of " long || fail "$study: $(head -1 long)"
  try=$(sed -n 's/^  try: //p' run)
  if [ -n "$try" ]; then
    tried=$((tried + 1))
    (eval "$try --output tried.h5" >run.tried 2>log.tried) || fail "$study: $try: $(cat log.tried)"
  fi
  /usr/bin/python3 - "$study" <<'END' || fail "$study: /result"
import sys, h5py, numpy as np
study = sys.argv[1]
file = h5py.File(study + ".h5")
groups = [file]
file.visititems(lambda name, at: groups.append(at) if isinstance(at, h5py.Group) else None)
assert sum(len(group.attrs) for group in groups) < 60, study
result = file["result"]
words = " ".join(open("run").read().split())
headline = result.attrs["headline"]
assert words.startswith(" ".join(headline.split())), (headline, words)
assert result.attrs["kind"] == study
verdicts = {"supported", "contradicted", "not_resolved", "estimate", "not_valid"}
assert result.attrs["verdict"] in verdicts
orders = ["name", "order", "order_low", "order_high", "theory", "coefficient", "coefficient_low", "coefficient_high", "p_value", "verdict"]
values = ["name", "value", "standard_error", "low", "high", "time", "step", "verdict"]
names = sorted(result)
assert names == [] if study == "trajectory" else names in (sorted(orders), sorted(values)), names
for name in names:
    column = result[name]
    assert column.shape == result["name"].shape and len(column) > 0, name
    assert name == "name" or column.dims[0][0].name == "/result/name", name
if "verdict" in names:
    assert {v.decode() for v in result["verdict"][:]} <= verdicts
if "order" in names:
    low, order, high = (result[n][:] for n in ("order_low", "order", "order_high"))
    assert np.all((np.isnan(low) & np.isnan(high)) | ((low <= order) & (order <= high)))
    low, c, high = (result[n][:] for n in ("coefficient_low", "coefficient", "coefficient_high"))
    assert np.all(np.isnan(c) | ((low <= c) & (c <= high)))
END
done
[ "$tried" -gt 2 ] || fail "$tried commands tried"
"$CASIMIR" report weak.h5 --brief >out 2>&1 && fail "--brief"

# the same below the progress bar on a terminal
"$CASIMIR" report weak_times.h5 >pipe
/usr/bin/python3 - "$CASIMIR" <<'END' || fail "on a terminal"
import os, pty, subprocess, sys
outer, inner = pty.openpty()
done = subprocess.Popen([sys.argv[1], "report", "weak_times.h5"], stdout=inner, stderr=inner)
os.close(inner)
text = b""
try:
    while block := os.read(outer, 4096):
        text += block
except OSError:  # the end of what a terminal gives
    pass
assert done.wait() == 0
assert text.decode().replace("\r", "") == open("pipe").read()
END
[ "$failures" -eq 0 ]
