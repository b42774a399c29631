import HistoryStore

/// An additional condition in which some benchmarks are measured.
///
/// The condition differs in one respect from the base point, which has four authors, the packed
/// layout, warm caches and `synchronous=NORMAL`.
package enum BenchmarkAxis: String, CaseIterable, Sendable {
  case oneAuthor = "authors-1"
  case manyAuthors = "authors-16"
  case coreData
  case cold
  case full

  /// The name on command lines.
  package var name: String { rawValue }

  /// A sentence that describes the difference from the base point.
  package var sentence: String {
    switch self {
    case .oneAuthor: "One author has written all history instead of four."
    case .manyAuthors: "Sixteen authors have written history instead of four."
    case .coreData: "History lies in the tables of Core Data instead of being packed."
    case .cold: "The store is opened anew, and the system has forgotten its file, each time."
    case .full: "Commits wait for the disk (synchronous=FULL instead of NORMAL)."
    }
  }

  /// The condition in the titles of rows.
  var condition: String {
    switch self {
    case .oneAuthor: "1 author"
    case .manyAuthors: "16 authors"
    case .coreData: "coreData layout"
    case .cold: "cold cache"
    case .full: "synchronous FULL"
    }
  }

  /// The name of the contender that does the same at the base point, in the same rounds.
  var base: String {
    switch self {
    case .oneAuthor, .manyAuthors: "Store, 4 authors"
    case .coreData: "Store, packed layout"
    case .cold: "Store, warm cache"
    case .full: "Store, synchronous NORMAL"
    }
  }

  /// The shape of the stores that are built for the condition.
  var shape: StoreShape {
    switch self {
    case .oneAuthor: StoreShape(authorCount: 1)
    case .manyAuthors: StoreShape(authorCount: 16)
    case .coreData: StoreShape(layout: .coreData)
    case .cold, .full: .base
    }
  }

  /// Whether the condition only matters for stores on a disk.
  var needsDisk: Bool { self == .cold || self == .full }

  /// Returns why the condition cannot be measured on a medium, or `nil` if it can.
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

/// The properties of a store that is built for a run.
struct StoreShape: Hashable {
  /// The number of authors that take turns in writing history.
  var authorCount = 4
  var layout = HistoryLayout.packed

  static let base = StoreShape()

  /// The suffix of its file names, empty at the base point.
  var suffix: String {
    self == .base ? "" : "-\(authorCount)-\(layout.rawValue)"
  }
}
