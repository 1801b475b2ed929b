#!/bin/sh
# The manual page and the completions for bash and zsh, from what the program says of itself:
#   sh manual.sh PROGRAM DIRECTORY     writes casimir.1, casimir.bash, _casimir
set -eu
program=$1 out=$2
export ASAN_OPTIONS=detect_leaks=0 ARGP_HELP_FMT=rmargin=500
mkdir -p "$out"
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT

"$program" --help >"$parts/help"
version=$("$program" --version | sed -n '1s/^casimir  *\([0-9.]*\).*/\1/p')
commands=$(sed -n 's/^  casimir \([a-z]*\)  .*/\1/p' "$parts/help")
for command in $commands; do
  "$program" "$command" --help >"$parts/$command"
  # options: short|long|argument|text
  sed -n 's/^  \(-.\{0,1\}\),\{0,1\} *--\([a-z-]*\)=\{0,1\}\([^ ]*\)  *\(.*\)/\1|\2|\3|\4/p; s/^      --\([a-z-]*\)=\{0,1\}\([^ ]*\)  *\(.*\)/|\1|\2|\3/p' \
    "$parts/$command" >"$parts/$command.options"
done
summary() { sed -n "s/^  casimir $1   *//p" "$parts/help"; }
names() { "$program" describe "$1" | sed -n 's/^\([a-z_0-9]*\): .*/\1/p'; }
topics="all systems integrators schemes generators studies observables keys $(for t in systems integrators generators studies; do names $t; done | tr '\n' ' ')"
pictures=$(sed -n 's/^  \([a-z_]*\)   *[a-z].*/\1/p' "$parts/plot" | tr '\n' ' ')

# ---- the manual page ----

roff() { sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/'; }
{
  printf '.TH CASIMIR 1 "" "casimir %s" "User Commands"\n.SH NAME\n' "$version"
  sed -n 2p "$parts/help" | sed 's/\.$//' | roff | sed 's/^/casimir \\- /'
  printf '.SH SYNOPSIS\n'
  for command in $commands; do
    printf '.B casimir %s\n' "$command"
    sed -n "s/^Usage: casimir $command *//p" "$parts/$command" | roff
    printf '.br\n'
  done
  printf '.SH COMMANDS\n'
  for command in $commands; do
    printf '.SS casimir %s\n' "$command"
    sed -n '2,/^$/p' "$parts/$command" | sed '/^$/d' | roff
    if [ "$command" = plot ]; then
      printf '.PP\n.nf\n'
      grep '^  [a-z][a-z_]*   *[a-z]' "$parts/plot" | roff
      printf '.fi\n'
    fi
    while IFS='|' read -r short long argument text; do
      printf '.TP\n'
      printf '%s\n' "${short:+$short, }--$long${argument:+=$argument}" | roff | sed 's/^/.B /'
      printf '%s\n' "$text" | roff
    done <"$parts/$command.options"
  done
  printf '.SH EXAMPLES\n.nf\n'
  sed -n '/^Examples:$/,/^$/{/^  /p}' "$parts/help" | roff
  printf '.fi\n.SH EXIT STATUS\n'
  sed -n 's/^ *\([0-9][0-9]*\)  \(.*\)/.TP\n.B \1\n\2/p' "$parts/help"
  printf '.SH ENVIRONMENT\n.TP\n.B CASIMIR_KERNELS\ninstruction set: generic, avx2 or avx512; others are refused\n'
} >"$out/casimir.1"

# ---- bash ----

{
  printf '# completion of casimir for bash\n_casimir() {\n  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options=\n'
  printf '  if [ "$COMP_CWORD" -eq 1 ]; then\n    COMPREPLY=($(compgen -W "%s --help --version" -- "$current"))\n    return\n  fi\n' "$(echo $commands)"
  printf '  case $previous in\n  --picture | -p) COMPREPLY=($(compgen -W "%s" -- "$current")); return ;;\n  esac\n' "${pictures% }"
  printf '  case ${COMP_WORDS[1]} in\n'
  for command in $commands; do
    printf '  %s) options="%s" ;;\n' "$command" "$(cut -d'|' -f2 "$parts/$command.options" | sed 's/^/--/' | tr '\n' ' ' | sed 's/ $//')"
  done
  printf '  esac\n  case $current in\n  -*) COMPREPLY=($(compgen -W "$options" -- "$current")); return ;;\n  esac\n'
  printf '  if [ "${COMP_WORDS[1]}" = describe ]; then\n    COMPREPLY=($(compgen -W "%s" -- "$current"))\n  else\n    COMPREPLY=($(compgen -f -- "$current"))\n  fi\n}\n' "${topics% }"
  printf 'complete -o filenames -F _casimir casimir\n'
} >"$out/casimir.bash"

# ---- zsh ----

quoted() { sed "s/'/'\\\\''/g; s/\[/\\\\[/g; s/\]/\\\\]/g; s/:/\\\\:/g"; }
{
  printf '#compdef casimir\nlocal -a commands\ncommands=(\n'
  for command in $commands; do
    printf "  '%s:%s'\n" "$command" "$(summary "$command" | quoted)"
  done
  printf ')\nif (( CURRENT == 2 )); then\n  _describe command commands\n  return\nfi\ncommand=$words[2]\nshift words\n(( CURRENT-- ))\ncase $command in\n'
  for command in $commands; do
    printf '%s)\n  _arguments \\\n' "$command"
    while IFS='|' read -r short long argument text; do
      values=_files
      [ "$long" != picture ] || values="($pictures)"
      printf "    '--%s%s[%s]%s' \\\\\n" "$long" "${argument:+=}" "$(printf '%s' "$text" | quoted)" "${argument:+:$argument:$values}"
    done <"$parts/$command.options"
    if [ "$command" = describe ]; then printf "    '1:name:(%s)'\n  ;;\n" "${topics% }"; else printf "    '*:file:_files'\n  ;;\n"; fi
  done
  printf 'esac\n'
} >"$out/_casimir"
