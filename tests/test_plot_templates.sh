#!/bin/sh
# A figure is data and a template: users have their own, templates move with the program, and what is drawn can be had as
# text.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"
python=${PYTHON:-/usr/bin/python3}

cat >weak.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.5}}
study: {kind: weak, coarsest_step: 2^-3, coarsest_steps: 2, levels: 3, reference: 5, paths: 2000, functionals: [x1, x2]}
END
cat >trajectory.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.3}}
study: {kind: trajectory, step: 2^-5, steps: 100, paths: 2}
END
for study in weak trajectory; do
  "$CASIMIR" run $study.yaml --quiet --output $study.h5 >/dev/null || fail "$study.yaml does not run"
done

# ---- the page's example: a copy of an installed template, with another look ----
templates=$(dirname "$CASIMIR")/share/casimir/templates
example=$(sed -n '/^<!-- test: template -->$/,/^```$/p' "$SOURCE_DIR/docs/pictures.md" | sed -n '/^```gnuplot$/,/^```$/p' | sed '1d;$d')
[ "$(echo "$example" | wc -l)" -gt 5 ] || fail "docs/pictures.md has no template"
echo "$example" >mine.gp
expect 0 '' "$CASIMIR" plot weak.h5 --template mine.gp --output mine.svg
says mine.svg 'x1' 'x2' 'error of the mean'
counts mine.svg 2 '$3 >= 1 && $5 == 4' # three levels, and the sample in the key
expect 0 '' "$CASIMIR" plot weak.h5 --template "$templates/convergence.gp" --output copied.svg
expect 0 '' "$CASIMIR" plot weak.h5 --output own.svg
cmp copied.svg own.svg || fail "the installed template draws another figure by --template"

# every template gets all that it uses from the program and from style.gp, and none is left without a picture
for template in "$templates"/*.gp; do
  name=$(basename "$template" .gp)
  [ "$name" = style ] || grep -q "CAS_PICTURE($name)" "$SOURCE_DIR/src/present/pictures/pictures.def" || fail "$name.gp is of no picture"
  cmp "$template" "$SOURCE_DIR/src/present/templates/$name.gp" || fail "$name.gp of the build tree is another one"
done

# ---- what is wrong with a template ----
expect 3 'nowhere.gp cannot be read: No such file' "$CASIMIR" plot weak.h5 --template nowhere.gp --output wrong.svg
printf 'eval begin(1)\nplot nonsense\n' >bad.gp
expect 2 'bad.gp" line 2: undefined variable: nonsense' "$CASIMIR" plot weak.h5 --template bad.gp --output wrong.svg
cp mine.gp ./-d.gp && cp mine.gp '<touch harm #.gp' && cp mine.gp "it's \`touch harm\`.gp"
for name in ./-d.gp '<touch harm #.gp' "it's \`touch harm\`.gp"; do
  expect 0 '' "$CASIMIR" plot weak.h5 "--template=${name#./}" --output named.svg
  cmp named.svg mine.svg || fail "$name draws another figure"
done
[ ! -e harm ] || fail "the name of a template was run"
echo 'exit' >nothing.gp
expect 3 'did not draw all' "$CASIMIR" plot weak.h5 --template nothing.gp --output wrong.svg

# ---- size and title ----
expect 0 '' "$CASIMIR" plot trajectory.h5 --picture conservation --width 174 --output two.svg
expect 0 '' "$CASIMIR" plot trajectory.h5 --picture conservation --width 84 --title "it's <a> {title}" --output one.svg
"$python" - <<'END' || fail "figures of 84 and 174 mm"
import re
import xml.etree.ElementTree as tree
size = [[float(x) for x in re.search(r'width="(\d+)" height="(\d+)"', open(f).read()).groups()] for f in ("one.svg", "two.svg")]
assert abs(size[0][0] - 84 / 25.4 * 96) < 1 and abs(size[1][0] - 174 / 25.4 * 96) < 1, size
assert size[0][1] > size[0][0] and size[1][1] < size[1][0], size  # one panel above the other, or beside it
text = "".join(tree.parse("one.svg").getroot().itertext()).replace("\u00a0", " ")
assert "it's <a> {title}" in text, text
END
expect 2 'must be 10 mm or more' "$CASIMIR" plot weak.h5 --width 9 --output wrong.svg
expect 2 'must be 10 mm or more' "$CASIMIR" plot weak.h5 --width wide --output wrong.svg

# ---- data as text ----
expect 2 'no --output, no --template' "$CASIMIR" plot weak.h5 --data - --output wrong.svg
expect 3 'no/where' "$CASIMIR" plot weak.h5 --data no/where
cp weak.h5 weak.copy
expect 2 'is what is drawn' "$CASIMIR" plot weak.copy --data weak.copy
"$CASIMIR" plot weak.h5 --data weak.txt || fail "--data"
"$CASIMIR" plot weak.h5 --data - >standard-output || fail "--data -"
cmp weak.txt standard-output || fail "--data and standard output differ"
"$CASIMIR" plot trajectory.h5 --data trajectory.txt --picture paths 2>/dev/null || fail "--data of paths"
PATH=$PWD/nothing expect 0 '' "$CASIMIR" plot weak.h5 --data without-gnuplot.txt
cmp weak.txt without-gnuplot.txt || fail "text needs gnuplot"
expect 3 'standard output could not be written' sh -c '"$CASIMIR" plot weak.h5 --data - >/dev/full'
"$python" - <<'END' || fail "what is drawn is not what the files hold"
import io, re
import h5py, numpy as np

def blocks(name):
    parts = open(name).read().split("\n\n\n")
    found = {re.search("# block (\d+): (.*)", p).groups()[::-1]: p for p in parts[1:]}
    assert [int(i) for _, i in found] == list(range(len(parts) - 1))
    return parts[0], {key[0]: (np.loadtxt(io.StringIO(p)), p.split("\n")[1]) for key, p in found.items()}

head, found = blocks("weak.txt")
assert "# of weak.h5: weak of rigid_body" in head and "# name[2] = x2" in head, head
f = h5py.File("weak.h5")
for i, name in enumerate(["x1", "x2"]):
    data, heading = found["points_%d" % (i + 1)]
    error, se = f["weak"][name]["error"], f["weak"][name]["standard_error"]
    assert heading.startswith("# h [time_unit], error [%s], two_standard_errors [" % error.attrs["units"]), heading
    assert np.array_equal(data[:, 1], abs(error[:])) and np.array_equal(data[:, 2], 2 * se[:])
    assert np.array_equal(data[:, 0], 2.0 ** -np.arange(3, 6))
head, found = blocks("trajectory.txt")
state = h5py.File("trajectory.h5")["trajectory/state"][:]
for path in 0, 1:
    x = found["path_1_%d" % (path + 1)][0]
    assert np.allclose(np.linalg.norm(x, axis=1), 1, atol=1e-12)
    assert np.allclose(x[[0, -1]], state[[0, -1], path] / np.linalg.norm(state[0, path]), atol=1e-12)
END
# gnuplot finds the blocks by their index
index=$(sed -n 's/^# block \([0-9]*\): points_2$/\1/p' weak.txt)
gnuplot -e "stats 'weak.txt' index $index using 2 nooutput; set print 'greatest'; print sprintf('%.10g', STATS_max)" || fail "gnuplot cannot read the text"
"$python" -c "
import h5py
greatest = abs(h5py.File('weak.h5')['weak/x2/error'][:]).max()
assert abs(float(open('greatest').read()) / greatest - 1) < 1e-9" || fail "block $index is not points_2"

# text cannot be steered by what a file says of itself
"$python" - <<'END'
import h5py, shutil
shutil.copy("weak.h5", "evil.h5")
with h5py.File("evil.h5", "r+") as f:
    f.move("weak/x1", "weak/x\n1 2 3 4\n\033[31m`touch harm`")
    f["weak/x\n1 2 3 4\n\033[31m`touch harm`/error"].attrs["units"] = "u\n\n\n5 6 7 8"
    f.attrs["system"] = "rigid_body\n9 9 9 9"
END
expect 0 '' "$CASIMIR" plot evil.h5 --unsealed --data evil.txt
! grep -q -e '^[^#N0-9-]' -e "$(printf '\033')" evil.txt || fail "evil.txt: $(cat -v evil.txt)"
! grep -q -e '^1 2 3 4' -e '^5 6 7 8' -e '^9 9 9 9' evil.txt || fail "names are numbers: $(cat evil.txt)"
expect 0 '' "$CASIMIR" plot evil.h5 --unsealed --output evil.svg
expect 0 '' "$CASIMIR" plot evil.h5 --unsealed --template mine.gp --output evil.svg
[ ! -e harm ] || fail "a name was run"

# ---- a program that was moved ----
mkdir -p alone installed/bin
cp "$CASIMIR" alone/casimir
expect 3 "the template 'style.gp' of figures is neither in .*alone/../share/casimir/templates.*cmake --install" \
  alone/casimir plot weak.h5 --output wrong.svg
mkdir -p alone/share/casimir && cp -r "$templates" alone/share/casimir/
expect 0 '' alone/casimir plot weak.h5 --output moved.svg
cmp moved.svg own.svg || fail "a moved program draws another figure"
echo 'exit' >alone/share/casimir/templates/convergence.gp
expect 3 'did not draw all' alone/casimir plot weak.h5 --output wrong.svg
[ ! -e wrong.svg ] || fail "a figure of what was refused"
for left in *.tmp; do
  [ ! -e "$left" ] || fail "left behind: $left"
done
[ "$failures" -eq 0 ]
