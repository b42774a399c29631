import Commands
import Reporting
import Simulation
import Traces
import Workloads

/// The JSON form of safety cards, as in `cards.json`.
///
/// A card has the result of each invariant under each condition, for one system.
struct CardsDocument: Codable, RunFile {
  /// The result of one invariant under one condition.
  struct Cell: Codable {
    let invariant: String
    let condition: String
    let result: SafetyCell.Result
    let depth: Int
    let plans: Double
    let states: Int
    /// The number of commands in the shortest plan that breaks the invariant.
    var length: Int?
    /// Whether every plan shorter than ``plan`` was run, so that none of them breaks the invariant.
    var isLeast: Bool?
    /// The lines of the shortest plan that breaks the invariant.
    var plan: [String]?
    /// The reason for the violation, in a sentence.
    var because: String?
    /// The counterexample's file: in `cards.json` its name in the run's folder, otherwise its path.
    ///
    /// Older versions wrote the path into `cards.json` too. The page that shows the counterexample
    /// is in the same folder.
    var file: String?
    /// The command that replays the counterexample; in `cards.json`, from the run's folder.
    var replay: String?
    /// The maximum number of states if this limit ended the exploration; otherwise `nil`.
    var budget: Int?
  }
  /// The result of exploring one condition within one ``ExploreScope``.
  struct Piece: Codable {
    let actors: Int
    let depth: Int
    let plans: Double
    let states: Int
    let complete: Bool
    let seconds: Double
  }
  /// The row of one condition, with the evidence that the condition occurs in practice.
  struct Row: Codable {
    let condition: String
    var evidence: String?
    var because: String?
    /// The rule for apps of a published system that the condition breaks; `nil` if it breaks none.
    var outsideStatedUse: String?
    let explored: [Piece]

    /// The keys in the JSON file; `evidence` keeps the name `standing` of older versions.
    enum CodingKeys: String, CodingKey {
      case condition
      case evidence = "standing"
      case because
      case outsideStatedUse
      case explored
    }
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
  static let formatVersion = 1
  let cards: Int
  let scopes: [ExploreScope]
  let verdict: String
  /// The path of the run's folder; `.` in `cards.json`, which is inside that folder.
  let folder: String
  let systems: [Card]
}

extension CardsDocument.Card {
  /// Creates the JSON form of a safety card.
  ///
  /// `kept` contains the files of the counterexamples by condition and invariant
  /// (``SafetyCell/key``). The form of paths and commands depends on `reader`.
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
    let evidence = Catalogue.evidence(of: report.condition)
    condition = report.condition.rawValue
    self.evidence = evidence?.word
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
  /// The identifier of this result among those of its system: the condition and the invariant.
  ///
  /// It is equal to ``SafetyCell/key``.
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
  /// Returns the results of all systems (their safety cards) as one JSON object with sorted keys.
  func json() throws(LabError) -> String {
    try JSONText.document(self, named: "the overview of cards")
  }
}

extension CardsDocument.Card {
  /// Returns one system's results (its safety card) as one JSON object with sorted keys.
  func json() throws(LabError) -> String { try JSONText.document(self, named: "the card") }
}

extension Catalogue {
  /// Returns the evidence that a condition occurs in practice.
  static func evidence(of condition: Condition) -> Evidence? {
    conditions.first { $0.name == condition.rawValue }?.evidence
  }
}
