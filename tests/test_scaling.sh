#!/bin/sh
# jobs/scaling.sh: a row for each kind and number of ranks, every run in the JSON file, and no table of a failed run.
set -eu

cat >run.yaml <<'YAML'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: weak, coarsest_step: 2^-5, coarsest_steps: 2, levels: 2, reference: 4, paths: 3000, functionals: [x1]}
YAML

scaling() { sh "$SOURCE_DIR/jobs/scaling.sh" "$@"; }

scaling run.yaml --ranks "1 2" --repeats 3 --output runs.json --set random.generator=threefry >table 2>log
[ "$(grep -cE '^(strong|weak) +[12] ' table)" -eq 4 ]
grep -qE '^strong +1 +3000 +[0-9.e-]+ +1\.000 ' table
grep -qE '^weak +1 +1500 +[0-9.e-]+ +1\.000 ' table
grep -qE '^weak +2 +3000 ' table
/usr/bin/python3 - <<'PYTHON'
import json
rows = json.load(open("runs.json"))["rows"]
assert [(r["kind"], r["ranks"], r["paths"]) for r in rows] == [
    ("strong", 1, 3000), ("strong", 2, 3000), ("weak", 1, 1500), ("weak", 2, 3000)], rows
for r in rows:
    assert all(len(r[k]) == 3 for k in ("seconds", "slowest", "mean", "reduce")), r
    assert all(0 < m <= s * (1 + 1e-3) <= t * (1 + 2e-3) for t, s, m in zip(r["seconds"], r["slowest"], r["mean"])), r
PYTHON

if scaling run.yaml --ranks "1 2" --repeats 1 --output none.json --set study.levels=nine >table 2>log; then
  echo "a failed run gave a table" >&2
  exit 1
fi
grep -q 'study.levels' log
test ! -e none.json
