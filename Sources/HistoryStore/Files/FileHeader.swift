import HistoryTypes
import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The properties of a store that are recorded in the store's file.
struct FileHeader {
  let id: StoreID
  /// The program's model, with the numbers that the file gives to entities and attributes.
  let model: Model
  /// The model that the file records.
  let stored: StoredModel
  /// The program's newer model, if the file was not upgraded to it yet; otherwise `nil`.
  let upgrade: Model?
  /// The value of `PRAGMA schema_version` when the header was read; every schema change raises it.
  let schemaVersion: Int64
  let timestamps: StoreConfiguration.Timestamps
  /// Whether writes are recorded in history.
  private(set) var isTracked: Bool
  let layout: HistoryLayout
  /// The number of tombstone columns in the table of changes, used by the layout `coreData`.
  let tombstoneCount: Int
  /// Whether Core Data wrote the file.
  let isForeign: Bool
  /// The rule for writes by programs that change the file with plain SQL.
  let foreignWrites: ForeignWrites

  /// Opens the file and reads its header; creates a missing file if a model is given.
  ///
  /// A file that is not a store of this library is closed unchanged.
  ///
  /// - Throws: ``HistoryError`` if the file belongs to another program, has a newer format, is
  ///   damaged, or has a model that the program's model does not fit.
  static func open(
    path: String,
    model: Model?,
    configuration: StoreConfiguration
  ) throws -> OpenedFile {
    try open(path: path, model, creating: model.map { StoredModel($0.declared) }, configuration)
  }

  /// Opens a file or, if it is missing, creates it with `stored`, a model copied from another file.
  ///
  /// In all other respects, this method behaves like ``open(path:model:configuration:)``.
  static func open(
    path: String,
    creating stored: StoredModel,
    configuration: StoreConfiguration
  ) throws -> OpenedFile {
    try open(path: path, nil, creating: stored, configuration)
  }

  private static func open(
    path: String,
    _ model: Model?,
    creating stored: StoredModel?,
    _ configuration: StoreConfiguration
  ) throws -> OpenedFile {
    var options = ConnectionOptions(configuration)
    if stored != nil { options.access = .create }
    if stored != nil && configuration.vfs == nil { NewFile.make(path) }
    let connection = try Connection(path: path, options)
    var header: FileHeader
    do {
      header = try read(connection, path: path, model, creating: stored, configuration)
      try connection.turnOnLog()
      if configuration.tracksHistory && !header.isTracked { try header.beginTracking(connection) }
    } catch {
      connection.leaveAsFound()
      throw error
    }
    return OpenedFile(connection: connection, header: header, reading: nil)
  }

  /// Opens another connection to the file of a store, with the header that the store has already read.
  ///
  /// - Throws: ``HistoryError/Code/replaced`` if the file now contains another store.
  static func reopen(
    path: String,
    _ header: FileHeader,
    _ configuration: StoreConfiguration
  ) throws -> OpenedFile {
    let connection = try Connection(path: path, ConnectionOptions(configuration))
    do {
      try check(connection, path: path)
      let id = try connection.text("SELECT value FROM history_metadata WHERE name = 'store'")
      guard id == header.id.description else { throw HistoryError.replaced(path: path) }
      try connection.turnOnLog()
    } catch {
      connection.leaveAsFound()
      throw error
    }
    return OpenedFile(connection: connection, header: header, reading: nil)
  }

  private static func read(
    _ connection: borrowing Connection,
    path: String,
    _ model: Model?,
    creating stored: StoredModel?,
    _ configuration: StoreConfiguration
  ) throws -> FileHeader {
    if try isEmpty(connection) {
      guard let stored else { throw HistoryError.foreignFile(path: path) }
      try create(connection, stored, configuration: configuration)
    }
    try check(connection, path: path)
    // The model and the version of the schema belong to the same state of the file.
    try connection.execute("BEGIN")
    do {
      let header = try FileHeader(connection, path: path, model: model)
      try connection.execute("COMMIT")
      return header
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Whether the file has no tables, no application ID and no user version.
  private static func isEmpty(_ connection: borrowing Connection) throws -> Bool {
    try connection.integer("SELECT count(*) FROM sqlite_master") == 0
      && connection.integer("PRAGMA application_id") == 0
      && connection.integer("PRAGMA user_version") == 0
  }

  /// Throws when the file is not a store of this library, or has a newer format.
  static func check(_ connection: borrowing Connection, path: String) throws {
    guard try connection.integer("PRAGMA application_id") == Schema.applicationID else {
      throw HistoryError.foreignFile(path: path)
    }
    let version = try connection.integer("PRAGMA user_version") ?? 0
    guard version <= Schema.formatVersion else {
      throw HistoryError.newerFormat(path: path, found: version, known: Schema.formatVersion)
    }
  }

  /// Creates the schema in one transaction and checkpoints it immediately.
  ///
  /// Without the checkpoint, a power failure could lose the whole schema.
  private static func create(
    _ connection: borrowing Connection,
    _ stored: StoredModel,
    configuration: StoreConfiguration
  ) throws {
    try connection.execute("PRAGMA page_size=4096")
    // Core Data's files use this mode. Its pointer map pages are part of what Core Data's layout costs.
    if configuration.layout == .coreData {
      try connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    }
    try connection.turnOnLog()
    let id = StoreID(UUID(random: configuration.random))
    let transactions = try TransactionStatements(connection)
    try transactions.write(connection) {
      // If two processes create the same file, the second one finds the schema of the first.
      guard try isEmpty(connection) else { return }
      try Schema.create(connection, stored, id: id, configuration)
      if !configuration.tracksHistory { try connection.execute(untracked) }
    }
    try connection.checkpoint()
  }

  /// The key in `history_metadata` whose value is 1 if the file keeps no history, else 0 or absent.
  static let untrackedName = "untracked"
  /// The key in `history_metadata` for the row version of the last write without history.
  ///
  /// Each write sets the version of the rows that it changes. The versions of writes without
  /// history count down from -1, so that they never equal a transaction number.
  static let versionName = "version"

  private static let untracked = """
    INSERT INTO history_metadata VALUES('\(untrackedName)', 1), ('\(versionName)', 0)
    """

  private mutating func beginTracking(_ connection: borrowing Connection) throws {
    try connection.execute(
      "UPDATE history_metadata SET value = 0 WHERE name = '\(Self.untrackedName)'"
    )
    isTracked = true
  }

  init(
    id: StoreID,
    model: Model,
    stored: StoredModel? = nil,
    upgrade: Model? = nil,
    schemaVersion: Int64 = 0,
    timestamps: StoreConfiguration.Timestamps,
    layout: HistoryLayout,
    tombstoneCount: Int,
    isTracked: Bool = true,
    isForeign: Bool = false,
    foreignWrites: ForeignWrites = .unwatched
  ) {
    self.id = id
    self.model = model
    self.stored = stored ?? StoredModel(model)
    self.upgrade = upgrade
    self.schemaVersion = schemaVersion
    self.timestamps = timestamps
    self.layout = layout
    self.tombstoneCount = tombstoneCount
    self.isForeign = isForeign
    self.foreignWrites = foreignWrites
    self.isTracked = isTracked
  }

  init(_ connection: borrowing Connection, path: String, model expected: Model?) throws {
    let tables = try connection.integer(
      "SELECT count(*) FROM sqlite_master WHERE name = 'history_metadata'"
    )
    guard tables == 1 else {
      throw HistoryError.damaged(path: path, what: "its header cannot be read")
    }
    let query = try Statement(connection, "SELECT name, value FROM history_metadata")
    var values: [String: String] = [:]
    while try query.step() {
      values[query.text(0) ?? ""] = query.text(1)
    }
    guard let id = values["store"].flatMap({ StoreID($0) }),
      let timestamps = values["timestamps"].flatMap(StoreConfiguration.Timestamps.init),
      let layout = values["layout"].flatMap(HistoryLayout.init)
    else { throw HistoryError.damaged(path: path, what: "its header cannot be read") }
    let version = values[StoredModel.versionName].flatMap { Int($0) } ?? 1
    guard
      let stored = values[StoredModel.textName].flatMap({ StoredModel(text: $0, version: version) })
    else {
      throw HistoryError.damaged(path: path, what: "its model cannot be read")
    }
    let program = expected ?? stored.live
    let upgrade = try stored.upgrade(to: program, layout, path: path)
    self.init(
      id: id,
      model: stored.view(of: upgrade == nil ? program : stored.live),
      stored: stored,
      upgrade: upgrade,
      schemaVersion: try connection.integer("PRAGMA schema_version") ?? 0,
      timestamps: timestamps,
      layout: layout,
      tombstoneCount: HistoryLayout.tombstoneCount(of: stored),
      isTracked: values[Self.untrackedName] != "1",
      foreignWrites: values[ForeignSchema.settingName].flatMap(ForeignWrites.init) ?? .unwatched
    )
  }
}

extension FileHeader {
  /// Reads the rule for writes by other programs from an open file.
  static func foreignWrites(_ connection: borrowing Connection) throws -> ForeignWrites {
    let text = try connection.text(
      "SELECT value FROM history_metadata WHERE name = '\(ForeignSchema.settingName)'"
    )
    return text.flatMap(ForeignWrites.init) ?? .unwatched
  }
}

extension ConnectionOptions {
  /// The options of a connection that reads and writes an existing file of a store.
  fileprivate init(_ configuration: StoreConfiguration) {
    self.init()
    access = .readWrite
    synchronous = configuration.durability == .full ? .full : .normal
    busyTimeoutMs = configuration.busyTimeout.clampedMilliseconds
    cacheSizeKiB = configuration.cacheSizeKiB
    checkpointFrames = configuration.checkpointFrames
    protection = configuration.fileProtection.flag
    vfs = configuration.vfs
  }
}

extension UUID {
  /// Creates a random UUID (RFC 9562, version 4) from a source of random bits.
  fileprivate init(random: () -> UInt64) {
    var bits = (random(), random())
    bits.0 = bits.0 & ~0xf0_0000_0000_0000 | 0x40_0000_0000_0000
    bits.1 = bits.1 & ~0xc0 | 0x80
    self = withUnsafeBytes(of: &bits) { UUID(bytes: $0) }
  }
}

/// The device and inode number of a file, which change if another file replaces it at its path.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Creates the identity of the file at a path, or returns `nil` when the file is missing.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

/// The creation of the file of a new store.
enum NewFile {
  /// Creates an empty file that only its owner can access, unless a file exists at the path.
  ///
  /// SQLite itself would create the file readable by everyone. The write-ahead log gets the
  /// permissions of the file. Errors are ignored here, because SQLite then fails for the same
  /// reason and reports it.
  static func make(_ path: String) {
    guard !path.isEmpty, path != ":memory:" else { return }
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
  }
}
