#!/bin/sh
# Recipes of packages can be read, and all that names a version names the same.
set -u
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"
version=$(sed -n 's/^project(casimir VERSION \([0-9.]*\) .*/\1/p' "$SOURCE_DIR/CMakeLists.txt")
packaging=$SOURCE_DIR/src/cmake/packaging
[ -n "$version" ] || fail "CMakeLists.txt has no version"

for recipe in "$packaging"/spack/package.py "$packaging"/easybuild/casimir-*.eb; do
  /usr/bin/python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$recipe" || fail "$recipe"
done
[ -e "$packaging/easybuild/casimir-$version-foss-2023a.eb" ] || fail "EasyBuild's file is of another version"
for line in "spack/package.py:    version(\"$version\", sha256=" "easybuild/casimir-$version-foss-2023a.eb:version = '$version'" \
  "conda-forge/meta.yaml:  version: $version" "apptainer/casimir.def:    version $version" \
  "../../python/pyproject.toml:version = \"$version\"" "../../../docs/CITATION.cff:version: $version" \
  "../../../docs/CHANGELOG.md:## $version"; do
  grep -qF -e "${line#*:}" "$packaging/${line%%:*}" || fail "${line%%:*} has no line '${line#*:}'"
done
/usr/bin/python3 - "$SOURCE_DIR/docs/CITATION.cff" <<'END' || fail "CITATION.cff"
import sys
try:
    import yaml
except ImportError:
    sys.exit(0)
citation = yaml.safe_load(open(sys.argv[1]))
assert citation["cff-version"] == "1.2.0" and citation["license"] == "BSD-3-Clause"
assert all(r.get("title") and r.get("authors") for r in citation["references"])
END
# every option of the build that a recipe sets is one
grep -rhoE '(-D|define\(")[A-Z][A-Z_]+' "$packaging" | sed 's/^-D//;s/^define("//' | sort -u >options
for option in $(cat options); do
  grep -q "^option($option\|^set($option" "$SOURCE_DIR/CMakeLists.txt" || fail "recipes set $option, which is no option"
done
[ "$failures" -eq 0 ]
