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
    /// Conditions in which benchmarks are measured besides.
    case axes
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
