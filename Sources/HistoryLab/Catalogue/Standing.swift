/// How a kind of trouble is known.
enum Standing: Hashable, Sendable {
  /// It is seen in real stores; the text says where.
  case observed(String)
  /// It is described in public; the text says by whom.
  case documented(String)
  /// Nobody was seen to meet it; the text says where it was looked for.
  case hypothetical(String)

  /// The standing in one word.
  var word: String {
    switch self {
    case .observed: "observed"
    case .documented: "documented"
    case .hypothetical: "hypothetical"
    }
  }

  /// What the standing rests on.
  var because: String {
    switch self {
    case .observed(let text), .documented(let text), .hypothetical(let text): text
    }
  }
}
