import Commands
import HistoryTypes
import Reporting

/// Prints the outcome of a bisection as text.
struct BisectText {
  let terminal: Terminal

  /// The maximum number of candidates that are listed.
  private static let listedMax = 20

  func print(_ outcome: BisectOutcome) {
    if let commit = outcome.firstBad {
      terminal.print(terminal.styled("First bad commit", .bold) + ": \(commit.hash)")
      terminal.print("  \(commit.subject.printable)")
      terminal.print("  \(commit.date)")
      if let change = Self.change(outcome) { terminal.print("  \(change)") }
    } else if let candidates = outcome.candidates {
      terminal.print(Self.range(outcome, candidates) + ":")
      terminal.print(table(candidates))
    } else {
      terminal.print("The good and the bad commit were not both verified; no commit is named.")
    }
    terminal.print(Self.tally(outcome))
    for (commit, reason) in outcome.skipped {
      terminal.print("Skipped \(commit.short) \(commit.subject.printable): \(reason.printable)")
    }
  }

  /// Returns a benchmark's count at the first bad commit and at the commit before it, as a phrase.
  ///
  /// The result is `nil` if the first bad commit or one of the two counts is unknown.
  private static func change(_ outcome: BisectOutcome) -> String? {
    let counts = outcome.judged.compactMap { entry in entry.count.map { (entry.commit, $0) } }
    let commits = [outcome.history.good] + outcome.history.commits
    guard let commit = outcome.firstBad, let place = commits.firstIndex(of: commit), place > 0,
      let after = counts.first(where: { $0.0 == commit })?.1,
      let before = counts.first(where: { $0.0 == commits[place - 1] })?.1
    else { return nil }
    return "\(after.short), before \(before.short)"
  }

  private static func range(_ outcome: BisectOutcome, _ candidates: [Commit]) -> String {
    let why =
      outcome.isEndedEarly ? "the search ended early" : "all but the last could not be judged"
    return
      "The first bad commit is one of these \(candidates.count.counted("commit")), since \(why)"
  }

  private static func tally(_ outcome: BisectOutcome) -> String {
    let skipped = outcome.skipped.count
    return "\(outcome.judged.count.counted("commit")) of "
      + "\((outcome.history.commits.count + 1).grouped) tried, \(skipped.grouped) of them skipped."
  }

  private func table(_ candidates: [Commit]) -> ReportTable {
    var table = ReportTable(columns: [.text("commit"), .text("author date"), .text("subject")])
    for commit in candidates.prefix(Self.listedMax) {
      table.append([commit.short, commit.date, commit.subject.printable])
    }
    let more = candidates.count - Self.listedMax
    if more > 0 { table.append(["...", "", "\(more.grouped) more, up to the bad commit"]) }
    return table
  }
}

/// The JSON document that `bisect --json` prints.
struct BisectDocument: Encodable {
  struct Judged: Encodable {
    let commit: Commit
    /// `good`, `bad` or `skipped`.
    let judgement: String
    /// Why the commit was skipped; `nil` if it was not.
    let reason: String?
    let count: Double?
  }

  /// The version of the document's format; it is the value of the key `bisect`.
  let bisect = 1
  let good: Commit
  let bad: Commit
  /// The file of the plan that was replayed; `nil` if a benchmark's count was compared instead.
  let file: String?
  /// The benchmark's count that was compared, as a phrase; `nil` if a plan was replayed instead.
  let count: String?
  let firstBad: Commit?
  /// The commits that may be the first bad one; empty until the good and bad commit are verified.
  let candidates: [Commit]
  /// The number of commits that were tried.
  let builds: Int
  let judged: [Judged]
  let isEndedEarly: Bool

  init(_ outcome: BisectOutcome, _ question: BisectQuestion) {
    good = outcome.history.good
    bad = outcome.history.bad
    switch question {
    case .replay(let file): (self.file, count) = (file, nil)
    case .count(let count): (file, self.count) = (nil, count.sentence)
    }
    firstBad = outcome.firstBad
    candidates = outcome.candidates ?? []
    builds = outcome.judged.count
    judged = outcome.judged.map { entry in
      let (word, reason): (String, String?) =
        switch entry.judgement {
        case .good: ("good", nil)
        case .bad: ("bad", nil)
        case .skipped(let reason): ("skipped", reason)
        }
      return Judged(commit: entry.commit, judgement: word, reason: reason, count: entry.count)
    }
    isEndedEarly = outcome.isEndedEarly
  }
}
