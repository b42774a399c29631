import HistoryTypes
import SQLiteStorage

extension StoreCore {
  /// Applies the lightweight differences of a newer model to the file, as one transaction.
  ///
  /// The transaction changes the schema and the recorded model, and adds a history transaction without
  /// object changes. If another program has already applied this or a later model version, nothing is
  /// written.
  ///
  /// - Throws: ``HistoryError`` if the models do not fit, or SQLite fails; nothing is written then.
  /// - Complexity: linear in the schema, and in the rows of entities with a new index or with an
  ///   attribute that is no longer required.
  func upgrade(to newer: Model) throws {
    // With foreign keys on, copying a table would count as deleting its rows.
    connection.setEnforcesForeignKeys(false)
    defer { connection.setEnforcesForeignKeys(true) }
    do {
      guard tracksHistory else { return try write { _ = try change(to: newer) } }
      _ = try writeTransaction(by: authorship(of: newer), allowsNone: true) { _, _ in
        guard try change(to: newer) else { throw AlreadyUpgraded() }
      }
    } catch is AlreadyUpgraded {}
  }

  private func authorship(of newer: Model) -> Authorship {
    Authorship(author: MigrationAuthor.name(from: schema.model.version, to: newer.version))
  }

  /// Changes the schema and the recorded model within the current write.
  ///
  /// - Returns: `false` if the file already has this or a later model version.
  private func change(to newer: Model) throws -> Bool {
    guard let found = try StoredModel(connection, path: path), found.version < newer.version,
      let wanted = try found.upgrade(to: newer, layout, path: path)
    else { return false }
    let made = try found.applying(wanted)
    let handling = try FileHeader.foreignWrites(connection)
    try dropForeignTriggers()
    try addTablesAndColumns(from: found, to: made)
    try dropIndexes(of: found, lackingIn: made)
    try adoptConstraints(of: made, instead: found)
    try connection.record(made)
    try createForeignTriggers(handling)
    return true
  }

  func addTablesAndColumns(from old: StoredModel, to new: StoredModel) throws {
    for (offset, entity) in new.entities.enumerated() {
      guard offset < old.entities.count else {
        try Schema.add(entity, number: offset + 1, of: new, connection, layout)
        continue
      }
      for attribute in entity.attributes.dropFirst(old.entities[offset].attributes.count) {
        try Schema.add(attribute, to: entity, of: new, connection)
      }
    }
    guard layout == .coreData else { return }
    try addTombstoneColumns(from: old, to: new)
  }

  private func addTombstoneColumns(from old: StoredModel, to new: StoredModel) throws {
    let counts = (HistoryLayout.tombstoneCount(of: old), HistoryLayout.tombstoneCount(of: new))
    for name in HistoryLayout.tombstoneColumns(counts.1).dropFirst(counts.0) {
      try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(name) BLOB")
    }
  }
}

/// An error thrown to roll back an upgrade that another program has already applied.
private struct AlreadyUpgraded: Error {}

extension Connection {
  /// Records a model in the metadata of the file, within the current write.
  borrowing func record(_ stored: StoredModel) throws {
    let put = try Statement(self, "INSERT OR REPLACE INTO history_metadata VALUES(?1, ?2)")
    put.bind(StoredModel.textName, at: 1)
    put.bind(stored.text, at: 2)
    try put.run()
    put.bind(StoredModel.versionName, at: 1)
    put.bind(Int64(stored.version), at: 2)
    try put.run()
    let version = try integer("PRAGMA user_version") ?? 0
    let format = max(version, Schema.format(of: stored), Schema.modelFormatVersion)
    try execute("PRAGMA user_version=\(format)")
    // Other connections read the recorded model again only after a change of the schema, and a model
    // can change without one: its delete rules, for example.
    try execute("CREATE VIEW history_new_model AS SELECT 1; DROP VIEW history_new_model")
  }
}
