/// Everything with a name that this build really has.
struct Catalogue: Sendable {
  /// A kind of thing that can be listed.
  enum Kind: String, CaseIterable, Sendable {
    case systems
    case checkers
    case conditions
    case faults
    case metrics
    case benchmarks
  }

  /// One thing: its name, and what it is.
  struct Entry: Hashable, Sendable {
    let name: String
    let sentence: String
    /// Whether it was met outside of the lab, where that is a question.
    var standing: Standing?

    init(_ name: String, _ sentence: String, _ standing: Standing? = nil) {
      self.name = name
      self.sentence = sentence
      self.standing = standing
    }
  }

  private var entries: [Kind: [Entry]] = [:]

  /// The things of one kind, in the order in which they were handed in.
  subscript(kind: Kind) -> [Entry] {
    get { entries[kind, default: []] }
    set { entries[kind] = newValue }
  }

  /// The names of one kind.
  func names(_ kind: Kind) -> [String] { self[kind].map(\.name) }
}

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
