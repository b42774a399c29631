# shellcheck shell=bash
# What the scripts share. Sourced, never run. All scripts work in bash 3.2, which macOS has.

unset CDPATH
# shellcheck disable=SC2034 # for the scripts
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

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
