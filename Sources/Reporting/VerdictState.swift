/// The state of a result, expressed by a sign and a word, never by colour alone.
package enum VerdictState: String, Sendable, Hashable, Codable {
  /// The claim holds.
  case good
  /// The claim is violated.
  case bad
  /// The claim could not be decided.
  case unknown
  /// A measured fact without a judgement.
  case measured

  /// The sign before the word.
  package var sign: String {
    switch self {
    case .good: "\u{2713}"
    case .bad: "\u{2717}"
    case .unknown: "?"
    case .measured: "\u{2022}"
    }
  }

  /// The default word for the state.
  package var word: String {
    switch self {
    case .good: "holds"
    case .bad: "broken"
    case .unknown: "undecided"
    case .measured: "measured"
    }
  }
}
