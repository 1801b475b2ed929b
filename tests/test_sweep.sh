#!/bin/sh
# A sweep has the files of its points run by themselves, on any groups of ranks; a point that fails takes no other along,
# one that is done is not done again; and its estimates come out as a table, CSV and JSON.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

echo 'plain | quadratic | convergence, coarsest_step: 2^-6, coarsest_steps: 16, levels: 3, reference: 7, paths: 1000, functionals: [sin2pi] | random: {generator: threefry}' | configurations
{ cat plain.yaml; echo 'sweep: {set: ["system.noise.sigma=0.1,0.2", "study.levels=3,4"]}'; } >sweep.yaml
{ cat plain.yaml; echo 'sweep: {set: ["system.noise.sigma=0.1,-1,0.3"], zip: true}'; } >failing.yaml

# swept STATUS RANKS ARGUMENT ..: `casimir sweep` ends so; its tables are in `table`, its messages in `message`
swept() {
  status=$1 on=$2
  shift 2
  on_ranks "$on" "$CASIMIR" sweep "$@" >table 2>message
  found=$?
  [ $found -eq "$status" ] || fail "sweep $*: status $found, must be $status: $(cat message)"
}
# count NUMBER PATTERN [FILE]: of lines
count() { [ "$(grep -c -e "$2" "${3:-message}")" -eq "$1" ] || fail "not $1 lines with '$2': $(cat "${3:-message}")"; }
# reported ARGUMENT ..
reported() { ends 0 '' "$CASIMIR" report "$@"; }

# one run of each
set -- 0.1 3 0.1 4 0.2 3 0.2 4
for i in 1 2 3 4; do
  runs plain.yaml --set system.noise.sigma="$1" --set study.levels="$2" --output alone-$i.h5
  shift 2
done

for ranks in 1 2 3; do
  rm -f all-?.h5
  swept 0 $ranks sweep.yaml --output all.h5
  for i in 1 2 3 4; do alike alone-$i.h5 all-$i.h5; done
  count 4 ': done in '
  has 'point 2 of 4: system.noise.sigma=0.1 study.levels=4: done'
done
swept 0 3 sweep.yaml --groups 1 --quiet --max-walltime 1h --output one.h5
[ ! -s table ] && [ ! -s message ] || fail "--quiet printed $(cat table message)"
for i in 1 2 3 4; do alike alone-$i.h5 one-$i.h5; done

# a table of each point instead of one of all, as reports have it
swept 0 1 sweep.yaml --resume --long --output all.h5
for i in 1 2 3 4; do count 1 "^all-$i.h5$" table; done
[ "$(grep -c 'rate of convergence\|order ' table)" -ge 4 ] || fail "$(cat table)"
reported --long all-1.h5 all-2.h5 all-3.h5 all-4.h5
cmp table message || fail "tables of points, and reports of them"
swept 2 1 sweep.yaml --resume --long --format csv --output all.h5
has 'without --format'

# what is done stays, what is missing is done; one point a task
cp -p all-3.h5 before.h5
rm all-1.h5 all-4.h5
swept 0 1 sweep.yaml --point 4 --resume --quiet --output all.h5
[ ! -e all-1.h5 ] || fail "another point was done"
alike alone-4.h5 all-4.h5
swept 0 2 sweep.yaml --resume --output all.h5
for i in 2 3 4; do has "point $i of 4: .*: was done before$"; done
has 'point 1 of 4: .*: done in '
alike alone-1.h5 all-1.h5
cmp before.h5 all-3.h5 || fail "a point was done again"

# one name for all, as an assignment too; --output comes before it, as everywhere
swept 0 1 sweep.yaml --set output.file=named.h5 --set study.paths=100 --quiet
[ -s named-1.h5 ] && [ -s named-4.h5 ] || fail "no files: $(ls)"
swept 0 1 sweep.yaml --set 'output={file: mapped.h5}' --output other.h5 --dry-run
count 4 'other-[1-4].h5$' table
swept 0 1 sweep.yaml --set 'output={file: mapped.h5}' --dry-run
count 4 'mapped-[1-4].h5$' table

# side by side, and values with commas in brackets
swept 0 1 plain.yaml --zip --set 'system.inertia=[2,1,0.5],[3,2,1]' --set system.noise.sigma=0.1,0.2 --set study.paths=100 --dry-run --output zip.h5
[ "$(wc -l <table)" -eq 2 ] && [ ! -e zip-1.h5 ] || fail "$(cat table)"
count 1 '^point 2 of 2: system.inertia=\[3,2,1\] system.noise.sigma=0.2: zip-2.h5$' table

# a point that fails
swept 2 2 failing.yaml --output some.h5
has 'point 2 of 3: system.noise.sigma=-1: found -1, must be at least 0' '1 of 3 points are not done, or failed a check$'
alike all-1.h5 some-1.h5
[ -s some-3.h5 ] && [ ! -e some-2.h5 ] || fail "$(ls some*)"
count 8 'order .* some-[13].h5$' table # strong, its supremum, that of increments, weak

# a mistake that all points share is said once, whatever the number of ranks, and no point begins
for ranks in 1 2 3; do
  swept 2 $ranks sweep.yaml --set system.noise.sigmas=1 --output shared.h5
  count 1 "unknown key; did you mean 'sigma'"
  count 0 'point [1-4] of 4'
done

# interrupted, and gone on with
by_looks 0.001 swept 75 2 sweep.yaml --set study.paths=5000 --quiet --output cut.h5 --max-walltime 0.3
has 'points are not done.*; the same command with --resume does what is left$'
swept 0 3 sweep.yaml --set study.paths=5000 --quiet --output cut.h5 --resume
runs plain.yaml --set study.paths=5000 --output long.h5
alike long.h5 cut-1.h5
unchanged 75 'point 1 of 4: .*: not begun: --max-walltime is over' by_looks 0.1 "$CASIMIR" sweep sweep.yaml --output never.h5 --max-walltime 0.3
# of recorded paths what they differ by
swept 0 1 plain.yaml --set system.inertia[1]=1,1.01 --set 'study={kind: trajectory, step: 2^-5, steps: 2, paths: 99, observables: [x1]}' --output track.h5
count 2 ': done in '
count 1 '^  system.inertia\[1\] .* x1 ' table

# estimates for other programs
"$CASIMIR" report all-?.h5 --format csv >all.csv
"$CASIMIR" report all-?.h5 --format json >all.json
"$CASIMIR" report all-1.h5 --format csv >one.csv
reported --long all-1.h5
has Health
# texts that spreadsheets would take for formulas are none, and numbers stay numbers
echo 'formulas | {name: lie_poisson, algebra: so3, hamiltonian: +x1^2, parameters: {a: -0.5}, noise: [0.1*a*x3], initial: [-0.6, 0, 0.8]} | ensemble, step: 1/64, steps: 2, every: 1, paths: 64, bins: 0, observables: [x1]' | configurations
runs formulas.yaml --output =1+2.h5
cp ./=1+2.h5 formulas.h5
runs formulas.yaml --output @a.h5 --set system.parameters.a=-1.5e-1 --set system.hamiltonian=-x1^2-x2^2
runs formulas.yaml --output +b.h5 --set system.parameters.a=2 --set system.hamiltonian=-x1
"$CASIMIR" report =1+2.h5 @a.h5 +b.h5 --format csv >formulas.csv
"$python" - <<'END' || fail formulas
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
"$python" - <<'END' || fail "estimates for other programs"
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
swept 0 1 plain.yaml --quiet --set study.coarsest_step=2^-6,1/128 --set system.noise.sigma=0.1,0.2 \
  --set study.levels=5 --set study.paths=100 --output order.h5
"$CASIMIR" report order-?.h5 --format csv >order.csv
count 1 '^file,study.coarsest_step,.*system.noise.sigma,' order.csv
[ "$(cut -d, -f2 order.csv | sort -u | tr '\n' ' ')" = '0.0078125 0.015625 study.coarsest_step ' ] || fail "$(cat order.csv)"
# what follows from the scheme, such as tolerances, is in no legend
draws_together
swept 0 1 plain.yaml --quiet --set study.coarsest_step=2^-6,1/128 --set integrator.name=heun,isospectral_midpoint \
  --set study.levels=5 --set study.paths=100 --output told.h5
ends 0 '' "$CASIMIR" plot told-?.h5 --picture parameter --data drawn
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
runs plain.yaml --output none.h5 \
  --set 'study={kind: trajectory, step: 2^-5, steps: 2, paths: 1, observables: [x1]}'
ends 0 'none of these files has a resolved main estimate' "$CASIMIR" report none.h5 --format latex
ends 0 'none of these files has a resolved main estimate' "$CASIMIR" report none.h5 none.h5

# the estimates of a whole table, which for averages over time is all that they have
runs plain.yaml --output average.h5 \
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
  ends 0 '' "$CASIMIR" plot e-?.h5 --picture sensitivity --show $event --data drawn
  awk -F, -v event=$event '$4 == event && $5 == 1 { printf "%.10g %.10g %.10g\n", $9, $12, $13 }' differences.csv >listed
  awk '$5 ~ /^1/ && $6 ~ /^1/ { printf "%.10g %.10g %.10g\n", $2, $3, $4 }' drawn | cmp - listed || fail "$event: $(cat drawn listed)"
done
grep '^  system.inertia\[1\] .* up  *1 ' swept | grep -c ' none: no value differs$' | grep -qx 2 || fail "up: $(cat swept)"
awk -F, '$4 == "up" { n++; wrong += $8 != "nan" || $12 != "nan" || $13 != "nan" } END { exit !(n == 6 && !wrong) }' differences.csv ||
  fail "up: $(cat differences.csv)"
cp e-1.h5 twin.h5
ends 2 'offers: .*sensitivity' "$CASIMIR" plot e-1.h5 e-2.h5 --picture none
ends 2 'offers: ' "$CASIMIR" plot e-1.h5 twin.h5 --picture none
! grep -q sensitivity message || fail "of equal systems: $(cat message)"
ends 2 'study.path_groups' "$CASIMIR" report all-?.h5 --differences

# and as a picture: two orders of strong errors against sigma, a series for each number of levels
ends 0 '' "$CASIMIR" plot all-?.h5 --picture parameter --data drawn
for words in system.noise.sigma 'study.levels 3' 'study.levels 4' 'order of strong/error'; do
  grep -q "$words" drawn || fail "no $words: $(cat drawn)"
done
order=$(awk -F, '$2 == 0.1 && $3 == 4 && $4 == "strong/error" && $5 == "order" { printf "%.6g", $7 }' all.csv)
grep -q "$(echo "$order" | cut -c1-6)" drawn || fail "no $order: $(cat drawn)"
ends 2 'no key that is a number' "$CASIMIR" plot all-1.h5 all-1.h5 --picture parameter --output same.svg

# what is refused
each unchanged 2 <<'END'
casimir sweep | "$CASIMIR" run sweep.yaml --output x.h5
must be KEY= | "$CASIMIR" sweep plain.yaml --set a --output x.h5
as many values | "$CASIMIR" sweep plain.yaml --zip --set study.levels=3,4 --set study.paths=1,2,3 --output x.h5
output.file has 2 values, must have one | "$CASIMIR" sweep sweep.yaml --set output.file=a.h5,b.h5
has 4 points | "$CASIMIR" sweep sweep.yaml --point 5 --output x.h5
the output is missing | "$CASIMIR" sweep sweep.yaml
the output is missing | "$CASIMIR" sweep sweep.yaml --output ''
must be csv, json or latex | "$CASIMIR" report all-1.h5 --format xml
an empty value | "$CASIMIR" sweep plain.yaml --set study.levels=3,,4 --output x.h5
coarsest_step has the value .2\^-3. twice, as its values 1 and 3, so | "$CASIMIR" sweep plain.yaml --set study.levels=3,4 --set study.coarsest_step=0.125,2^-7,2^-3 --output x.h5
as its values 1 and 3, and no other key differs | "$CASIMIR" sweep plain.yaml --zip --set study.levels=3,4,3 --set random.seed=1,2,1 --output x.h5
END
