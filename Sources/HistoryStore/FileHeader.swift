import PersistentHistory
import SQLiteStorage

/// A connection to a file that was found to be ours.
struct OpenedFile: ~Copyable {
  let connection: Connection
  let header: FileHeader
}

/// What a store file says about itself.
struct FileHeader {
  let id: StoreID
  let model: Model
  let timestamps: StoreConfiguration.Timestamps
  /// Whether writes leave history.
  private(set) var isTracked: Bool

  /// Opens the file, creating it when it is not there and a model is given, and reads its header.
  ///
  /// A file that is not ours is closed again without a byte of it changed.
  ///
  /// - Throws: ``HistoryError`` by name for a foreign, newer or damaged file, or another model.
  static func open(
    path: String,
    model: Model?,
    configuration: StoreConfiguration
  ) throws -> OpenedFile {
    var options = ConnectionOptions()
    options.access = model == nil ? .readWrite : .create
    options.synchronous = configuration.durability == .full ? .full : .normal
    options.busyTimeoutMs = configuration.busyTimeoutMs
    options.cacheSizeKiB = configuration.cacheSizeKiB
    options.vfs = configuration.vfs
    if model != nil && configuration.vfs == nil { NewFile.make(path) }
    let connection = try Connection(path: path, options)
    var header: FileHeader
    do {
      header = try read(connection, path: path, model: model, configuration: configuration)
      try connection.turnOnLog()
      if configuration.tracksHistory && !header.isTracked { try header.beginTracking(connection) }
    } catch {
      connection.leaveAsFound()
      throw error
    }
    return OpenedFile(connection: connection, header: header)
  }

  private static func read(
    _ connection: borrowing Connection,
    path: String,
    model: Model?,
    configuration: StoreConfiguration
  ) throws -> FileHeader {
    if try isEmpty(connection) {
      guard let model else { throw HistoryError.foreignFile(path: path) }
      try create(connection, model: model, configuration: configuration)
    }
    try check(connection, path: path)
    return try FileHeader(connection, path: path, model: model)
  }

  /// Whether nothing was ever written into the file, not even a mark.
  private static func isEmpty(_ connection: borrowing Connection) throws -> Bool {
    try connection.integer("SELECT count(*) FROM sqlite_master") == 0
      && connection.integer("PRAGMA application_id") == 0
      && connection.integer("PRAGMA user_version") == 0
  }

  /// Refuses a file that is not ours, or newer than we know.
  static func check(_ connection: borrowing Connection, path: String) throws {
    guard try connection.integer("PRAGMA application_id") == Schema.applicationID else {
      throw HistoryError.foreignFile(path: path)
    }
    let version = try connection.integer("PRAGMA user_version") ?? 0
    guard version <= Schema.formatVersion else {
      throw HistoryError.newerFormat(path: path, found: version, known: Schema.formatVersion)
    }
  }

  /// Creates the schema in one transaction and writes it into the file at once: a power-off before
  /// the first checkpoint could lose all of it otherwise.
  private static func create(
    _ connection: borrowing Connection,
    model: Model,
    configuration: StoreConfiguration
  ) throws {
    try connection.execute("PRAGMA page_size=4096")
    try connection.turnOnLog()
    let id = StoreID(UUID(random: configuration.random))
    let transactions = try TransactionStatements(connection)
    try transactions.write(connection) {
      // Two processes may create the same file: the second finds it made.
      guard try isEmpty(connection) else { return }
      try Schema.create(connection, model: model, id: id, timestamps: configuration.timestamps)
      if !configuration.tracksHistory { try connection.execute(untracked) }
    }
    try connection.checkpoint()
  }

  /// The name of what says that a file keeps no history; 0 or absent when it does.
  static let untrackedName = "untracked"
  /// The name of the version of the last write without history.
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

  private init(_ connection: borrowing Connection, path: String, model expected: Model?) throws {
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
      let timestamps = values["timestamps"].flatMap(StoreConfiguration.Timestamps.init)
    else { throw HistoryError.damaged(path: path, what: "its header cannot be read") }
    self.id = id
    self.timestamps = timestamps
    isTracked = values[Self.untrackedName] != "1"
    if let expected {
      guard values["model"] == expected.signature else { throw HistoryError.otherModel(path: path) }
      model = expected
    } else {
      guard let model = values["model"].flatMap(Model.init(signature:)) else {
        throw HistoryError.damaged(path: path, what: "its model cannot be read")
      }
      self.model = model
    }
  }
}

extension UUID {
  /// A random identity (RFC 9562, version 4) from a source of random bits.
  fileprivate init(random: () -> UInt64) {
    var bits = (random(), random())
    bits.0 = bits.0 & ~0xf0_0000_0000_0000 | 0x40_0000_0000_0000
    bits.1 = bits.1 & ~0xc0 | 0x80
    self = withUnsafeBytes(of: &bits) { UUID(bytes: $0) }
  }
}
