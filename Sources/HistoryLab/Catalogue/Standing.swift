/// The evidence for a condition: whether it is known to occur outside the lab.
enum Standing: Hashable, Sendable {
  /// It occurs in real stores; the text says where.
  case observed(String)
  /// It is described in public; the text names the source.
  case documented(String)
  /// It was never observed; the text says where it was looked for.
  case hypothetical(String)

  /// The kind of evidence in one word.
  var word: String {
    switch self {
    case .observed: "observed"
    case .documented: "documented"
    case .hypothetical: "hypothetical"
    }
  }

  /// The text of the evidence.
  var because: String {
    switch self {
    case .observed(let text), .documented(let text), .hypothetical(let text): text
    }
  }
}
