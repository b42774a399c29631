package import PersistentHistory
import SQLiteStorage

extension Store {
  /// Deletes the history of some authors, or of everyone, before a point in time, strictly, whoever has
  /// merged it.
  ///
  /// It is what the published protocols ask of `NSPersistentHistoryChangeRequest.deleteHistory(before:)`
  /// with a fetch request on the author. Nothing of ours calls it; the lab's re-creations of them do.
  ///
  /// - Throws: ``HistoryError/sqlite(_:)``; nothing is deleted then.
  /// - Complexity: a scan of history.
  package func deleteHistory(
    before date: Date,
    authors: [String?]?
  ) throws(HistoryError) {
    try lockedHistory { core in
      try core.write {
        try core.learnNewStrings()
        let head = try core.head().number
        let filter = authors.map { HistoryFilter.any($0.map { .author($0) }) }
        let compiled = try filter.map { try CompiledFilter($0, core.model, core.strings) }
        let matching = compiled.map { " AND " + FilterSQL($0, core.layout).possible } ?? ""
        let bound = date.timeIntervalSinceReferenceDate
        for sql in core.layout.deletions(where: "\(core.layout.timestamp) < ?1\(matching)") {
          let delete = try core.query(sql)
          delete.statement.bind(bound, at: 1)
          try delete.statement.run()
        }
        try core.connection.execute(
          "UPDATE history_metadata SET value = max(value, \(head)) WHERE name = 'numbered'"
        )
      }
    }
  }
}
