import HistoryStore

/// The effect of a purge on a history and its consumers, computed without deleting anything.
struct PurgeForecast: Sendable, Hashable {
  /// The history that a consumer has not merged when a purge deletes it.
  struct Loss: Sendable, Hashable {
    let consumer: String
    /// The numbers of transactions and changes that it misses, at least one transaction.
    var transactions = 0
    var changes = 0
  }

  let plan: PurgePlan
  /// The numbers of transactions and changes that go.
  private(set) var transactions = 0
  private(set) var changes = 0
  /// The approximate bytes that become free; 0 where this SQLite cannot measure tables.
  private(set) var bytes = 0.0
  /// The newest transaction that goes, with its timestamp.
  private(set) var last: PurgeEstimate.Position?
  /// The numbers of transactions within the bound that are kept, by reason.
  private(set) var protected = 0
  private(set) var heldBack = 0
  /// The consumers that lose history now.
  private(set) var losses: [Loss] = []
  /// The past days on which a consumer would have been cut off, if that was replayed.
  var past: [PastCut] = []
  /// The measured purge of a private copy; `nil` if it was not measured.
  var trial: PurgeTrial?

  /// Counts what a purge deletes, and what the consumers with known positions lose.
  ///
  /// - Complexity: one visit to each transaction, and one to each consumer for each that goes.
  init(_ rule: PurgeRule, _ history: PastHistory, _ consumers: [Consumer]) {
    plan = rule.plan
    let outline = history.outline
    let known = consumers.filter { $0.isKnown && $0.isActive }
    var missed = known.map { Loss(consumer: $0.name) }
    for index in 0..<outline.count {
      switch rule.decision(at: index) {
      case .isNewer: continue
      case .isProtected: protected += 1
      case .isHeldBack: heldBack += 1
      case .deletes:
        let (number, timestamp) = (outline.numbers[index], outline.timestamps[index])
        let count = Int(outline.changeCounts[index])
        transactions += 1
        changes += count
        bytes += Double(outline.bytes[index])
        last = PurgeEstimate.Position(
          number: number,
          timestamp: timestamp.isFinite ? timestamp : nil
        )
        for (place, consumer) in known.enumerated() where !consumer.hasMerged(number, timestamp) {
          missed[place].transactions += 1
          missed[place].changes += count
        }
      }
    }
    losses = missed.filter { $0.transactions > 0 }
  }

  /// Whether a consumer with a known position loses history now.
  var loses: Bool { !losses.isEmpty }

  /// Returns the approximate number of pages that become free for later writes.
  func freePages(_ storage: CensusStorage) -> Int64? {
    guard storage.historyBytes != nil, storage.pageBytes > 0 else { return nil }
    return Int64(bytes / Double(storage.pageBytes))
  }
}

extension PurgeForecast {
  /// Returns the forecasts of all purges, with the past replayed where no registry holds a purge back.
  static func all(
    _ plans: [PurgePlan],
    _ history: PastHistory,
    _ consumers: [Consumer],
    writesOnly: Set<String>
  ) -> [PurgeForecast] {
    var forecasts = plans.compactMap { plan in
      PurgeRule(plan, history, consumers).map { PurgeForecast($0, history, consumers) }
    }
    let replay = PastReplay(forecasts.map(\.plan), history, writesOnly: writesOnly)
    for cut in replay.cuts {
      forecasts[cut.plan].past.append(cut.cut)
    }
    return forecasts
  }
}

extension VacuumMode {
  /// The call that makes the file smaller after a purge, and whether it happens by itself.
  var sentence: String {
    switch self {
    case .manual:
      "The file keeps its size until VACUUM (auto_vacuum is none): later writes use the free pages again."
    case .full: "The file shrinks with each commit by itself (auto_vacuum is full)."
    case .incremental:
      "The file keeps its size until PRAGMA incremental_vacuum (auto_vacuum is incremental): later "
        + "writes use the free pages again."
    }
  }

  /// The name of the call; `nil` where none is needed.
  var call: String? {
    switch self {
    case .manual: "VACUUM"
    case .full: nil
    case .incremental: "PRAGMA incremental_vacuum"
    }
  }
}
