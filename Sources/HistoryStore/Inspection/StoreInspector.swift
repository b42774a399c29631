import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads the history of a store file, one of ours or one that Core Data wrote, and changes nothing.
package struct StoreInspector: Sendable {
  /// Where a file with a live log is copied to while it is read.
  package let temporaryFolder: String

  /// Makes an inspector that copies where the system keeps temporary files, or into a folder.
  package init(temporaryFolder: String? = nil) {
    self.temporaryFolder =
      temporaryFolder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }

  /// Counts what the history of a file holds.
  ///
  /// - Throws: ``InspectionError``: a sentence for every kind of file that has no readable history.
  /// - Complexity: one pass over the history; memory grows with the numbers of authors and entities,
  ///   not with the history.
  package func census(of path: String) throws(InspectionError) -> HistoryCensus {
    try QuietFile(path, copyingTo: temporaryFolder).read { connection, state in
      let tables = try FileTables(connection)
      let source = try tables.source(connection, path: path)
      var census = try source.read(connection)
      census.isOurs = tables.names.contains("history_metadata")
      census.storage = try CensusStorage(connection, tables, of: source.tables, state)
      return census
    }
  }
}
