/// The number of SQLite's calls to a file system, by kind of file and call, and the bytes moved.
///
/// Subtract an earlier value to get the calls made in between.
package struct CallCounters: Sendable, Hashable {
  /// Calls, one number for each pair of kind and call, failed calls included.
  private var calls: [Int]
  /// Bytes that SQLite asked to read, then those that it asked to write, by kind.
  private var bytes: [Int]

  /// Copies the live tables of a file system.
  init(calls: some Sequence<Int>, bytes: some Sequence<Int>) {
    self.calls = Array(calls)
    self.bytes = Array(bytes)
  }

  /// The number of calls of one sort to files of one kind.
  package subscript(file: FileKind, call: FileCall) -> Int {
    calls[Self.index(file, call)]
  }

  /// Returns the number of calls of one sort to all files.
  package func count(_ call: FileCall) -> Int {
    FileKind.allCases.reduce(0) { $0 + self[$1, call] }
  }

  /// The number of read calls to all files.
  package var reads: Int { count(.read) }
  /// The number of write calls to all files.
  package var writes: Int { count(.write) }
  /// The number of sync calls to all files.
  package var syncs: Int { count(.sync) }
  /// The number of bytes that SQLite asked to read from all files.
  package var bytesRead: Int { FileKind.allCases.reduce(0) { $0 + bytesRead($1) } }
  /// The number of bytes that SQLite asked to write to all files.
  package var bytesWritten: Int { FileKind.allCases.reduce(0) { $0 + bytesWritten($1) } }

  /// Returns the number of bytes that SQLite asked to read from files of one kind.
  package func bytesRead(_ file: FileKind) -> Int { bytes[Self.index(file, .read)] }

  /// Returns the number of bytes that SQLite asked to write to files of one kind.
  package func bytesWritten(_ file: FileKind) -> Int { bytes[Self.index(file, .write)] }

  /// Returns the calls that were made between two values of the counters.
  package static func - (later: CallCounters, earlier: CallCounters) -> CallCounters {
    CallCounters(
      calls: zip(later.calls, earlier.calls).map { $0 - $1 },
      bytes: zip(later.bytes, earlier.bytes).map { $0 - $1 }
    )
  }
}

extension CallCounters {
  /// The length of each of the two tables.
  static let tableCount = FileKind.allCases.count * rowCount

  /// Returns the index of a pair of kind and call in the tables.
  static func index(_ file: FileKind, _ call: FileCall) -> Int {
    file.rawValue * rowCount + call.rawValue
  }

  /// The entries of one kind: a power of two, so that an index is a shift; unused ones stay zero.
  private static var rowCount: Int { 16 }
}
