#!/bin/sh
# Pages and comments have no phrase that leaves out what it speaks of; and the checker sees such phrases where they are.
# lane: fast
. "$SOURCE_DIR/tests/checks.sh"

check() { /usr/bin/python3 "$SOURCE_DIR/tests/words.py" "$1" 2>message; }

check "$SOURCE_DIR" || fail "$(cat message)"

# found NUMBER FILE: a file of this text, from the standard input, with ~ for a blank, has NUMBER phrases that are refused
found() {
  rm -rf tree
  mkdir -p "tree/$(dirname "$2")" tree/.ci
  : >tree/README.md && : >tree/CMakeLists.txt && : >tree/.ci/run
  tr '~' ' ' >"tree/$2"
  check tree
  [ "$(grep -c "^words.py: $2:" message)" -eq "$1" ] || fail "$2: $(cat message), must have $1"
}

found 4 src/a.c <<'END_OF_TEXT'
/* The~same of a row. */
int a; /* numbers that
          there are */
// room for so~many rows
const char *text = "/* so~many */"; /* so that~there is room for those which follow, those
   that come first */
END_OF_TEXT
found 3 tests/a.sh <<'END_OF_TEXT'
# The~same with
# another rank
echo "so~many" # those~that are left
true
  # all that~there
  # is
END_OF_TEXT
found 2 src/a.py <<'END_OF_TEXT'
def f():
    """The~same, by name."""
    text = "so~many"  # those~that follow
END_OF_TEXT
found 4 docs/a.md <<'END_OF_TEXT'
# Those

A paragraph. The~same holds here, and `so~many` not; those
that follow.

* The~same of an item

| cell | The~same |
|---|---|

    The~same in a command

```
The~same in code
```
END_OF_TEXT
