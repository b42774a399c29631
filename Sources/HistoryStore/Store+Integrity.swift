import SQLiteStorage

extension Store {
  /// Returns the first problem that SQLite's integrity check reports, or `nil` for none.
  ///
  /// See https://sqlite.org/pragma.html#pragma_integrity_check.
  ///
  /// - Complexity: linear in the pages of the file.
  package func integrityProblem() throws(HistoryError) -> String? {
    try locked { core in
      let answer = try core.connection.text("PRAGMA integrity_check(1)")
      return answer == "ok" ? nil : answer ?? "no answer"
    }
  }
}
