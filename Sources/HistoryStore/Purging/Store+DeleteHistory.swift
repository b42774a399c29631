package import PersistentHistory
import SQLiteStorage

extension Store {
  /// Deletes the history of some or all authors strictly before a time, merged or not.
  ///
  /// It is the counterpart of `NSPersistentHistoryChangeRequest.deleteHistory(before:)` with a
  /// fetch request on the author. This library does not use it. A later fetch by token reports
  /// missing history (Core Data: `NSPersistentHistoryTokenExpiredError`); a fetch by date does not.
  ///
  /// - Throws: ``HistoryError/sqlite(_:)``; no history is deleted then.
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
        let condition = "\(core.layout.timestamp) < ?1\(matching)"
        let statements =
          [core.layout.thinning(where: condition)]
          + core.layout.deletions(where: condition)
        for sql in statements {
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

extension HistoryLayout {
  /// SQL that records, per author, the last of the transactions that match a condition.
  fileprivate func thinning(where condition: String) -> String {
    """
    INSERT INTO history_thinned
    SELECT \(author), max(\(number)) FROM \(transactions) WHERE \(condition) GROUP BY 1
    ON CONFLICT(author) DO UPDATE SET through = max(through, excluded.through)
    """
  }
}
