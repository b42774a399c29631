import Basics
package import HistoryTypes
import SQLiteStorage

/// The connection, prepared statements and cached state of one open store.
///
/// Every access requires the store's lock. The properties that every write uses are exempt from
/// Swift's exclusivity checks, which would cost 3 % of a commit of one row. They are safe without
/// these checks: the lock excludes other threads, and SQLite excludes a write within a write.
final class StoreCore {
  let path: String
  let configuration: StoreConfiguration
  let connection: Connection
  let transactions: TransactionStatements
  /// Whether a request is in progress.
  var isInRequest: Bool { depth > 0 }
  /// The nesting depth of the requests in progress.
  private var depth = 0
  /// The program's model, with the numbers that the file gives to entities and attributes.
  let model: Model
  /// The cached schema of the file, valid until a program changes the schema.
  @exclusivity(unchecked) private(set) var schema: KnownSchema
  let id: StoreID
  let timestamps: StoreConfiguration.Timestamps
  /// Whether writes fail, because the file tracks history but the store was opened without tracking.
  let isReadOnly: Bool
  let layout: HistoryLayout
  /// The state that the file had when it was opened for reading only, to detect later changes.
  ///
  /// `nil` if the store was not opened for reading only.
  let reading: QuietReading?
  /// The file that signals commits to other processes, if there is one.
  let signalFile: SignalFile?
  /// The statements of each entity, prepared on first use.
  let tables: [EntityStatements]
  /// For each entity, the mapping between the program's column bitmaps and those in the file.
  ///
  /// An element is `nil` if the program's bitmaps of the entity equal those in the file. The array is
  /// empty if that holds for every entity.
  let mappings: [ColumnMapping?]
  /// The prepared statements, valid while the connection is open.
  @exclusivity(unchecked) var statements: StatementCache
  /// Cached contents of the file that change only with this connection's own committed writes.
  @exclusivity(unchecked) var cache: CachedFileState
  /// Cached positions in history, valid until another connection writes.
  @exclusivity(unchecked) var positions = CachedPositions()
  /// The cached configurations of members, as text and decoded; an entry never becomes invalid.
  var configurations = ConfigurationCache()
  /// The packed changes of the current write.
  @exclusivity(unchecked) var packed = ChangePacker()
  /// A buffer for temporary bytes.
  var scratch = ByteWriter(capacity: 256)
  /// Whether a read has limited the page cache; see ``restoringCache(_:)``.
  var isCacheLimited = false
  /// Whether the current write has changed ``cache``; if the write fails, ``cache`` is discarded.
  var hasChangedCache = false

  init(
    path: String,
    configuration: StoreConfiguration,
    opened: consuming OpenedFile
  ) throws {
    let file = opened.header
    opened.connection.setEnforcesForeignKeys(true)
    let transactions = try TransactionStatements(opened.connection)
    self.path = path
    self.configuration = configuration
    model = file.model
    schema = KnownSchema(file)
    id = file.id
    timestamps = file.timestamps
    isReadOnly = file.isTracked && !configuration.tracksHistory
    layout = file.layout
    reading = opened.reading
    tables = file.model.entities.enumerated().map {
      EntityStatements($1, file.stored.entities[$0], number: Int32($0) + 1)
    }
    let mappings = tables.map(\.mapping)
    self.mappings = mappings.contains { $0 != nil } ? mappings : []
    statements = StatementCache(file.layout)
    cache = CachedFileState(
      strings: InternedStrings(areLabels: file.layout == .coreData && !file.isForeign),
      entityCount: file.model.entities.count
    )
    let filePath = opened.connection.filePath
    signalFile =
      configuration.hasSignalFile && !filePath.isEmpty ? SignalFile(nextTo: filePath) : nil
    connection = opened.connection
    self.transactions = transactions
    // The file's triggers are for programs without this library: this one writes history itself.
    if file.foreignWrites != .unwatched { connection.setRunsTriggers(false) }
  }

  /// Rolls back an open transaction, and disables the checkpoint on close.
  ///
  /// A checkpoint copies the write-ahead log into the file, which may take long.
  func prepareToClose() {
    if connection.isInTransaction { transactions.rollBack(connection) }
    connection.setCheckpointsOnClose(false)
  }

  /// Whether this store may write history into the file.
  var canWriteHistory: Bool { tracksHistory && !isReadOnly && reading == nil }

  /// Rereads the file's rule for writes by programs without this library, and applies it.
  @discardableResult
  func noticeForeignWrites() throws -> ForeignWrites {
    let handling =
      try knownText(ForeignSchema.settingName).flatMap(ForeignWrites.init) ?? .unwatched
    schema.capturesForeignWrites = handling == .captured
    connection.setRunsTriggers(handling == .unwatched)
    return handling
  }

  /// Whether writes are recorded in history.
  var tracksHistory: Bool { configuration.tracksHistory }

  /// Returns the statement of a kind, prepared on first use.
  func statement(_ kind: StoreStatement) throws -> PreparedStatement {
    try statements.statement(kind, connection)
  }

  /// Returns a cached statement of SQL that depends on the model or a filter.
  func query(_ sql: String) throws -> PreparedStatement {
    try statements.query(sql, connection)
  }

  /// Discards everything cached from the file, as if the store were opened again.
  ///
  /// If the file was replaced by a snapshot's copy, `restored` is the cached state of the snapshot.
  func discardCache(restoring restored: CachedFileState? = nil) {
    cache = restored ?? cache.emptied
    positions = CachedPositions()
    schema.expire()
  }

  /// Runs a request, which may be nested in another one.
  ///
  /// First rolls back a transaction that an earlier request left open because its rollback failed
  /// for lack of memory. A nested request runs in the outer request's transaction.
  ///
  /// - Complexity: one check of the connection in addition to the request.
  func perform<Result>(_ request: () throws -> Result) rethrows -> Result {
    if depth == 0, connection.isInTransaction, !configuration.isPinned {
      transactions.rollBack(connection)
    }
    depth += 1
    defer { depth -= 1 }
    return try request()
  }

  /// Runs a closure in one write transaction.
  ///
  /// If the write fails after it added strings or authors, or reserved keys, ``cache`` is discarded.
  ///
  /// - Throws: ``HistoryError/Code/readOnly`` if the file tracks history but the store does not,
  ///   ``HistoryError/Code/openForReading``, ``HistoryError/Code/danglingReference``, or an error
  ///   of SQLite or of the closure.
  func write<Result>(_ body: () throws -> Result) throws -> Result {
    guard !isReadOnly else { throw HistoryError.readOnly(path: path) }
    guard reading == nil else { throw HistoryError.openForReading(path: path) }
    do {
      return try transactions.write(connection) {
        hasChangedCache = false
        let result = try body()
        try checkReferences()
        return result
      }
    } catch {
      positions.head = nil
      if hasChangedCache { discardCache() }
      throw error
    }
  }

  /// Returns the mark of the next transaction: 31 pseudorandom bits that its token contains.
  ///
  /// After a file is restored from a copy, new transactions get the numbers of lost ones again, but
  /// almost certainly other marks, because each opening of the file uses a different seed. The mark
  /// thus shows whether a token is from this history.
  func nextMark() -> Int64 {
    var sequence = cache.marks ?? SplitMix64(seed: configuration.random())
    defer { cache.marks = sequence }
    return Int64(sequence.next() >> 33)
  }

  /// Runs a closure in one read transaction.
  func read<Result>(_ body: () throws -> Result) throws -> Result {
    guard let reading else {
      if configuration.isPinned {
        try checkPin()
        return try body()
      }
      guard schema.capturesForeignWrites else { return try transactions.read(connection, body) }
      if try hasForeignChanges() { try takeForeignChangesBeforeRead() }
      return try transactions.read(connection, body)
    }
    let outcome = Swift.Result { try transactions.read(connection, body) }
    if reading.hasChanged {
      throw HistoryError.unreadable(InspectionError.changedSince(path: path).description)
    }
    return try outcome.get()
  }

  /// Returns the newest transaction's number, timestamp and random mark, which its token repeats.
  ///
  /// An empty history has the number 0 and the timestamp negative infinity.
  func head() throws -> (number: Int64, timestamp: Double, mark: Int64) {
    let head = try statement(.head)
    defer { head.statement.reset() }
    guard try head.statement.step() else { return (0, -.infinity, 0) }
    return (head.statement.int(0), head.statement.real(1), head.statement.int(2))
  }

  /// Returns the newest transaction, after which the current write adds its own.
  ///
  /// The value is cached after a save or batch that adds history, until a later commit changes the
  /// file or a write fails. Without a valid cached value, this method first writes captured changes
  /// of other programs into history.
  func previous() throws -> KnownHead {
    let version = connection.dataVersion
    if let known = positions.head, known.dataVersion == version { return known }
    let head = try newest()
    return try hasForeignChanges() ? takeForeignChanges(after: head).head : head
  }

  /// Returns the newest transaction, read within the current write.
  func newest() throws -> KnownHead {
    let version = connection.dataVersion
    let head = try head()
    try checkModel(after: statement(.head))
    return KnownHead(
      number: try lastNumber(head.number),
      timestamp: head.timestamp,
      dataVersion: version
    )
  }

  /// Returns the greatest number that was ever assigned to a transaction.
  ///
  /// `head` is the number of the newest transaction in the file. A purge never deletes that
  /// transaction. ``Store/deleteHistory(before:authors:)`` can delete it in a store whose
  /// timestamps are unchanged clock values (`wallClock`), and then records its number in the
  /// metadata.
  func lastNumber(_ head: Int64) throws -> Int64 {
    guard timestamps == .wallClock else { return head }
    return max(head, try metadata("numbered"))
  }

  /// Returns the token of the newest transaction.
  func headToken() throws -> HistoryToken {
    let head = try head()
    return HistoryToken(store: id, number: head.number, mark: head.mark)
  }
}

extension StoreCore {
  /// Adopts the file's model if another program has changed that model; runs within the current write.
  ///
  /// SQLite prepares a statement again when it runs after a change of the schema. The statement
  /// that has just run therefore shows whether there was such a change, without a query.
  ///
  /// - Throws: ``HistoryError/Code/modelOutgrown`` if the program's model no longer fits.
  @inline(__always)
  func checkModel(after prepared: PreparedStatement) throws {
    if prepared.statement.takePreparations() > 0 || schema.mustBeChecked { try noticeModel() }
  }

  private func noticeModel() throws {
    schema.mustBeChecked = true
    let version = try schemaVersion()
    if version != schema.version {
      guard reading == nil else { return }
      try noticeRecordedModel()
      try checkForeignSchema(noticeForeignWrites(), of: schema.model)
      schema.version = version
    }
    schema.mustBeChecked = false
  }

  private func schemaVersion() throws -> Int64 {
    let read = try query("PRAGMA schema_version")
    defer { read.statement.reset() }
    return try read.statement.step() ? read.statement.int(0) : 0
  }

  /// Adopts the model that the file records, if it differs from the cached model.
  private func noticeRecordedModel() throws {
    let version = try knownMetadata(StoredModel.versionName) ?? 1
    let text = try knownText(StoredModel.textName)
    if let recorded = schema.recorded, recorded == (text, version) { return }
    guard let text, let found = StoredModel(text: text, version: Int(version)) else {
      throw HistoryError.damaged(path: path, what: StoredModel.unreadable)
    }
    if found != schema.model { try adopt(found) }
    schema.recorded = (text, version)
  }

  /// Throws if a migration removed an entity or attribute of the program's model.
  ///
  /// Pass `true` for `isRetired` if the program's member is retired. The method then throws after
  /// any migration to a version above the program's, even if the program's model still fits.
  ///
  /// - Throws: ``HistoryError/Code/modelOutgrown``.
  /// - Complexity: one query of one row.
  func checkIsNotOutgrown(isRetired: Bool = false) throws {
    guard try metadata(StoredModel.oldestName) > Int64(model.version) else { return }
    guard reading == nil, let found = try StoredModel(connection, path: path) else { return }
    try found.checkFits(model, path: path)
    if isRetired { throw found.outgrown(model, [], path: path) }
  }

  /// Converts an SQLite error into a ``HistoryError`` if its cause is known.
  ///
  /// The known causes are a violated uniqueness constraint, and a migration by another program. An
  /// error with a different cause is returned unchanged.
  func explained(_ error: any Error) -> any Error {
    guard let failure = error as? SQLiteError else { return error }
    if let duplicate = HistoryError(duplicate: failure, in: tables) { return duplicate }
    guard failure.isOfSchema, reading == nil else { return error }
    do {
      try perform { try read { try checkIsNotOutgrown() } }
      return error
    } catch let cause as HistoryError where cause.code == .modelOutgrown {
      return cause
    } catch {
      return failure
    }
  }

  /// Adopts the model that a newer program has written into the file.
  private func adopt(_ found: StoredModel) throws {
    try found.checkFits(model, path: path)
    schema.adopt(found)
    for (table, entity) in zip(tables, found.entities) where table.entity.isDeclared {
      table.adopt(entity)
    }
  }

  /// Returns a number from the file's metadata, or 0 when the name is missing.
  func metadata(_ name: String) throws -> Int64 { try knownMetadata(name) ?? 0 }

  static let metadataSQL = "SELECT value FROM history_metadata WHERE name = ?1"

  /// Returns a number from the file's metadata, or `nil` when the name is missing.
  func knownMetadata(_ name: String) throws -> Int64? {
    let read = try query(Self.metadataSQL)
    read.statement.bind(name, at: 1)
    defer { read.statement.reset() }
    return try read.statement.step() ? read.statement.int(0) : nil
  }

  /// Returns a text from the file's metadata, or `nil` when the name is missing.
  private func knownText(_ name: String) throws -> String? {
    let read = try query(Self.metadataSQL)
    read.statement.bind(name, at: 1)
    defer { read.statement.reset() }
    return try read.statement.step() ? read.statement.text(0) : nil
  }

  /// Updates an existing number in the file's metadata; has no effect if the name is missing.
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

/// An observer of a store's actions, called on the thread that performs them.
///
/// The observer cannot influence the actions. A store checks whether an observer is set a few times
/// per transaction and once per chunk of a purge, never once per row.
package struct StoreActionObserver: Sendable {
  /// Receives the cursor and the purged range that a write records, under the write lock.
  ///
  /// Called before the write is committed.
  package var begins: @Sendable (MemberWrite) -> Void
  /// Called at the end of a write that records a cursor or starts a purge.
  ///
  /// The argument is `true` if the write was committed. A write that failed may have ended before
  /// ``begins`` was called.
  package var ends: @Sendable (_ isCommitted: Bool) -> Void
  /// Receives the number of a transaction, under the write lock, before any row is written.
  package var writes: @Sendable (_ number: Int64) -> Void = { _ in }
  /// Receives the number of a committed transaction, before other processes are signalled.
  package var signals: @Sendable (_ number: Int64) -> Void = { _ in }
  /// Called before a purge deletes a chunk of transactions, while the write lock is held.
  ///
  /// The argument is the number of the first transaction in the chunk.
  package var deletes: @Sendable (_ first: Int64) -> Void = { _ in }

  package init(
    begins: @escaping @Sendable (MemberWrite) -> Void,
    ends: @escaping @Sendable (_ isCommitted: Bool) -> Void
  ) {
    self.begins = begins
    self.ends = ends
  }
}

/// The effects of one write transaction on a member's cursor and on the purged history.
package struct MemberWrite: Sendable, Hashable {
  /// The member that performs the write, if any.
  package var member: MemberID?
  /// The cursor that the write records, if any.
  package var cursor: HistoryToken?
  /// The range of transaction numbers that the write purges; empty without a purge.
  ///
  /// The transactions in the range become invisible, except those whose author the purge spares.
  package var purged: Range<Int64>

  package init(member: MemberID?, cursor: HistoryToken?, purged: Range<Int64> = 0..<0) {
    self.member = member
    self.cursor = cursor
    self.purged = purged
  }
}

extension StoreCore {
  /// Reports the effects of the current transaction to the configured observer before the commit.
  func reportToObserver(_ write: @autoclosure () -> MemberWrite) {
    if let actionObserver = configuration.actionObserver { actionObserver.begins(write()) }
  }

  /// Runs a write to the registry of members; reports to the configured observer whether it committed.
  func observed<Result>(_ body: () throws -> Result) throws -> Result {
    guard let actionObserver = configuration.actionObserver else { return try body() }
    var isCommitted = false
    defer { actionObserver.ends(isCommitted) }
    let result = try body()
    isCommitted = true
    return result
  }
}
