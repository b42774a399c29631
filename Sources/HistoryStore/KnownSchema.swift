/// The schema of a file as a connection caches it, valid until a program changes the schema.
///
/// Add a value here if it is derived from the model that the file records. When SQLite reports another
/// schema version and the recorded model differs, ``StoreCore`` calls ``adopt(_:)``, which updates the
/// model and the values derived from it.
struct KnownSchema {
  /// The model that the file records.
  private(set) var model: StoredModel
  /// The columns that contain references to objects.
  private(set) var references: [ReferenceColumn]
  /// The statements on the table of changes, used by the layout `coreData`.
  private(set) var coreData: CoreDataStatements
  /// For each entity, the attributes that have a tombstone column, as bits; `nil` if they are unknown.
  private(set) var tombstonePlaces: [UInt64?]
  /// The `PRAGMA schema_version` of the cached values, or `nil` if the file may have been replaced.
  var version: Int64?
  /// Whether the next write compares ``version`` with the file's schema version.
  var mustBeChecked = true
  /// Whether triggers of the file capture what other programs write.
  var capturesForeignWrites: Bool
  /// The model text and version that a write last read from the file; `nil` before the first read.
  ///
  /// While the file contains the same text and version, the text need not be parsed again.
  var recorded: (text: String, version: Int64)?

  init(_ header: FileHeader) {
    model = header.stored
    references = header.stored.references
    coreData = CoreDataStatements(tombstoneCount: header.tombstoneCount)
    tombstonePlaces = header.stored.tombstonePlaces
    version = header.schemaVersion
    capturesForeignWrites = header.foreignWrites == .captured
  }

  /// Adopts the model that another program has written into the file.
  mutating func adopt(_ newer: StoredModel) {
    model = newer
    references = newer.references
    coreData = CoreDataStatements(tombstoneCount: HistoryLayout.tombstoneCount(of: newer))
    tombstonePlaces = newer.tombstonePlaces
  }

  /// Makes the next write read the schema again, because the file may have been replaced.
  mutating func expire() {
    version = nil
    mustBeChecked = true
  }
}
