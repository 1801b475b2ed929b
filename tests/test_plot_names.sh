#!/bin/sh
# Names are drawn and said, and nothing else: neither those of files nor those within files reach matplotlib as markup, or a
# terminal as what steers it.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

study "$body" 'kind: weak, coarsest_step: 2^-3, coarsest_steps: 2, levels: 3, reference: 5, paths: 2000, functionals: [x1]' >weak.yaml
"$CASIMIR" run weak.yaml --quiet --output weak.h5 || fail "weak.yaml does not run"
results tracks

escape=$(printf '\033')
# harmless FILE ..: nothing in them steers a terminal, and nothing was run
harmless() {
  ! grep -q -e "$escape" "$@" || fail "$name: raw: $(cat -v "$@")"
  [ ! -e PWNED ] || fail "$name: was run"
  rm -f PWNED
}

# xml FILE.svg TEXT: the figure can be read, and the text is in it
xml() {
  "$python" -c 'import sys, xml.etree.ElementTree as tree
text = "".join(tree.parse(sys.argv[1]).getroot().itertext()).replace("\u00a0", " ")
sys.exit(sys.argv[2] not in text)' "$@" || fail "$name: $1 does not show '$2'"
}

# ---- names of files: as they are, and as they are shown ----
line='
'
for name in "x${line}system(\"touch PWNED\")${line}#.h5" "x'${line}system 'touch PWNED'${line}#.h5" "a'''' b''.h5" \
  "x'.system('touch PWNED').'.h5" '`touch PWNED`.h5' '"`touch PWNED`".h5' "red${escape}[31m.h5" '\U+001b.h5' 'a\.h5' \
  '@a^b_{c}&{d}~e{.6f}.h5' '%s%n $(touch PWNED).h5' "$(printf 'caf\351.h5')" 'é φ.h5'; do
  shown=$(printf '%s' "$name" | sed -e "s/$escape/\\\\x1b/" -e "$(printf 's/\351/\\\\xe9/')" | tr '\n' '\001' | sed 's/\x01/\\n/g')
  cp weak.h5 "$name"
  expect 0 '' "$CASIMIR" plot weak.h5 "$name" --picture comparison --output names.svg
  harmless out names.svg
  xml names.svg "${shown%.h5}: weak, isospectral midpoint, 2000 paths"
  cp tracks.h5 "$name"
  expect 0 '' "$CASIMIR" plot "$name" tracks.h5 --picture paths --output names.svg
  harmless out names.svg
  xml names.svg "${shown%.h5}"
  expect 0 '' "$CASIMIR" plot "$name" # into a figure of that name
  harmless out
  rm -f "$name" "${name%.h5}.svg"
  expect 2 'there is no such file' "$CASIMIR" report "$name"
  harmless out
  expect 3 'cannot be written' "$CASIMIR" run weak.yaml --output "nowhere/$name"
  harmless out
  "$CASIMIR" run weak.yaml --dry-run --output "$name" >out 2>&1 || fail "$name: no dry run"
  harmless out
done
# a name of many bytes is cut between two characters
name=$(printf 'x%s' "$(printf 'é%.0s' $(seq 60)).h5")
cp tracks.h5 "$name"
expect 0 '' "$CASIMIR" plot "$name" tracks.h5 --picture paths --output names.svg
xml names.svg 'xééé'
! grep -q 'xc3' names.svg || fail "a name cut within a character"

# ---- names in files, and what is said of units ----
"$python" - <<'EOF2' || { echo "no h5py: names within files were not tried"; exit "$((failures > 0))"; }
import h5py, shutil
evil = "x\nsystem(\"touch PWNED\")\n#\033[31m'"
shutil.copy("weak.h5", "evil-weak.h5")
with h5py.File("evil-weak.h5", "r+") as f:
    f.move("weak/x1", "weak/" + evil)
    f["weak/" + evil]["error"].attrs["units"] = "u^2\n`touch PWNED`\033[31m'"
    f["weak/" + evil]["verdict"][()] = "good\033[31m"
    f.attrs["kernels"] = "k\033]0;title\007"
shutil.copy("tracks.h5", "evil-tracks.h5")
with h5py.File("evil-tracks.h5", "r+") as f:
    f["trajectory/hamiltonian"].attrs["units"] = "u\nsystem(\"touch PWNED\")\n\033[31m`touch PWNED`"
EOF2
for name in evil-weak evil-tracks; do
  "$CASIMIR" plot --unsealed $name.h5 --output names.svg >out 2>&1
  harmless out
  "$CASIMIR" report --unsealed $name.h5 >out 2>&1
  harmless out
  "$CASIMIR" report "${name#evil-}.h5" >plain
  [ "$(wc -l <out)" -eq "$(wc -l <plain)" ] || fail "$name.h5: a name breaks a line: $(cat out)"
done
[ "$failures" -eq 0 ]
