package import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads the history of a store file of this library or of Core Data, without changing it.
package struct StoreInspector: Sendable {
  /// The folder that a file with a live log is copied to while it is read.
  package let temporaryFolder: String
  /// A callback that stops reading when it returns a nonzero value; `nil` reads to the end.
  package let stopCheck: Connection.StopCheck?

  /// Creates an inspector that copies into a folder; the default is `TMPDIR`, or else `/tmp`.
  package init(temporaryFolder: String? = nil, stopCheck: Connection.StopCheck? = nil) {
    self.stopCheck = stopCheck
    self.temporaryFolder =
      temporaryFolder ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }

  /// Counts the contents of a file's history, and the effect of a purge if one is requested.
  ///
  /// - Throws: ``InspectionError``, with a sentence for every kind of file without a readable
  ///   history.
  /// - Complexity: one pass over the history; memory grows with the numbers of authors and entities,
  ///   not with the history.
  package func census(
    of path: String,
    purging bound: PurgeBound? = nil
  ) throws(InspectionError) -> HistoryCensus {
    try QuietFile(path, copyingTo: temporaryFolder, stopCheck: stopCheck).read {
      connection,
      state in
      let tables = try FileTables(connection)
      let source = try tables.source(connection, path: path)
      let isOurs = tables.names.contains("history_metadata")
      let registry =
        isOurs && tables.names.contains(CensusRegistry.table)
        ? try CensusRegistry(connection, source.layout, path: path) : nil
      let purge = try bound.map { bound in
        try PurgeCounter(bound, source, connection, registry, isOurs: isOurs)
      }
      let builder = try source.read(connection, purge)
      var census = try source.finish(builder, connection)
      census.isOurs = isOurs
      census.storage = try CensusStorage(connection, tables, of: source.tables, state)
      census.members = registry?.members
      census.hasMirrorTables = tables.names.contains { $0.hasPrefix("ANSCK") }
      census.purge?.bytes = builder.purge?.bytes(
        census.storage.tables,
        transactions: source.layout.transactions,
        changes: source.layout.changeRows
      )
      (census.unknownTables, census.missingTables) = try source.compare(tables, connection)
      return census
    }
  }
}
