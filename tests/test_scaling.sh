#!/bin/sh
# jobs/scaling.sh: a row for each kind and number of ranks, every run in the JSON file, and no table of a failed run.
. "$SOURCE_DIR/tests/checks.sh"

echo 'run | quadratic | weak, coarsest_step: 2^-5, coarsest_steps: 2, levels: 2, reference: 4, paths: 3000, functionals: [x1]' | configurations
scaling() { sh "$SOURCE_DIR/jobs/scaling.sh" "$@"; }

ends 0 '^strong +1 +3000 +[0-9.e-]+ +1\.000 ' scaling run.yaml --ranks "1 2" --repeats 3 --output runs.json --set random.generator=threefry
has '^weak +1 +1500 +[0-9.e-]+ +1\.000 ' '^weak +2 +3000 '
[ "$(grep -cE '^(strong|weak) +[12] ' message)" -eq 4 ] || fail "$(cat message)"
"$python" - <<'PYTHON' || fail "runs.json: $(cat runs.json)"
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

draws_together
# the picture: both kinds in both panels, and a file that is none refused
ends 0 '' "$CASIMIR" plot runs.json --output runs.svg
for text in 'ranks' 'time of a run' 'parallel efficiency' 'strong' 'weak' 'ideal'; do
  grep -q "$text" runs.svg || fail "runs.svg does not say '$text'"
done
echo '{"benchmark": "scaling", "strong": {"ranks": [1, 2]}}' >broken.json
unchanged 2 'offers: scaling' "$CASIMIR" plot runs.json --picture spectrum --output wrong.svg
unchanged 2 'broken.json: strong: has no ranks' "$CASIMIR" plot broken.json --output wrong.svg
ends 2 'study.levels' scaling run.yaml --ranks "1 2" --repeats 1 --output none.json --set study.levels=nine
[ ! -e none.json ] || fail "a failed run gave a table"
