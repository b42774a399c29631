import SQLiteStorage

extension StoreCore {
  /// A number that the file keeps about itself; 0 when it keeps none of that name.
  func metadata(_ name: String) throws -> Int64 { try knownMetadata(name) ?? 0 }

  /// A number that the file keeps about itself, if it does.
  func knownMetadata(_ name: String) throws -> Int64? {
    let read = try query("SELECT value FROM history_metadata WHERE name = ?1")
    read.statement.bind(name, at: 1)
    defer { read.statement.reset() }
    return try read.statement.step() ? read.statement.int(0) : nil
  }

  /// Changes a number that every file keeps about itself.
  func setMetadata(_ name: String, _ value: Int64) throws {
    let write = try query("UPDATE history_metadata SET value = ?2 WHERE name = ?1")
    write.statement.bind(name, at: 1)
    write.statement.bind(value, at: 2)
    try write.statement.run()
  }

  /// Changes or enters a number that the file may keep about itself.
  func putMetadata(_ name: String, _ value: Int64) throws {
    let write = try query("INSERT OR REPLACE INTO history_metadata VALUES(?1, ?2)")
    write.statement.bind(name, at: 1)
    write.statement.bind(value, at: 2)
    try write.statement.run()
  }
}
