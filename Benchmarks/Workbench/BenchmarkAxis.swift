import HistoryStore

/// A condition in which some benchmarks are measured besides: one thing is other than at the base
/// point, which is four authors, the packed layout, warm caches and `synchronous=NORMAL`.
package enum BenchmarkAxis: String, CaseIterable, Sendable {
  case oneAuthor = "authors-1"
  case manyAuthors = "authors-16"
  case coreData
  case cold
  case full

  /// The name on command lines.
  package var name: String { rawValue }

  /// What is other than at the base point, in a sentence.
  package var sentence: String {
    switch self {
    case .oneAuthor: "One author has written all history instead of four."
    case .manyAuthors: "Sixteen authors have written history instead of four."
    case .coreData: "History lies in the tables of Core Data instead of being packed."
    case .cold: "The store is opened anew, and the system has forgotten its file, each time."
    case .full: "Commits wait for the disk (synchronous=FULL instead of NORMAL)."
    }
  }

  /// The condition as titles of rows tell it.
  var condition: String {
    switch self {
    case .oneAuthor: "1 author"
    case .manyAuthors: "16 authors"
    case .coreData: "coreData layout"
    case .cold: "cold cache"
    case .full: "synchronous FULL"
    }
  }

  /// What the base point has instead: the contender that does the same there, in the same rounds.
  var base: String {
    switch self {
    case .oneAuthor, .manyAuthors: "Store, 4 authors"
    case .coreData: "Store, packed layout"
    case .cold: "Store, warm cache"
    case .full: "Store, synchronous NORMAL"
    }
  }

  /// How the stores are built.
  var shape: StoreShape {
    switch self {
    case .oneAuthor: StoreShape(authorCount: 1)
    case .manyAuthors: StoreShape(authorCount: 16)
    case .coreData: StoreShape(layout: .coreData)
    case .cold, .full: .base
    }
  }

  /// Whether it tells something only of stores on a disk.
  var needsDisk: Bool { self == .cold || self == .full }

  /// Why it cannot be measured on a medium; nothing where it can.
  func absence(on medium: String) -> String? {
    if needsDisk && medium != ScratchFolder.disk {
      return "the folder for temporary files lies in memory; name one on a disk in TMPDIR"
    }
    #if !os(Linux)
    if self == .cold { return "only Linux can be told to forget what it holds of a file" }
    #endif
    return nil
  }
}

/// How the stores of a run are built.
struct StoreShape: Hashable {
  /// How many authors take turns in writing history.
  var authorCount = 4
  var layout = HistoryLayout.packed

  static let base = StoreShape()

  /// What tells its files from those of the base point.
  var suffix: String {
    self == .base ? "" : "-\(authorCount)-\(layout.rawValue)"
  }
}
