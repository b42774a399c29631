import SQLiteStorage

extension Store {
  /// What SQLite's own check of the whole file finds wrong, or nothing
  /// (https://sqlite.org/pragma.html#pragma_integrity_check).
  ///
  /// - Complexity: linear in the pages of the file; for tests and the lab.
  package func integrityProblem() throws(HistoryError) -> String? {
    try locked { core in
      let answer = try core.connection.text("PRAGMA integrity_check(1)")
      return answer == "ok" ? nil : answer ?? "no answer"
    }
  }
}
