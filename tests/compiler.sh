#!/bin/sh
# The compiler $COMPILER as scripts give it to `casimir build`: its words are appended to $COMPILER_LOG, and $optimization to them. Where
# CASIMIR_KERNELS is generic, as one instruction set shows all, objects of the others are empty, copies of $EMPTY_OBJECT where that is set.
[ -z "${COMPILER_LOG:-}" ] || printf '%s\n' "$*" >>"$COMPILER_LOG"
case ${CASIMIR_KERNELS:-}:$* in
generic:*-DCAS_ISA_SUFFIX=_avx*)
  while [ "$1" != -o ]; do shift; done
  [ -z "${EMPTY_OBJECT:-}" ] || exec cp "$EMPTY_OBJECT" "$2"
  exec "$COMPILER" -x c -c -o "$2" /dev/null
  ;;
esac
exec "$COMPILER" "$@" ${optimization:-}
