# shellcheck shell=bash
# What the scripts share. Sourced, never run. All scripts work in bash 3.2, which macOS has.

unset CDPATH
# shellcheck disable=SC2034 # for the scripts
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# How scripts build the tests: each module in one piece, without a second pass for its interface. That
# takes a fifth less processor time than `swift build --build-tests`, and has a folder of its own, since
# other flags would build everything again. Without debug information it takes another twelfth less; to
# see lines in the backtrace of a crash, use `swift test`. SwiftPM looks for tests of XCTest in the index,
# which needs no modules of the system.
# shellcheck disable=SC2034
test_build=(--scratch-path .build/tests -debug-info-format none -Xswiftc -whole-module-optimization
  -Xswiftc -no-emit-module-separately-wmo -Xswiftc -num-threads -Xswiftc 2
  -Xswiftc -index-ignore-system-modules -Xswiftc -index-ignore-clang-modules
  --explicit-target-dependency-import-check error)

# Lets the builds of tests that follow optimize the rooms whose code takes two thirds of the time of all
# tests, and no others: an optimized module takes three times as long to compile. The modules of tests
# give way to the rooms, but for HistoryLabTests, which is among the largest and waits for all rooms.
optimize_rooms_of_tests() {
  use_compiler tests -Onone -O 'Basics HistoryTypes SQLiteStorage HistoryStore Traces Faults' \
    "$(cd "$root/Tests" && printf '%s ' *Tests | sed 's/HistoryLabTests //')"
}

# Chooses, for the builds that follow, a compiler that replaces one option by another in some rooms, and
# gives way to other processes in some: `use_compiler NAME OPTION OTHER ROOMS [LATER-ROOMS]`. No manifest
# that other packages can depend on can say that, so a script stands in for swiftc. SwiftPM looks for
# libraries beside it. Not on macOS, where xcrun chooses the compiler, and not where SWIFT_EXEC names one.
use_compiler() {
  local folder=$root/.build/compiler/$1 resources
  [ "$(uname)" = Linux ] && [ -z "${SWIFT_EXEC-}" ] || return 0
  resources=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
  [ -d "$resources" ] || return 0
  mkdir -p "$folder/bin"
  ln -sfn "$(dirname "$resources")" "$folder/lib"
  {
    echo '#!/usr/bin/env bash'
    echo '# Calls the swiftc of the PATH. Written by scripts/lib.sh, which says why.'
    printf 'from=%q to=%q rooms=%q later=%q\n' "$2" "$3" " $4 " " ${5-} "
    cat <<'END'
words=("$@") room= index=
for ((i = 0; i < $#; i++)); do
  case ${words[i]} in -module-name) room=${words[i + 1]} ;; -index-store-path) index=$i ;; esac
done
# Only the modules of tests need an index.
case $room in *Tests) index= ;; esac
case $rooms in *" ${room:-none} "*)
  for ((i = 0; i < $#; i++)); do [ "${words[i]}" != "$from" ] || words[i]=$to; done ;;
esac
# Of a function that several rooms contain, the linker takes the first copy: it must be an optimized one.
for ((i = 0; i < $#; i++)); do
  case $to${words[i]} in -Onone@*/Objects.LinkFileList) ;; *) continue ;; esac
  list=${words[i]#@} last=$(printf '/%s.build/\n' $rooms)
  { grep -vF "$last" "$list"; grep -F "$last" "$list"; } >"$list.ordered"
  words[i]=@$list.ordered
done
[ -z "$index" ] || unset 'words[index]' 'words[index + 1]'
case $later in *" ${room:-none} "*) exec nice -n 15 swiftc "${words[@]}" ;; esac
exec swiftc "${words[@]}"
END
  } >"$folder/swiftc.new"
  chmod +x "$folder/swiftc.new"
  mv "$folder/swiftc.new" "$folder/bin/swiftc"
  export SWIFT_EXEC=$folder/bin/swiftc
}

# Builds with SwiftPM: `swift_build ARGUMENTS...`. With jemalloc the compiler takes a tenth less processor
# time than with glibc's malloc; without it, and on macOS, the build is the same and slower.
#
# A release build does not optimize the rooms that only read options, write reports or test stores on disk,
# which takes a third less processor time; no measured operation runs in them. They are linked last.
# It has no debug information: a twentieth less.
#
# SwiftPM starts rooms in the reverse order of their names, so that rooms for which many others wait begin
# late. So each build has twice as many jobs as processors, and rooms for which few others wait give way.
swift_build() (
  jemalloc=$(find /usr/lib /usr/lib64 -maxdepth 2 -name libjemalloc.so.2 2>/dev/null | head -n 1) || true
  case " $* " in *' -c release '*)
    rooms='DiskScripts Reporting FileCommands Commands HistoryLab BenchCommands ProtocolChecks Campaigns Programs'
    later='Measuring PropertyTesting Workloads Reporting Checkers HistoryInspection Commands FileCommands'
    use_compiler release -O -Onone "$rooms HistoryLabCommand LabProgram" "$later Campaigns Simulation Stressing"
    set -- "$@" -debug-info-format none ;;
  esac
  LD_PRELOAD=$jemalloc${LD_PRELOAD:+${jemalloc:+:}$LD_PRELOAD} \
    swift build -j $((2 * $(getconf _NPROCESSORS_ONLN))) "$@"
)

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

# What reads the lines of an event stream of Swift Testing (`--event-stream-output-path`).
events_awk='
  function plain(text) {
    gsub(/\\"/, "\"", text); gsub(/\\\//, "/", text); gsub(/\\n/, " ", text)
    return text
  }
  # The test that a line is of; empty for suites, and for a line that is cut off.
  function test_of(line) {
    if (!match(line, /"testID":"([^"\\]|\\.)*\.swift:[0-9]+:[0-9]+"/)) return ""
    return plain(substr(line, RSTART + 10, RLENGTH - 11))
  }
  # A test without arguments has no events of a case: its own start and end are those of its one case.
  /"isParameterized":false/ && match($0, /"id":"([^"\\]|\\.)*\.swift:[0-9]+:[0-9]+"/) {
    is_single[plain(substr($0, RSTART + 6, RLENGTH - 7))] = 1
  }
  function is_case(line, id) {
    return line ~ /"kind":"testCase(Started|Ended)"/ || line ~ /"kind":"test(Started|Ended)"/ && id in is_single
  }
  function said(line, all) {
    while (match(line, /"text":"([^"\\]|\\.)*"/)) {
      all = all (all == "" ? "" : " | ") plain(substr(line, RSTART + 8, RLENGTH - 9))
      line = substr(line, RSTART + RLENGTH)
    }
    return substr(all, 1, 1000)
  }
'

# The tests that have started and not ended, each with the seconds since then: `still_running FILE`.
still_running() {
  awk -v now="$(date +%s)" "$events_awk"'
    /"kind":"testStarted"/ && (id = test_of($0)) != "" {
      running[id]++
      since[id] = match($0, /"since1970":[0-9.]+/) ? substr($0, RSTART + 12, RLENGTH - 12) : now
    }
    /"kind":"testEnded"/ && (id = test_of($0)) != "" { running[id]-- }
    END { for (id in running) if (running[id] > 0) printf "%s, for %d s\n", id, now - since[id] }
  ' "$1" | sort
}

# The tests that failed, each with what its first issue says: `failed_tests FILE`.
failed_tests() {
  awk "$events_awk"'
    /"kind":"issueRecorded"/ && (id = test_of($0)) != "" && !(id in issue) { issue[id] = said($0) }
    /"kind":"testEnded"/ && /"symbol":"fail"/ && (id = test_of($0)) != "" { failed[id] = 1 }
    END { for (id in failed) print id ": " issue[id] }
  ' "$1" | sort
}

# The ten tests that took the largest shares of the run's time: `slowest_tests FILE`. Cases run beside
# each other and wait for processors; the time in which several were under way is divided among them.
slowest_tests() {
  awk "$events_awk"'
    (id = test_of($0)) != "" && is_case($0, id) && match($0, /"absolute":[0-9.]+/) {
      time = substr($0, RSTART + 11, RLENGTH - 11)
      # What one case under way has taken since the run began.
      if (count > 0) share += (time - last) / count
      last = time
      if (/"kind":"test(Case)?Started"/) { seconds[id] -= share; count++ } else { seconds[id] += share; count-- }
    }
    END { for (id in seconds) printf "  %6.2f s  %s\n", seconds[id], id }
  ' "$1" | sort -rn | awk 'NR <= 10'
}

# The tests whose longest case took more than so many seconds in each of their runs, where one test runs after
# the other: `tests_above SECONDS FILE`. A test is printed with its best run.
tests_above() {
  awk -v budget="$1" "$events_awk"'
    (id = test_of($0)) != "" && match($0, /"absolute":[0-9.]+/) {
      time = substr($0, RSTART + 11, RLENGTH - 11)
      if (/"kind":"testStarted"/) longest = 0
      if (is_case($0, id) && /Started"/) started = time
      if (is_case($0, id) && /Ended"/ && time - started > longest) longest = time - started
      if (/"kind":"testEnded"/ && (!(id in least) || longest < least[id])) least[id] = longest
    }
    END { for (id in least) if (least[id] > budget) printf "%6.1f s  %s\n", least[id], id }
  ' "$2" | sort -rn
}
