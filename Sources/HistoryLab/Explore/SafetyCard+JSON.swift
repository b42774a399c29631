import Foundation
import Simulation
import Traces
import Workloads

/// Cards as JSON, as `cards.json` holds them.
struct CardsDocument: Codable, RunFile {
  /// One invariant under one condition.
  struct Cell: Codable {
    let invariant: String
    let condition: String
    let result: SafetyCell.Result
    let depth: Int
    let plans: Double
    let states: Int
    /// How many commands the shortest plan has that breaks it.
    var length: Int?
    /// Whether every shorter plan was run, so that there is none.
    var isLeast: Bool?
    /// The lines of that plan.
    var plan: [String]?
    /// What it comes to, in a sentence.
    var because: String?
    /// The counterexample's file in the run's folder; its path in the cards of older versions.
    ///
    /// The page that shows it lies next to it.
    var file: String?
    /// The command that replays it from the run's folder.
    var replay: String?
    /// How many states there were allowed to be, where that was too few.
    var budget: Int?
  }
  /// One scope of a condition.
  struct Piece: Codable {
    let actors: Int
    let depth: Int
    let plans: Double
    let states: Int
    let complete: Bool
    let seconds: Double
  }
  /// One condition, and how it is known.
  struct Row: Codable {
    let condition: String
    var standing: String?
    var because: String?
    /// How the condition breaks what the system's authors ask for, if it does.
    var outsideStatedUse: String?
    let explored: [Piece]
  }
  struct Card: Codable {
    let system: String
    var statedUse: String?
    let verdict: String
    let because: String
    let conditions: [Row]
    var cells: [Cell]
  }
  static let title = "safety cards"
  static let versionField = "cards"
  /// The version of the form.
  static let formatVersion = 1
  let cards: Int
  let scopes: [ExploreScope]
  let verdict: String
  /// The run's folder; `.` in the file that lies there.
  let folder: String
  let systems: [Card]
}

extension CardsDocument.Card {
  /// Takes a card, and where its counterexamples lie by the keys of their cells.
  init(_ card: SafetyCard, kept: [String: KeptCounterexample], for reader: RunReader) {
    system = card.system
    statedUse = card.statedUse
    verdict = card.verdict
    because = card.sentence
    conditions = card.conditions.map(CardsDocument.Row.init)
    cells = card.cells.map { CardsDocument.Cell($0, kept: kept[$0.key], for: reader) }
  }
}

extension CardsDocument.Row {
  fileprivate init(_ report: SafetyCard.ConditionReport) {
    let standing = Catalogue.standing(of: report.condition)
    condition = report.condition.rawValue
    self.standing = standing?.word
    because = report.because
    outsideStatedUse = report.outside
    explored = report.pieces.map { piece in
      CardsDocument.Piece(
        actors: piece.scope.actors,
        depth: piece.exploration.depth,
        plans: piece.exploration.planCount,
        states: piece.exploration.stateCount,
        complete: piece.exploration.ending == .complete,
        seconds: piece.seconds
      )
    }
  }
}

extension CardsDocument.Cell {
  /// What tells it from the other cells of its card, as ``SafetyCell/key``.
  var key: String { "\(condition)-\(invariant)" }

  fileprivate init(_ cell: SafetyCell, kept: KeptCounterexample?, for reader: RunReader) {
    invariant = cell.invariant
    condition = cell.condition.rawValue
    result = cell.result
    depth = cell.depth
    plans = cell.planCount
    states = cell.stateCount
    budget = cell.budget
    file = kept?.path(for: reader)
    replay = kept?.replay(for: reader)
    guard let counterexample = cell.counterexample else { return }
    length = counterexample.length
    isLeast = cell.isLeast
    because = counterexample.violation.because
    plan = PlanCodec.encode(counterexample.trace.header.plan)
      .split(separator: "\n").map(String.init)
  }
}

extension CardsDocument {
  /// The cards as one JSON object, keys sorted.
  func json() throws(LabError) -> String { try Self.json(self) }

  fileprivate static func json(_ value: some Encodable) throws(LabError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw .lab("the cards cannot be written as JSON: \(error)")
    }
  }
}

extension CardsDocument.Card {
  /// The card alone as one JSON object, keys sorted.
  func json() throws(LabError) -> String { try CardsDocument.json(self) }
}

extension Catalogue {
  /// How a condition is known.
  static func standing(of condition: Condition) -> Standing? {
    conditions.first { $0.name == condition.rawValue }?.standing
  }
}
