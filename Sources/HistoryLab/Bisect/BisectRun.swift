import Basics
import BenchCommands
import Commands
import HistoryTypes
import Reporting

/// The commits that a bisection tried, and those that may be the first bad one.
struct BisectOutcome: Sendable {
  /// A commit that was tried.
  struct Judged: Equatable, Sendable {
    let commit: Commit
    let judgement: BisectSearch.Judgement
    /// The benchmark's count at this commit; `nil` if a plan is replayed or no count was found.
    var count: Double?
  }

  let history: BisectHistory
  /// The commits that were tried, in the order of the trials.
  fileprivate(set) var judged: [Judged] = []
  /// The commits that may be the first bad one, oldest first.
  ///
  /// `nil` until the good and the bad commit are verified.
  fileprivate(set) var candidates: [Commit]?
  /// Whether an interruption ended the search.
  fileprivate(set) var isEndedEarly = false

  init(_ history: BisectHistory) { self.history = history }

  /// The first bad commit; `nil` unless exactly one candidate remains.
  var firstBad: Commit? { candidates.flatMap { $0.count == 1 ? $0[0] : nil } }

  /// The commits that could not be judged, in the order of the search, with the reasons.
  var skipped: [(commit: Commit, reason: String)] {
    judged.compactMap { entry in
      guard case .skipped(let reason) = entry.judgement else { return nil }
      return (entry.commit, reason)
    }
  }
}

/// Searches for the first bad commit of a history.
struct BisectRun {
  let history: BisectHistory
  let question: BisectQuestion
  let terminal: Terminal
  /// Builds a commit, and returns the build's answer to ``question``.
  ///
  /// The answer is whether a plan breaks an invariant, or the value of a benchmark's count. If the
  /// commit has no answer, for example because it does not build, the reason is returned.
  let ask: (Commit) throws -> BisectAnswer
  private var outcome: BisectOutcome

  init(
    _ history: BisectHistory,
    _ question: BisectQuestion,
    on terminal: Terminal,
    ask: @escaping (Commit) throws -> BisectAnswer
  ) {
    (self.history, self.question, self.terminal) = (history, question, terminal)
    self.ask = ask
    outcome = BisectOutcome(history)
  }

  /// Verifies the good and the bad commit, then searches between them until done or interrupted.
  ///
  /// - Throws: a usage error when the good and the bad commit give the same answer, an undecided
  ///   error when one of them gives none, and the errors of `ask`.
  mutating func run() throws -> BisectOutcome {
    do {
      let rule = try verifiedRule()
      var search = BisectSearch(count: history.commits.count)
      defer { outcome.candidates = Array(history.commits[search.candidates]) }
      try search.run { number, search in
        let commit = history.commits[number]
        let left = search.candidates.count.counted("commit")
        log(commit, "\(left) left, at most \(search.stepsMax.counted("step"))")
        return try judge(commit, by: rule)
      }
    } catch is Interrupted {
      terminal.log("Stopping early; the builds are kept for the next bisection.")
      outcome.isEndedEarly = true
    }
    return outcome
  }

  /// The rule that judges a commit by its build's answer: a verdict on a plan, or a count.
  private enum Rule {
    case plan
    /// A count is bad if it differs from the good commit's count in the direction of the bad
    /// commit's count.
    case count(good: Double, bad: Double)

    func judgement(of answer: BisectAnswer) -> BisectSearch.Judgement {
      switch (answer, self) {
      case (.holds, _): .good
      case (.broken, _): .bad
      case (.count(let count), .count(let good, let bad)):
        (good < bad ? count > good : count < good) ? .bad : .good
      case (.count, .plan): .skipped("no count was asked for")
      case (.none(let reason), _): .skipped(reason)
      }
    }
  }

  private mutating func judge(
    _ commit: Commit,
    by rule: Rule
  ) throws -> BisectSearch.Judgement {
    let answer = try ask(commit)
    let judgement = rule.judgement(of: answer)
    record(commit, judgement, answer)
    return judgement
  }

  private mutating func record(
    _ commit: Commit,
    _ judgement: BisectSearch.Judgement,
    _ answer: BisectAnswer
  ) {
    var count: Double?
    if case .count(let value) = answer { count = value }
    outcome.judged.append(.init(commit: commit, judgement: judgement, count: count))
    let note = count.map { ": \($0.short)" } ?? ""
    switch judgement {
    case .good: terminal.log("  good\(note)")
    case .bad: terminal.log("  bad\(note)")
    case .skipped(let reason): terminal.log("  skipped: \(reason.printable)")
    }
  }

  private func log(_ commit: Commit, _ note: String) {
    terminal.log("\(commit.short) \(commit.subject.printable) (\(note))")
  }

  // MARK: The ends

  /// Tries the good and the bad commit, and returns the rule that distinguishes their answers.
  private mutating func verifiedRule() throws -> Rule {
    let (good, bad) = (history.good, history.bad)
    log(good, "the good commit")
    let before = try ask(good)
    switch before {
    case .holds, .count: record(good, .good, before)
    case .broken:
      throw LabError.usage(
        "--good \(good.short): \(subject) breaks an invariant there, too. Give an older commit."
      )
    case .none(let reason): throw noAnswer("--good", good, reason)
    }
    log(bad, "the bad commit")
    let after = try ask(bad)
    switch (before, after) {
    case (_, .none(let reason)): throw noAnswer("--bad", bad, reason)
    case (_, .holds):
      throw LabError.usage(
        "--bad \(bad.short): \(subject) breaks no invariant there. Give a commit at which it breaks one; "
          + "changes that are not committed are not built."
      )
    case (.count(let one), .count(let other)):
      guard one != other else {
        throw LabError.usage(
          "\(subject) is \(one.short) at \(good.short) and at \(bad.short). Give commits with "
            + "different counts; changes that are not committed are not built."
        )
      }
      record(bad, .bad, after)
      return .count(good: one, bad: other)
    default:
      record(bad, .bad, after)
      return .plan
    }
  }

  private var subject: String {
    switch question {
    case .replay(let file): file.quoted
    case .count(let count): count.sentence
    }
  }

  private func noAnswer(_ option: String, _ commit: Commit, _ reason: String) -> LabError {
    .undecided(
      "\(option) \(commit.short) cannot be judged: \(reason.printable). Give another commit as \(option)."
    )
  }
}
