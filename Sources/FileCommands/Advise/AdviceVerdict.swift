import Basics
import Commands
import HistoryInspection
import HistoryStore
import HistoryTypes

/// The verdict on whether history is bounded and no consumer loses changes, with its reasons.
struct AdviceVerdict: Sendable, Hashable {
  /// The state of a verdict; each state has its own exit code.
  enum State: String, Sendable, Hashable {
    /// History is bounded, and no consumer loses transactions.
    case bounded
    /// A consumer loses history, or history grows without bound.
    case loses
    /// Too little is known about the history or its consumers.
    case unknown
  }

  let state: State
  /// The reasons for ``state``, most important first.
  let reasons: [String]
  /// The options to add and the steps to take next, most important first.
  let suggestions: [String]

  /// If the consumer that is furthest behind lags by more than this many days, history counts as
  /// unbounded, unless the file is a Core Data file with planned purges.
  static let holdingDaysMax = 7.0
  /// A history that was never purged counts as unbounded if it spans at least this many days.
  ///
  /// A shorter one is too short to show whether it is bounded. If purges are planned, with
  /// `--older-than` or by a design that purges, the span is ignored.
  static let unpurgedDaysMin = 7.0
  /// A purged history that spans more than this many days is too long to count as bounded.
  ///
  /// It does not count as unbounded for this reason alone: the verdict is `unknown`, unless another
  /// reason makes it `loses`. If purges are planned, with `--older-than` or by a design that
  /// purges, the span is ignored.
  static let keptDaysMax = 90.0

  /// Determines the verdict on the history as it is or, if the user asked about a purge, on that purge.
  init(_ advice: Advice) {
    let bad =
      Self.cutOff(advice) + Self.losses(advice) + (advice.design?.reasons ?? [])
      + Self.growth(advice)
    let unknown = Self.unknown(advice)
    if !bad.isEmpty {
      (state, reasons) = (.loses, bad + unknown)
    } else if !unknown.isEmpty {
      (state, reasons) = (.unknown, unknown)
    } else {
      (state, reasons) = (.bounded, Self.good(advice))
    }
    suggestions = Self.suggestions(advice, state)
  }

  var sentence: String {
    switch state {
    case .bounded: "History is bounded, and no known consumer loses transactions."
    case .loses: "A consumer loses history, or history grows without bound."
    case .unknown: "Too little is known to say that no consumer would lose transactions in a purge."
    }
  }

  var exitCode: ExitCode {
    switch state {
    case .bounded: .good
    case .loses: .violation
    case .unknown: .undecided
    }
  }
}

extension AdviceVerdict {
  private static func cutOff(_ advice: Advice) -> [String] {
    advice.consumers.filter(\.isCutOff).map { status in
      let name = status.consumer.name.visible.quoted
      return status.consumer.isActive
        ? "\(name) has lost history already: transactions after its position are purged."
        : "\(name) has lost history already: a retention limit has cut it off."
    }
  }

  private static func losses(_ advice: Advice) -> [String] {
    guard let wanted = advice.wanted else { return [] }
    let now = wanted.losses.map { loss in
      "A purge of transactions \(wanted.plan.name) deletes "
        + "\(loss.transactions.counted("transaction")) with \(loss.changes.counted("change")) "
        + "that \(loss.consumer.visible.quoted) has not merged."
    }
    let names = Set(advice.knownConsumers.map(\.consumer.author))
    let past = Dictionary(
      grouping: wanted.past.filter { names.contains($0.consumer) },
      by: \.consumer
    )
    return now
      + past.sorted { $0.key < $1.key }.map { name, cuts in
        "A purge of transactions \(wanted.plan.name) would have cut \(name.visible.quoted) off "
          + "\(cuts.count.counted("time")) in the past, the last on "
          + "\(InspectUnits.date(cuts[cuts.count - 1].time))."
      }
  }

  private static func growth(_ advice: Advice) -> [String] {
    let holders = advice.consumers.filter {
      $0.holdsBack && ($0.lagSeconds ?? 0) > holdingDaysMax * 86400
        // A planned purge of a Core Data file waits for no consumer; its losses are reasons already.
        && ($0.consumer.isMember || !advice.plansPurges)
    }
    let held = holders.map { status in
      "\(status.consumer.name.visible.quoted) has merged no transaction of the last "
        + "\(InspectUnits.duration(status.lagSeconds ?? 0)): \(effect(of: status)), and history grows."
    }
    guard !advice.plansPurges, !advice.history.wasPurged, let seconds = advice.history.keptSeconds,
      seconds >= unpurgedDaysMin * 86400
    else { return held }
    return held + [
      "History was never purged in \(InspectUnits.duration(seconds)): it grows without bound."
    ]
  }

  private static func effect(of status: ConsumerStatus) -> String {
    guard !status.consumer.isMember else { return "it blocks every purge" }
    return "it holds back \((status.lagTransactions ?? 0).counted("transaction"))"
  }

  private static func unknown(_ advice: Advice) -> [String] {
    var reasons: [String] = []
    if advice.knownConsumers.isEmpty && advice.unknownConsumers.isEmpty {
      reasons.append("No active consumer is known.")
    }
    if !advice.unknownConsumers.isEmpty {
      let names = advice.unknownConsumers.map(\.visible).joinedWithAnd
      reasons.append("The position of \(names) is unknown.")
    }
    if !advice.undeclaredAuthors.isEmpty {
      let count = advice.undeclaredAuthors.count
      reasons.append(
        "\(count.counted("author writes", "authors write")) without being a known consumer: "
          + "\(advice.undeclaredAuthors.prefix(Advice.shownMax).map { AdviceFacts.name($0) }.joinedWithAnd)."
      )
    }
    return reasons + unknownBound(advice)
  }

  private static func unknownBound(_ advice: Advice) -> [String] {
    guard !advice.plansPurges else { return [] }
    let seconds = advice.history.keptSeconds ?? 0
    if !advice.history.wasPurged && seconds < unpurgedDaysMin * 86400 {
      return [
        "History spans \(InspectUnits.duration(seconds)) and was never purged: too short to show whether it is bounded."
      ]
    }
    if advice.history.wasPurged && seconds > keptDaysMax * 86400 {
      return [
        "History was purged, but spans \(InspectUnits.duration(seconds)): too long to count as bounded."
      ]
    }
    return []
  }

  private static func good(_ advice: Advice) -> [String] {
    let count = advice.knownConsumers.count.counted("known consumer has", "known consumers have")
    if let wanted = advice.wanted {
      return [
        "A purge of transactions \(wanted.plan.name) deletes "
          + "\(wanted.transactions.counted("transaction")); \(count) merged all of them.",
        "Run regularly, it keeps history bounded.",
      ]
    }
    if let design = advice.design {
      return [
        "No plan of \(design.scope) breaks the design \(design.name) under the conditions of this history.",
        "It \(design.purges), which keeps history bounded.",
      ]
    }
    return [
      "History was purged, and spans \(InspectUnits.duration(advice.history.keptSeconds ?? 0)).",
      "\(count) merged every transaction that was purged.",
    ]
  }

  private static func suggestions(_ advice: Advice, _ state: State) -> [String] {
    var words: [String] = []
    if !advice.outline.isOurs,
      advice.consumers.allSatisfy({ $0.consumer.source == .mirror })
        || !advice.unknownConsumers.isEmpty
    {
      words.append("Give the consumers and their positions with --cursors FILE.")
    }
    if advice.outline.isOurs && advice.consumers.isEmpty {
      words.append("Register the consumers as members, or give them with --cursors FILE.")
    }
    if !advice.undeclaredAuthors.isEmpty {
      words.append("List authors that never read with --writes-only AUTHOR.")
    }
    if let design = advice.design, !design.breaks.isEmpty {
      words.append(
        "Find the fewest changes that repair the design: "
          + "history-lab repair --system \(design.name.shellQuoted) --seen-in FILE."
      )
    }
    if !advice.plansPurges && state != .bounded {
      words.append("Judge a purge that you plan with --older-than DAYS.")
    }
    if let safest = advice.safest, advice.unknownConsumers.isEmpty, advice.undeclaredAuthors.isEmpty
    {
      words.append(
        "Of these purges, \"\(safest.plan.name)\" frees most without a loss to a known consumer."
      )
    }
    return words
  }
}

extension Advice {
  /// Whether the user plans regular purges, with `--older-than` or with a design that purges.
  fileprivate var plansPurges: Bool {
    wanted != nil || design.map { $0.purging != .never } ?? false
  }
}
