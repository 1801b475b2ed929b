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
runs = json.load(open("runs.json"))
for kind, paths in (("strong", [3000, 3000]), ("weak", [1500, 3000])):
    r = runs[kind]
    assert r["ranks"] == [1, 2] and r["paths"] == paths and r["efficiency"][0] == 1, r
    assert all(l <= e <= h for l, e, h in zip(r["efficiency_low"], r["efficiency"], r["efficiency_high"])), r
    assert all(len(of) == 3 for k in ("seconds", "slowest", "mean", "reduce") for of in r[k]), r
    for i in (0, 1):
        assert all(0 < m <= s * (1 + 1e-3) <= t * (1 + 2e-3)
                   for t, s, m in zip(r["seconds"][i], r["slowest"][i], r["mean"][i])), r
PYTHON

# the picture: both kinds in both panels, and a file that is none refused
"$CASIMIR" plot runs.json --output runs.svg
for text in 'ranks' 'time of a run' 'parallel efficiency' 'strong' 'weak' 'ideal'; do
  grep -q "$text" runs.svg || {
    echo "runs.svg does not say '$text'" >&2
    exit 1
  }
done
"$CASIMIR" plot runs.json --output runs.png
"$CASIMIR" plot runs.json --picture spectrum --output wrong.svg 2>log && exit 1
grep -q "offers: scaling" log
echo '{"benchmark": "scaling", "strong": {"ranks": [1, 2]}}' >broken.json
"$CASIMIR" plot broken.json --output wrong.svg 2>log && exit 1
grep -q "broken.json: strong: has no ranks" log
test ! -e wrong.svg

if scaling run.yaml --ranks "1 2" --repeats 1 --output none.json --set study.levels=nine >table 2>log; then
  echo "a failed run gave a table" >&2
  exit 1
fi
grep -q 'study.levels' log
test ! -e none.json
