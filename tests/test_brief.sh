#!/bin/sh
# On a terminal the tables of every study begin with its verdicts and fit a screen; files and pipes get all of them.
# needs: sprng
set -u
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"

# joined FILE: each verdict, which goes on over several lines, in one
joined() { awk '/^  =>/ { if (v) print v; v = $0; next } /^     / && v { sub(/^ +/, " "); v = v $0; next } { if (v) print v; v = "" } END { if (v) print v }' "$1"; }

verdicts=0
for config in "$SOURCE_DIR"/tests/data/configurations/*.yaml; do
  study=$(basename "$config" .yaml)
  "$CASIMIR" run "$config" --output "$study.h5" --long >long 2>log || fail "$study: $(cat log)"
  "$CASIMIR" report "$study.h5" --brief >brief || fail "report of $study"
  "$CASIMIR" report "$study.h5" >pipe || fail "report of $study"
  "$CASIMIR" report "$study.h5" --long | cmp - pipe || fail "$study: what a pipe gets"
  [ "$(wc -l <brief)" -le 40 ] || fail "$study: $(wc -l <brief) lines"
  awk 'length > 104' brief >wide
  [ ! -s wide ] || fail "$study: $(cat wide)"
  joined long | grep -v 'from differences of neighbouring levels, below' | sort >all
  joined brief | sort | cmp -s - all || fail "$study: verdicts $(joined brief), must be $(cat all)"
  verdicts=$((verdicts + $(wc -l <all)))
  for words in 'Failed paths' "^$study of "; do grep -q "$words" brief || fail "$study: no '$words' in $(cat brief)"; done
done
[ "$verdicts" -gt 8 ] || fail "$verdicts verdicts"

# standard output and standard error a terminal, and standard output alone, as below launchers of MPI
/usr/bin/python3 - "$CASIMIR" <<'END' || fail "on a terminal"
import os, pty, subprocess, sys

def on_terminal(words, standard_error):
    outer, inner = pty.openpty()
    done = subprocess.Popen([sys.argv[1], *words], stdout=inner, stderr=inner if standard_error else subprocess.DEVNULL)
    os.close(inner)
    text = b""
    try:
        while block := os.read(outer, 4096):
            text += block
    except OSError:  # the end of what a terminal gives
        pass
    assert done.wait() == 0
    return text.decode().replace("\r", "")

brief = open("brief").read()
full = open("pipe").read()
report = ["report", "weak_times.h5"]
assert on_terminal(report, True) == brief + "  All tables: --long\n"
assert on_terminal(report, False) == full
assert on_terminal(report + ["--long"], True) == full
END

# of a map the places that say most, not points along a line through it
cat >map.yaml <<'END'
system: {name: euler_zeitlin, N: 8, noise: {amplitude: 0.1}, initial: {random: {seed: 5, norm: 3}}}
study: {kind: ensemble, step: 2^-8, steps: 2, every: 2, paths: 16, bins: 0, observables: [vorticity]}
END
"$CASIMIR" run map.yaml --output map.h5 >long 2>log || fail "map: $(cat log)"
awk '/^vorticity/ { on = 1; next } /^$/ { on = 0 } on' long >rows
[ "$(wc -l <rows)" -eq 4 ] || fail "map: $(cat rows)"
/usr/bin/python3 - <<'END' || fail "map: $(cat rows)"
import h5py
mean = h5py.File("map.h5")["ensemble/vorticity/mean"][-1]
rows = [float(line.split()[2]) for line in open("rows").readlines()[1:]]
assert abs(rows[0] - mean.min()) < 1e-5 and abs(rows[1] - mean.max()) < 1e-5, (rows, mean.min(), mean.max())
END
[ "$failures" -eq 0 ]
