import HistoryTypes

/// What a connection knows of the schema of its file, valid until a program changes the schema.
///
/// A cache belongs here if it is derived from the model that the file records. ``StoreCore`` adopts the
/// new model, and with it everything here, when SQLite reports another schema version.
struct KnownSchema {
  /// The model that the file records.
  private(set) var model: StoredModel
  /// The columns of the file that refer to objects.
  private(set) var references: [ReferenceColumn]
  /// The statements on the table of changes, used by the layout `coreData`.
  private(set) var coreData: CoreDataStatements
  /// For each entity, the attributes that have a tombstone column, or `nil` if they are unknown.
  private(set) var tombstonePlaces: [UInt64?]
  /// The schema version for which all of this is valid, or `nil` if the file may have been replaced.
  var version: Int64?
  /// Whether the next write reads the schema version.
  var mustBeChecked = true
  /// Whether triggers of the file capture what other programs write.
  var capturesForeignWrites: Bool

  init(_ header: FileHeader) {
    model = header.stored
    references = header.stored.references
    coreData = CoreDataStatements(tombstoneCount: header.tombstoneCount)
    tombstonePlaces = header.stored.tombstonePlaces
    version = header.schemaVersion
    capturesForeignWrites = header.foreignWrites == .captured
  }

  /// Continues with the model that another program has written into the file.
  mutating func adopt(_ newer: StoredModel) {
    model = newer
    references = newer.references
    coreData = CoreDataStatements(tombstoneCount: HistoryLayout.tombstoneCount(of: newer))
    tombstonePlaces = newer.tombstonePlaces
  }

  /// Requires that the next write compares all of this with the file, which may have been replaced.
  mutating func expire() {
    version = nil
    mustBeChecked = true
  }
}
