/// How something turned out; told by a sign and a word, never by colour alone.
package enum VerdictState: String, Sendable, Hashable, Codable {
  /// It holds.
  case good
  /// It is broken.
  case bad
  /// It could not be decided.
  case unknown
  /// A measured fact that is neither.
  case measured

  /// The sign that stands before the word.
  package var sign: String {
    switch self {
    case .good: "\u{2713}"
    case .bad: "\u{2717}"
    case .unknown: "?"
    case .measured: "\u{2022}"
    }
  }

  /// The word for it, where nothing more fitting is given.
  package var word: String {
    switch self {
    case .good: "holds"
    case .bad: "broken"
    case .unknown: "undecided"
    case .measured: "measured"
    }
  }
}
