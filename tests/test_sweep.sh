#!/bin/sh
# A sweep has the files of its points run by themselves, on any groups of ranks; a point that fails takes no other along,
# one that is done is not done again; and its estimates come out as a table, CSV and JSON.
# needs: sprng
set -eu
. "$SOURCE_DIR/tests/compare.sh"
fail() { echo "$*" >&2; exit 1; }

cat >plain.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
random: {generator: threefry}
study: {kind: convergence, coarsest_step: 2^-6, coarsest_steps: 16, levels: 3, reference: 7, paths: 1000, functionals: [sin2pi]}
END
cat plain.yaml - >sweep.yaml <<'END'
sweep: {set: ["system.noise.sigma=0.1,0.2", "study.levels=3,4"]}
END
cat plain.yaml - >failing.yaml <<'END'
sweep: {set: ["system.noise.sigma=0.1,-1,0.3"], zip: true}
END

# one run of each
sigma='0.1 0.1 0.2 0.2' levels='3 4 3 4'
for i in 1 2 3 4; do
  "$CASIMIR" run plain.yaml --quiet --set system.noise.sigma="$(echo $sigma | cut -d' ' -f$i)" \
    --set study.levels="$(echo $levels | cut -d' ' -f$i)" --output alone-$i.h5
done

for ranks in 1 2 3; do
  rm -f all-?.h5
  "$MPIEXEC" -n $ranks "$CASIMIR" sweep sweep.yaml --output all.h5 >table 2>messages
  for i in 1 2 3 4; do same alone-$i.h5 all-$i.h5; done
  [ "$(grep -c ': done in ' messages)" -eq 4 ] || fail "$(cat messages)"
  grep -q 'point 2 of 4: system.noise.sigma=0.1 study.levels=4: done' messages || fail "$(cat messages)"
done
"$MPIEXEC" -n 3 "$CASIMIR" sweep sweep.yaml --groups 1 --quiet --output one >table 2>messages
[ ! -s table ] && [ ! -s messages ] || fail "--quiet printed $(cat table messages)"
for i in 1 2 3 4; do same alone-$i.h5 one-$i.h5; done

# a table of each point instead of one of all, as reports have it
"$CASIMIR" sweep sweep.yaml --resume --long --output all.h5 >table 2>messages
for i in 1 2 3 4; do grep -q "^all-$i.h5$" table || fail "$(cat table)"; done
[ "$(grep -c 'rate of convergence\|order ' table)" -ge 4 ] || fail "$(cat table)"
"$CASIMIR" report --long all-1.h5 all-2.h5 all-3.h5 all-4.h5 >report
cmp table report
"$CASIMIR" sweep sweep.yaml --resume --long --format csv --output all.h5 2>messages && fail "tables of numbers"
grep -q 'without --format' messages || fail "$(cat messages)"

# what is done stays, what is missing is done; one point a task
cp -p all-3.h5 before.h5
rm all-1.h5 all-4.h5
"$CASIMIR" sweep sweep.yaml --point 4 --resume --quiet --output all.h5
[ ! -e all-1.h5 ] && same alone-4.h5 all-4.h5
"$MPIEXEC" -n 2 "$CASIMIR" sweep sweep.yaml --resume --output all.h5 >table 2>messages
for i in 2 3 4; do grep -q "point $i of 4: .*: was done before$" messages || fail "$(cat messages)"; done
grep -q 'point 1 of 4: .*: done in ' messages || fail "$(cat messages)"
same alone-1.h5 all-1.h5
cmp before.h5 all-3.h5

# one name for all, as an assignment too; --output comes before it, as everywhere
"$CASIMIR" sweep sweep.yaml --set output.file=named.h5 --set study.paths=100 --quiet
[ -s named-1.h5 ] && [ -s named-4.h5 ]
"$CASIMIR" sweep sweep.yaml --set 'output={file: mapped.h5}' --output other.h5 --dry-run >points
[ "$(grep -c 'other-[1-4].h5$' points)" -eq 4 ] || fail "$(cat points)"
"$CASIMIR" sweep sweep.yaml --set 'output={file: mapped.h5}' --dry-run >points
[ "$(grep -c 'mapped-[1-4].h5$' points)" -eq 4 ] || fail "$(cat points)"

"$CASIMIR" sweep sweep.yaml --output '' --quiet 2>messages && fail "an empty name is a name"
grep -q 'the output is missing' messages || fail "$(cat messages)"

# side by side, and values with commas in brackets
"$CASIMIR" sweep plain.yaml --zip --set 'system.inertia=[2,1,0.5],[3,2,1]' --set system.noise.sigma=0.1,0.2 \
  --set study.paths=100 --dry-run --output zip.h5 >points
[ "$(wc -l <points)" -eq 2 ] || fail "$(cat points)"
grep -q '^point 2 of 2: system.inertia=\[3,2,1\] system.noise.sigma=0.2: zip-2.h5$' points || fail "$(cat points)"
[ ! -e zip-1.h5 ]

# a point that fails
status=0
"$MPIEXEC" -n 2 "$CASIMIR" sweep failing.yaml --output some.h5 >table 2>messages || status=$?
[ $status -eq 2 ] || fail "status $status: $(cat messages)"
grep -q 'point 2 of 3: system.noise.sigma=-1: found -1, must be at least 0' messages || fail "$(cat messages)"
grep -q '1 of 3 points are not done, or failed a check$' messages || fail "$(cat messages)"
same all-1.h5 some-1.h5
[ -s some-3.h5 ] && [ ! -e some-2.h5 ]
[ "$(grep -c 'order .* some-[13].h5$' table)" -eq 8 ] || fail "$(cat table)" # strong, its supremum, that of increments, weak

# a mistake that all points share is said once, whatever the number of ranks, and no point begins
for ranks in 1 2 3; do
  status=0
  "$MPIEXEC" -n $ranks "$CASIMIR" sweep sweep.yaml --set system.noise.sigmas=1 --output shared.h5 >table 2>messages || status=$?
  [ $status -eq 2 ] || fail "status $status: $(cat messages)"
  [ "$(grep -c "unknown key; did you mean 'sigma'" messages)" -eq 1 ] || fail "on $ranks ranks: $(cat messages)"
  ! grep -q 'point [1-4] of 4' messages || fail "$(cat messages)"
done

# interrupted, and gone on with
status=0
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.001 "$MPIEXEC" -n 2 "$CASIMIR" sweep sweep.yaml --set study.paths=5000 --quiet --output cut.h5 \
  --max-walltime 0.3 2>messages || status=$?
[ $status -eq 75 ] || fail "status $status: $(cat messages)"
grep -q 'points are not done.*; the same command with --resume does what is left$' messages || fail "$(cat messages)"
"$MPIEXEC" -n 3 "$CASIMIR" sweep sweep.yaml --set study.paths=5000 --quiet --output cut.h5 --resume
"$CASIMIR" run plain.yaml --quiet --set study.paths=5000 --output long.h5
same long.h5 cut-1.h5

# estimates for other programs
"$CASIMIR" report all-?.h5 --format csv >all.csv
"$CASIMIR" report all-?.h5 --format json >all.json
"$CASIMIR" report all-1.h5 --format csv >one.csv
"$CASIMIR" report --long all-1.h5 >tables
grep -q 'Health' tables
# texts that spreadsheets would take for formulas are none, and numbers stay numbers
cat >formulas.yaml <<'END'
system: {name: lie_poisson, algebra: so3, hamiltonian: +x1^2, parameters: {a: -0.5}, noise: [0.1*a*x3], initial: [-0.6, 0, 0.8]}
study: {kind: ensemble, step: 1/64, steps: 2, every: 1, paths: 64, bins: 0, observables: [x1]}
END
"$CASIMIR" run formulas.yaml --quiet --output =1+2.h5
cp ./=1+2.h5 formulas.h5
"$CASIMIR" run formulas.yaml --quiet --output @a.h5 --set system.parameters.a=-1.5e-1 --set system.hamiltonian=-x1^2-x2^2
"$CASIMIR" run formulas.yaml --quiet --output +b.h5 --set system.parameters.a=2 --set system.hamiltonian=-x1
"$CASIMIR" report =1+2.h5 @a.h5 +b.h5 --format csv >formulas.csv
/usr/bin/python3 - <<'END'
import csv
rows = list(csv.DictReader(open("formulas.csv", newline="")))
files = {r["file"]: r for r in rows}
assert set(files) == {"'=1+2.h5", "'@a.h5", "'+b.h5"}, set(files)
assert all(r["table"] == "result" and r["quantity"] == "headline" and r["at"].startswith("ensemble of 64 paths")
           for r in rows[:3]) and {r["file"] for r in rows[:3]} == set(files), rows[:3]
assert [files[f]["system.hamiltonian"] for f in files] == ["'+x1^2'", "'-x1^2-x2^2'", "'-x1'"], files
assert any(r["value"].startswith("-") for r in rows)
for row in rows:
    for cell in row.values():
        try:
            float(cell)
        except ValueError:
            assert cell[:1] not in list("=+-@\t\r"), cell
END
/usr/bin/python3 - <<'END'
import csv, json, math, subprocess

def close(a, b):
    return a == b or abs(a - b) <= 1e-15 * abs(b)

rows = list(csv.DictReader(open("all.csv")))
files = json.load(open("all.json"))
# the sentence of each file comes first, and is no estimate
said, rows = rows[:4], rows[4:]
assert [(r["file"], r["table"], r["quantity"], r["at"], r["value"]) for r in said] == [
    (f["file"], "result", "headline", f["headline"], "") for f in files], said
assert list(rows[0])[:3] == ["file", "system.noise.sigma", "study.levels"], rows[0]
assert [f["parameters"] for f in files] == [
    {"system.noise.sigma": s, "study.levels": l} for s in (0.1, 0.2) for l in (3, 4)], files
assert all(f["headline"].startswith("strong order") and f["verdict"] == "not_resolved" for f in files), files
assert all([r["name"] for r in f["result"]] == ["strong_increments", "strong", "strong_sup", "sin2pi"] for f in files)
assert all(r["order"] is None or r["order_low"] < r["order"] < r["order_high"] for f in files for r in f["result"])
flat = sorted(((f["file"], r) for f in files for r in f["estimates"]), key=lambda at: not at[1]["headline"])  # a stable sort
assert len(flat) == len(rows)
assert [(r["file"], r["table"], r["quantity"]) for r in rows[:2]] == [
    ("all-1.h5", "strong/error_increments", "order"), ("all-1.h5", "strong/error", "order")], rows[:2]
for (name, r), row in zip(flat, rows):
    assert row["file"] == name and all(row[k] == r[k] for k in ("table", "quantity", "at"))
    for k in ("value", "standard_error", "low", "high"):
        x = float(row[k]) if row[k] else math.nan
        assert r[k] is None and not math.isfinite(x) or close(x, r[k]), (row, r)
errors = [r for r in rows if r["table"] == "weak/sin2pi" and r["quantity"] == "error"]
assert [float(r["step"]) for r in errors[:3]] == [2**-6, 2**-7, 2**-8] and all(r["functional"] == "sin2pi" for r in errors), errors
assert all(r["time"] == r["probability"] == "" for r in errors)
assert all(r["functional"] == "" for r in rows if r["table"].startswith("strong/"))
assert [r["at"] for r in errors[:3]] == ["step=0.015625", "step=0.0078125", "step=0.00390625"], errors
dump = subprocess.run(["h5dump", "-y", "-w", "1", "-m", "%.17g", "-d", "/weak/sin2pi/error", "all-1.h5"],
                      capture_output=True, text=True).stdout.split("DATA {")[1].split("}")[0]
assert [float(r["value"]) for r in errors[:3]] == [float(x) for x in dump.replace(",", " ").split()]
orders = [r for r in rows if r["quantity"] == "order" and r["table"] == "strong/error" and r["study.levels"] == "4"]
assert len(orders) == 2 and all(float(r["low"]) < float(r["value"]) < float(r["high"]) for r in orders), orders
assert "system.noise.sigma" not in open("one.csv").readline()
END

# keys in the order of --set, whatever section they are of, and steps as numbers; a table for papers
"$CASIMIR" sweep plain.yaml --quiet --set study.coarsest_step=2^-6,1/128 --set system.noise.sigma=0.1,0.2 \
  --set study.levels=5 --set study.paths=100 --output order.h5
"$CASIMIR" report order-?.h5 --format csv >order.csv
head -n 1 order.csv | grep -q '^file,study.coarsest_step,.*system.noise.sigma,' || fail "$(head -n 1 order.csv)"
cut -d, -f2 order.csv | sort -u | tr '\n' ' ' | grep -q '^0.0078125 0.015625 study.coarsest_step $' || fail "$(cat order.csv)"
# what follows from the scheme, such as tolerances, is in no legend
"$CASIMIR" sweep plain.yaml --quiet --set study.coarsest_step=2^-6,1/128 --set integrator.name=heun,isospectral_midpoint \
  --set study.levels=5 --set study.paths=100 --output told.h5
"$CASIMIR" plot told-?.h5 --picture parameter --data drawn 2>messages || fail "$(cat messages)"
grep -q '^# label\[1\] = integrator.name heun$' drawn && grep -q '^# label\[2\] = integrator.name isospectral_midpoint$' drawn &&
  ! grep -q '^# label\[3\]' drawn || fail "legend: $(grep label drawn)"
"$CASIMIR" report all-?.h5 --format latex >table.tex
grep -q '^0.1 & 3 & strong/error\\_increments & order & \$' table.tex || grep -q '^0.1 & 4 & strong/error\\_increments & order & \$' table.tex || fail "$(cat table.tex)"
[ "$(tail -n 1 table.tex)" = '\end{tabular}' ] || fail "$(cat table.tex)"
[ "$(head -n 4 table.tex | grep -c '^% all-[1-4].h5: strong order ')" -eq 4 ] || fail "$(cat table.tex)"
"$CASIMIR" report all-?.h5 >table
[ "$(head -n 4 table | grep -c '^all-[1-4].h5: strong order ')" -eq 4 ] || fail "$(cat table)"
[ "$(sed 1,5d table | awk '{ print match($0, /(file|all-[1-4].h5)$/) }' | sort -u | wc -l)" -eq 1 ] || fail "not aligned: $(cat table)"
# of files of different systems a column is of what both have
"$CASIMIR" report all-1.h5 formulas.h5 --format csv | head -n 1 >columns
grep -q ',study.kind,' columns && ! grep -qE 'system.inertia|system.hamiltonian|study.levels' columns || fail "$(cat columns)"
"$CASIMIR" report all-1.h5 formulas.h5 --format json | grep -q '"system.inertia\[0\]": 2' || fail "keys of one file alone in JSON"

# a table without a row says why
"$CASIMIR" run plain.yaml --quiet --output none.h5 \
  --set 'study={kind: trajectory, step: 2^-5, steps: 2, paths: 1, observables: [x1]}'
for format in '--format latex' none.h5; do
  # shellcheck disable=SC2086 # words
  "$CASIMIR" report none.h5 $format >table || fail "none.h5 $format: status $?"
  grep -q 'none of these files has a resolved main estimate' table || fail "none.h5 $format: $(cat table)"
done

# the estimates of a whole table, which for averages over time is all that they have
"$CASIMIR" run plain.yaml --quiet --output average.h5 \
  --set 'study={kind: time_average, step: 2^-5, steps: 320, paths: 4, observables: [x1]}'
"$CASIMIR" report average.h5 --format csv >average.csv
awk -F, 'NR > 1 && $2 == "time_average/x1" && $3 == "mean" && $5 + 0 == $5 && $6 > 0 && $7 < $5 && $5 < $8 { found++ }
  NR > 1 && $3 == "batch_mean" && $6 > 0 { batches++ }
  END { exit !(found == 1 && batches == 16) }' average.csv || fail "$(cat average.csv)"

# the means of an ensemble have standard errors and no intervals, but for probabilities, which have intervals; differences of
# neighbours on the same paths are far more exact than they are, and are drawn
"$CASIMIR" sweep plain.yaml --set system.inertia[1]=1,1.01,1.02 --output e.h5 >swept \
  --set 'study={kind: ensemble, step: 2^-5, steps: 32, every: 16, paths: 500, path_groups: 20, observables: [x1, {up: x1 > 0}, {half: x1 > 0.85}, {rare: x1 > 0.8}]}'
"$CASIMIR" report e-?.h5 --format csv >e.csv
awk -F, '$4 == "mean" && $3 == "ensemble/x1" { n++; wrong += $7 == "" || $8 != "" || $9 != "" }
  $4 == "mean" && $3 == "ensemble/up" { n++; wrong += $8 == "" || $9 == "" || $8 > $6 || $9 < $6 }
  END { exit !(n == 18 && !wrong) }' e.csv || fail "$(cat e.csv)"
grep -c '^  system.inertia\[1\] .* x1  *1 ' swept | grep -qx 2 || fail "$(cat swept)"
"$CASIMIR" report e-?.h5 --differences --format csv >differences.csv
awk -F, 'NR > 1 && $4 == "x1" && $5 == 1 { n++; wrong += !($6 == 500 && $11 == 20 && $12 < $9 && $9 < $13 && $9 < -0.05 && $8 < 1e-4) }
  END { exit !(NR == 25 && n == 2 && !wrong) }' differences.csv || fail "$(cat differences.csv)"
# of events, whether paths flip or none does: an interval that is not empty, or none and why, in text, CSV and figure
for event in half rare; do
  grep "^  system.inertia\[1\] .* $event  *1 " swept | grep -c ' \[-[0-9.e-]*, [0-9.e-]*\]$' | grep -qx 2 || fail "$event: $(cat swept)"
  awk -F, -v event=$event '$4 == event && $5 == 1 { n++; wrong += !($12 < $9 && $9 < $13) } END { exit !(n == 2 && !wrong) }' differences.csv ||
    fail "$event: $(cat differences.csv)"
  "$CASIMIR" plot e-?.h5 --picture sensitivity --show $event --data drawn 2>messages || fail "$event: $(cat messages)"
  awk -F, -v event=$event '$4 == event && $5 == 1 { printf "%.10g %.10g %.10g\n", $9, $12, $13 }' differences.csv >listed
  awk '$5 ~ /^1/ && $6 ~ /^1/ { printf "%.10g %.10g %.10g\n", $2, $3, $4 }' drawn | cmp - listed || fail "$event: $(cat drawn listed)"
done
grep '^  system.inertia\[1\] .* up  *1 ' swept | grep -c ' none: no value differs$' | grep -qx 2 || fail "up: $(cat swept)"
awk -F, '$4 == "up" { n++; wrong += $8 != "nan" || $12 != "nan" || $13 != "nan" } END { exit !(n == 6 && !wrong) }' differences.csv ||
  fail "up: $(cat differences.csv)"
cp e-1.h5 twin.h5
"$CASIMIR" plot e-1.h5 e-2.h5 --picture none 2>messages || :
grep -q 'offers: .*sensitivity' messages || fail "of other systems: $(cat messages)"
"$CASIMIR" plot e-1.h5 twin.h5 --picture none 2>messages || :
grep 'offers: ' messages | grep -qv sensitivity || fail "of equal systems: $(cat messages)"
"$CASIMIR" report all-?.h5 --differences >table 2>messages && fail "differences of strong errors: $(cat table)"
grep -q 'study.path_groups' messages || fail "$(cat messages)"

# and as a picture: two orders of strong errors against sigma, a series for each number of levels
"$CASIMIR" plot all-?.h5 --picture parameter --data drawn 2>messages || fail "$(cat messages)"
for words in system.noise.sigma 'study.levels 3' 'study.levels 4' 'order of strong/error'; do
  grep -q "$words" drawn || fail "no $words: $(cat drawn)"
done
order=$(awk -F, '$2 == 0.1 && $3 == 4 && $4 == "strong/error" && $5 == "order" { printf "%.6g", $7 }' all.csv)
grep -q "$(echo "$order" | cut -c1-6)" drawn || fail "no $order: $(cat drawn)"
"$CASIMIR" plot all-1.h5 all-1.h5 --picture parameter --output same.svg 2>messages && fail "drew one file twice"
grep -q 'no key that is a number' messages || fail "$(cat messages)"

# what is refused
for wrong in 'run sweep.yaml --output x.h5:casimir sweep' 'sweep plain.yaml --set a --output x.h5:must be KEY=' \
  'sweep plain.yaml --zip --set study.levels=3,4 --set study.paths=1,2,3 --output x.h5:as many values' \
  'sweep sweep.yaml --set output.file=a.h5,b.h5:output.file has 2 values, must have one' \
  'sweep sweep.yaml --point 5 --output x.h5:has 4 points' 'sweep sweep.yaml:output is missing' \
  'report all-1.h5 --format xml:must be csv, json or latex' 'sweep plain.yaml --set study.levels=3,,4 --output x.h5:an empty value' \
  "sweep plain.yaml --set study.levels=3,4 --set study.coarsest_step=0.125,2^-7,2^-3 --output x.h5:coarsest_step has the value .2^-3. twice, as its values 1 and 3, so" \
  "sweep plain.yaml --zip --set study.levels=3,4,3 --set random.seed=1,2,1 --output x.h5:as its values 1 and 3, and no other key differs"; do
  # shellcheck disable=SC2086 # several words
  "$CASIMIR" ${wrong%:*} 2>messages >/dev/null && fail "accepted: ${wrong%:*}"
  grep -q -- "${wrong##*:}" messages || fail "${wrong%:*}: $(cat messages)"
done
