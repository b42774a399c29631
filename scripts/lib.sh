# shellcheck shell=bash
# What the scripts share. Sourced, never run. All scripts work in bash 3.2, which macOS has.

unset CDPATH
# shellcheck disable=SC2034 # for the scripts
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# How scripts build the tests: each module in one piece, without an index for editors and without a
# second pass for its interface. That takes about half the processor time of `swift build --build-tests`.
# The build lies in a folder of its own, since other flags would build everything again.
# shellcheck disable=SC2034
test_build=(--scratch-path .build/tests --disable-index-store
  -Xswiftc -whole-module-optimization -Xswiftc -no-emit-module-separately-wmo
  -Xswiftc -num-threads -Xswiftc 2 --explicit-target-dependency-import-check error)

# Prints a sentence on standard error, where progress goes.
say() {
  printf '%s\n' "$*" >&2
}

# Gives up: `fail CODE SENTENCE`.
fail() {
  local code=$1
  shift
  say "${0#"$root/"}: $*"
  exit "$code"
}

# Prints a script's leading comment, which is its help.
print_help() {
  awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
}

# Answers --help, and refuses every other option that a script was started with.
answer_options() {
  case ${1-} in
    -h | --help)
      print_help
      exit 0
      ;;
    -*) fail 64 "there is no option '$1'; --help says what there is." ;;
  esac
}

# The same for a script that takes no arguments at all.
answer_arguments() {
  answer_options "$@"
  [ $# -eq 0 ] || fail 64 "it takes no arguments, but was given '$1'; --help says what it does."
}
