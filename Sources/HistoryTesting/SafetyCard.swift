internal import HistoryTypes

/// The invariants that a design keeps or breaks under each condition, from running every short plan.
///
///     let card = try await exploreHistory(of: MyLog.self, under: [.restart, .crash], depth: 4)
///     let old = try JSONDecoder().decode(SafetyCard.self, from: Data(contentsOf: committed))
///     #expect(card.regressions(since: old).isEmpty)
public struct SafetyCard: Codable, Hashable, Sendable, CustomStringConvertible {
  /// The result of exploring an invariant under a condition.
  public enum Result: String, Codable, Hashable, Sendable {
    /// No plan breaks the invariant, and at least one plan exercises it.
    case holds
    /// A plan breaks the invariant.
    case breaks
    /// The exploration ended before all plans were covered.
    case unknown
    /// No plan exercises the invariant.
    case notExercised
  }

  /// The result of one invariant under one condition.
  public struct Cell: Codable, Hashable, Sendable {
    /// The name of the condition.
    public let condition: String
    /// The name of the invariant.
    public let invariant: String
    /// The result of the exploration.
    public let result: Result
    /// The number of commands of the shortest plan that breaks the invariant; `nil` if none does.
    public let commandCount: Int?
  }

  /// The name of the design.
  let system: String
  /// The maximum number of commands in a plan.
  let depth: Int
  /// The cells, sorted by condition, then in the order of the invariants.
  public let cells: [Cell]

  /// Returns a sentence for each cell that is worse than the same cell of an earlier card.
  ///
  /// A cell is worse if its invariant held and no longer does, if a shorter plan breaks the invariant, or
  /// if the cell is missing.
  public func regressions(since earlier: SafetyCard) -> [String] {
    earlier.cells.compactMap { old in
      let place = "\(old.invariant) under \(old.condition)"
      guard let new = cell(old.condition, old.invariant) else {
        return "\(place) is no longer explored."
      }
      switch (old.result, new.result) {
      case (.holds, .holds): return nil
      case (.holds, _): return "\(place) held, and now: \(new.phrase)."
      case (.breaks, .breaks) where new.commandCount ?? 0 < old.commandCount ?? 0:
        return "\(place) \(old.phrase), and now \(new.phrase)."
      case (.notExercised, .breaks), (.unknown, .breaks):
        return "\(place) was not known to break, and now \(new.phrase)."
      default: return nil
      }
    }
  }

  /// A line for each condition, with the invariants that hold and the invariants that break.
  public var description: String {
    var conditions: [String] = []
    for cell in cells where !conditions.contains(cell.condition) {
      conditions.append(cell.condition)
    }
    let lines = conditions.map { condition in
      let row = cells.filter { $0.condition == condition }
      let known = row.filter { $0.result != .notExercised }
      let words = known.map { "\($0.invariant) \($0.phrase)" }
      return "  \(condition): "
        + (words.isEmpty ? "nothing exercised" : words.joined(separator: ", "))
    }
    return "\(system), every plan of up to \(depth.counted("command")):\n"
      + lines.joined(separator: "\n")
  }

  private func cell(_ condition: String, _ invariant: String) -> Cell? {
    cells.first { $0.condition == condition && $0.invariant == invariant }
  }
}

extension SafetyCard.Cell {
  fileprivate var phrase: String {
    switch result {
    case .holds: "holds"
    case .breaks: "breaks in \((commandCount ?? 0).counted("command"))"
    case .unknown: "unknown"
    case .notExercised: "not exercised"
    }
  }
}
