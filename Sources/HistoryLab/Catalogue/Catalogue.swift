/// The named systems, checkers, conditions, faults, metrics and benchmarks of this build.
struct Catalogue: Sendable {
  /// A kind of entry.
  enum Kind: String, CaseIterable, Sendable {
    case systems
    case checkers
    case conditions
    case faults
    case metrics
    case benchmarks
    /// The additional conditions in which benchmarks are measured.
    case axes
  }

  /// One entry: a name and a sentence that describes it.
  struct Entry: Hashable, Sendable {
    let name: String
    let sentence: String
    /// The evidence that it occurs outside the lab; `nil` where that does not apply.
    var standing: Standing?

    init(_ name: String, _ sentence: String, _ standing: Standing? = nil) {
      self.name = name
      self.sentence = sentence
      self.standing = standing
    }
  }

  private var entries: [Kind: [Entry]] = [:]

  /// The entries of one kind, in the order in which they were added.
  subscript(kind: Kind) -> [Entry] {
    get { entries[kind, default: []] }
    set { entries[kind] = newValue }
  }

  func names(_ kind: Kind) -> [String] { self[kind].map(\.name) }
}
