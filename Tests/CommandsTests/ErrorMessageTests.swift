import LabFixtures
import TestSupport
import Testing

@testable import Commands

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The exact error messages that a newcomer gets, each with its command line.
@Suite struct `Error messages` {
  static let table: [(line: String, sentence: String)] = [
    ("chekc", #"unknown verb "chekc". Did you mean "check"? Try: history-lab --help"#),
    (
      "measure",
      #"unknown verb "measure". There are check, replay, why, bisect, explore, repair, mutants, stress, "#
        + #"campaign, bench, report, history, inspect, advise, convert, serve, protocol and list. "#
        + "Try: history-lab --help"
    ),
    (
      "bench",
      "bench needs one of these verbs: run, list, compare, baseline, instructions or selftest. Try: history-lab bench --help"
    ),
    (
      "bench rnu",
      #"bench has no verb "rnu". Did you mean "run"? Try: history-lab bench --help"#
    ),
    ("--json check", #"a verb must come before "--json". Try: history-lab --help"#),
    (
      "--hlep", #"unknown option "--hlep". Did you mean "--help"? Try: history-lab --help"#
    ),
    (
      "check --sytem tracker",
      #"unknown option "--sytem". Did you mean "--system"? Try: history-lab check --help"#
    ),
    ("check --zzz", #"unknown option "--zzz". Try: history-lab check --help"#),
    (
      "check -plans 3",
      #"unknown option "-plans". Did you mean "--plans"? Try: history-lab check --help"#
    ),
    (
      "report --plans 3",
      #"report has no option "--plans"; check, repair and mutants have it. Try: history-lab report --help"#
    ),
    (
      "check --plans -3",
      #"--plans takes a whole number from 1 to 10,000,000, not "-3". "#
        + "Try: history-lab check --help"
    ),
    (
      "check --actors=9",
      #"--actors takes a whole number from 1 to 8, not "9". Try: history-lab check --help"#
    ),
    (
      "check --plans",
      "--plans needs a value: a whole number from 1 to 10,000,000. Try: history-lab check --help"
    ),
    (
      "check --plans --json",
      "--plans needs a value: a whole number from 1 to 10,000,000. Try: history-lab check --help"
    ),
    ("check --output=", "--output needs a value: a folder. Try: history-lab check --help"),
    (
      "check --plans 1 --plans=2",
      "--plans is given twice; it may be given once. Try: history-lab check --help"
    ),
    (
      "check --json --json",
      "--json is given twice; it may be given once. Try: history-lab check --help"
    ),
    (
      "check --json=yes",
      #"--json takes no value, but was given "yes". Try: history-lab check --help"#
    ),
    (
      "check --seed 0xzz",
      "--seed takes a whole number from 0 to 18446744073709551615, decimal or hexadecimal "
        + #"after 0x, not "0xzz". Try: history-lab check --help"#
    ),
    (
      "check --minutes nan",
      #"--minutes takes a number from 0.01 to 10,080, not "nan". Try: history-lab check --help"#
    ),
    (
      "check extra",
      #"unexpected argument "extra": check takes options only. Try: history-lab check --help"#
    ),
    (
      "replay a b",
      #"unexpected argument "b": replay takes one FILE. Try: history-lab replay --help"#
    ),
    ("inspect", "inspect needs FILE, a store file. Try: history-lab inspect --help"),
    (
      "inspect a --json --csv",
      "--json and --csv cannot be given together. Try: history-lab inspect --help"
    ),
    (
      "inspect a --before 2025-13-01",
      "--before takes a transaction's number or a date in UTC such as 2025-01-31 or "
        + #"2025-01-31T12:30:00Z, not "2025-13-01". Try: history-lab inspect --help"#
    ),
    (
      "inspect a --older-than week",
      #"--older-than takes a number from 0 to 1,000,000, not "week". Try: history-lab inspect --help"#
    ),
    (
      "inspect a --verify --values",
      "--verify and --values cannot be given together. Try: history-lab inspect --help"
    ),
    (
      "inspect a --sql",
      "--sql needs a value: an SQL query, as one argument. Try: history-lab inspect --help"
    ),
    (
      "list systms",
      "WHAT takes systems, checkers, conditions, faults, metrics, benchmarks, axes "
        + #"or all, not "systms". Did you mean "systems"? Try: history-lab list --help"#
    ),
    (
      "check --system artcle",
      #"unknown system "artcle". Did you mean "article"? Try: history-lab list systems"#
    ),
    (
      "bench run --axis cod",
      #"unknown axis "cod". Did you mean "cold"? Try: history-lab bench list"#
    ),
    (
      "bench run --only fetsh",
      #"unknown benchmark "fetsh". Try: history-lab bench list"#
    ),
    (
      "bench run --also fetsh",
      #"unknown benchmark "fetsh". Try: history-lab bench list"#
    ),
    (
      "bench run --only mrege",
      #"unknown benchmark "mrege". Did you mean "Merge"? Try: history-lab bench list"#
    ),
    (
      "check --like phtos",
      #"--like: there is no file "phtos"; photos and notes need no file. "#
        + #"Did you mean "photos"? Try: history-lab check --help"#
    ),
    (
      "check --conditions crash,tyes",
      "--conditions takes names from `list conditions` separated by commas, or all, "
        + #"not "crash,tyes". Try: history-lab check --help"#
    ),
    (
      "check --config /nowhere/mine.json",
      #"--config: there is no file "/nowhere/mine.json". Try: history-lab check --help"#
    ),
    (
      "replay",
      "replay needs a plan: FILE, or --seed and --plan. Try: history-lab replay --help"
    ),
    (
      "replay --seed 1",
      "--seed selects a whole check: select one of its plans with --plan. Try: history-lab replay "
        + "--help"
    ),
    (
      "replay a.jsonl --seed 1 --like notes",
      "FILE holds the whole plan: leave out --seed and --like. Try: history-lab replay --help"
    ),
    (
      "replay /nowhere/a.jsonl",
      #"there is no file "/nowhere/a.jsonl". Try: history-lab replay --help"#
    ),
    (
      "bisect plan.jsonl",
      "bisect needs --good COMMIT, a commit without the failure. Try: history-lab bisect --help"
    ),
    (
      "bisect --good HEAD~9",
      "bisect needs FILE (a plan that fails) or --count BENCHMARK --metric NAME. "
        + "Try: history-lab bisect --help"
    ),
    (
      "bisect /nowhere/a.jsonl --good HEAD~9",
      #"there is no file "/nowhere/a.jsonl". Try: history-lab bisect --help"#
    ),
    ("inspect /", #""/" is a folder, not a file. Try: history-lab inspect --help"#),
    (
      "report --output /nowhere/runs",
      #"there is no folder of runs "/nowhere/runs". Try: history-lab check"#
    ),
    (
      "check --output /dev/null/runs",
      #"--output: "/dev/null" is a file, not a folder. Try: history-lab check --help"#
    ),
    (
      "replay --seed 1 --plan 1 --on-disk /dev/null",
      #"--on-disk: "/dev/null" is a file, not a folder. Try: history-lab replay --help"#
    ),
  ]

  @Test(arguments: table)
  func `Every wrong argument has a message and exit code 64`(
    line: String,
    sentence: String
  ) async {
    let result = await run(line.split(separator: " ").map(String.init))
    #expect(result.errors == "history-lab: \(sentence)\n")
    #expect(result.output == "")
    #expect(result.code == .usage)
  }

  @Test func `Control characters are escaped before they reach the terminal`() async {
    let result = await run(["check", "--\u{1B}[31mred\u{202E}"])
    #expect(
      result.errors == #"history-lab: unknown option "--\u{1b}[31mred\u{202e}". "#
        + "Try: history-lab check --help\n"
    )
  }

  @Test func `A very long argument is shortened in the message`() async {
    let result = await run(["check", "--plans", String(repeating: "9", count: 5000)])
    #expect(result.errors.count < 300)
  }

  @Test(.needs(.secondUser))
  func `An unreadable or unwritable file or folder is reported`() async {
    // In a separate process that drops root privileges, because root may access everything.
    await #expect(processExitsWith: .success) {
      if geteuid() == 0 { try #require(setuid(65_534) == 0) }
      try await withFolder { folder in
        try makeFile("\(folder)/secret")
        chmod("\(folder)/secret", 0)
        chmod(folder, 0o500)
        defer { chmod(folder, 0o700) }
        let written = await run(["check", "--output", "\(folder)/a/b"])
        try #require(
          written.errors == #"history-lab: --output: the folder "\#(folder)" cannot be written: "#
            + "Permission denied. Try: history-lab check --help\n"
        )
        let read = await run(["inspect", "\(folder)/secret"])
        try #require(
          read.errors == #"history-lab: "\#(folder)/secret" cannot be read: Permission denied. "#
            + "Try: history-lab inspect --help\n"
        )
        try #require([written.code, read.code] == [.usage, .usage])
      }
    }
  }
}
