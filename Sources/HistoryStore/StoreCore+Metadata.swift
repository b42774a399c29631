import SQLiteStorage

extension StoreCore {
  /// Returns a number from the file's metadata, or 0 when the name is missing.
  func metadata(_ name: String) throws -> Int64 { try knownMetadata(name) ?? 0 }

  /// Returns a number from the file's metadata, or `nil` when the name is missing.
  func knownMetadata(_ name: String) throws -> Int64? {
    let read = try query("SELECT value FROM history_metadata WHERE name = ?1")
    read.statement.bind(name, at: 1)
    defer { read.statement.reset() }
    return try read.statement.step() ? read.statement.int(0) : nil
  }

  /// Updates a number that the metadata of every file contains.
  func setMetadata(_ name: String, _ value: Int64) throws {
    let write = try query("UPDATE history_metadata SET value = ?2 WHERE name = ?1")
    write.statement.bind(name, at: 1)
    write.statement.bind(value, at: 2)
    try write.statement.run()
  }

  /// Inserts or updates a number in the file's metadata.
  func putMetadata(_ name: String, _ value: Int64) throws {
    let write = try query("INSERT OR REPLACE INTO history_metadata VALUES(?1, ?2)")
    write.statement.bind(name, at: 1)
    write.statement.bind(value, at: 2)
    try write.statement.run()
  }
}
