import PersistentHistory
import SQLiteStorage

/// The connection, prepared statements and cached state of one open store.
///
/// It requires the store's lock. The properties that every write uses are exempt from Swift's
/// exclusivity checks, which would cost 3 % of a commit of one row: the lock excludes other
/// threads, and SQLite excludes a write within a write.
final class StoreCore {
  let path: String
  let configuration: StoreConfiguration
  let connection: Connection
  let transactions: TransactionStatements
  /// The nesting depth of the requests in progress.
  private var depth = 0
  let model: Model
  let id: StoreID
  let timestamps: StoreConfiguration.Timestamps
  /// Whether the store was opened without tracking, but its file has it on: writes would bypass it.
  let isReadOnly: Bool
  let layout: HistoryLayout
  /// The state that must not change while a file is open for reading; `nil` otherwise.
  let reading: QuietReading?
  /// The file that signals commits to other processes, if there is one.
  let signalFile: SignalFile?
  /// The statements of each entity, prepared on first use.
  let tables: [EntityStatements]
  /// The strings of the file and their numbers, as far as this connection knows them.
  @exclusivity(unchecked) var strings: InternedStrings
  /// The authors that are known to have an entry with a purged position in the file.
  var knownAuthors: Set<Int32> = [0]
  /// The packed changes of the current write.
  @exclusivity(unchecked) var packed = ChangePacker()
  /// A buffer for temporary bytes.
  var scratch = ByteWriter(capacity: 256)
  /// The statements over rows of changes, used by the layout `coreData`.
  let coreData: CoreDataStatements
  /// The string numbers of the configuration's bundle and process, once they are assigned.
  var processStrings: ProcessStrings?
  /// The configuration of the last launch through this connection, with its text.
  var lastDeclared: (configuration: MemberConfiguration, text: String)?
  /// The configurations of members that were decoded, by their text.
  var configurations: [String: MemberConfiguration] = [:]
  /// The size of the history after the slowest member's cursor, as of the last check of a limit.
  var lastByteSum = ByteSum()
  /// The author of the last write, and its string number.
  var lastAuthor: (name: String?, number: Int32)?
  /// The names that are bound to the statement that inserts transactions.
  var boundNames: TransactionNames?
  /// The newest transaction, as this connection committed it.
  var knownHead: KnownHead?
  /// The shape and statement of the last fetch with a filter or a time.
  var lastScan: (shape: HistoryScan.Shape, statement: PreparedStatement)?
  /// The source of transaction marks, created on first use.
  @exclusivity(unchecked) var marks: MarkSequence?
  /// Whether the current write assigned string numbers or reserved keys; a failure revokes them.
  var hasMadeNames = false
  private var knownCollector: RowCollector?
  private var knownRowReader: RowReader?
  @exclusivity(unchecked) private var prepared: [PreparedStatement?]
  private var queries: [String: PreparedStatement] = [:]
  private static let queryCountMax = 64

  init(
    path: String,
    configuration: StoreConfiguration,
    opened: consuming OpenedFile
  ) throws {
    let file = opened.header
    let transactions = try TransactionStatements(opened.connection)
    self.path = path
    self.configuration = configuration
    model = file.model
    id = file.id
    timestamps = file.timestamps
    isReadOnly = file.isTracked && !configuration.tracksHistory
    layout = file.layout
    strings = InternedStrings(areLabels: file.layout == .coreData && !file.isForeign)
    reading = opened.reading
    coreData = CoreDataStatements(tombstoneCount: file.tombstoneCount)
    tables = file.model.entities.enumerated().map {
      EntityStatements($1, number: Int32($0) + 1)
    }
    prepared = Array(repeating: nil, count: StoreStatement.allCases.count)
    let filePath = opened.connection.filePath
    signalFile =
      configuration.hasSignalFile && !filePath.isEmpty ? SignalFile(besides: filePath) : nil
    connection = opened.connection
    self.transactions = transactions
  }

  /// Whether writes are recorded in history.
  var tracksHistory: Bool { configuration.tracksHistory }

  /// Returns the statement of a kind, prepared on first use.
  func statement(_ kind: StoreStatement) throws -> PreparedStatement {
    if let known = prepared[kind.rawValue] { return known }
    let made = try PreparedStatement(connection, kind.sql(layout))
    prepared[kind.rawValue] = made
    return made
  }

  /// Returns a cached statement of SQL that depends on the model or a filter.
  func query(_ sql: String) throws -> PreparedStatement {
    if let known = queries[sql] { return known }
    if queries.count >= Self.queryCountMax { queries.removeAll() }
    let made = try PreparedStatement(connection, sql)
    queries[sql] = made
    return made
  }

  /// Returns the collector of the changes that one statement makes, created on first use.
  func collector() throws -> RowCollector {
    if let knownCollector { return knownCollector }
    let made = try RowCollector(connection)
    knownCollector = made
    return made
  }

  /// Returns the reader of rows by their keys, created on first use.
  func rowReader() throws -> RowReader {
    if let knownRowReader { return knownRowReader }
    let made = try RowReader(connection)
    knownRowReader = made
    return made
  }

  /// Discards everything cached from the file, as if it were opened again.
  func forget() {
    strings = InternedStrings(areLabels: strings.areLabels)
    knownAuthors = [0]
    processStrings = nil
    lastByteSum = ByteSum()
    lastAuthor = nil
    knownHead = nil
    marks = nil
    for table in tables { table.keys = KeyBlock() }
  }

  /// Runs a request, which may be nested in another one.
  ///
  /// First rolls back a transaction that an earlier request left open because its rollback failed
  /// for lack of memory. A nested request runs in the outer request's transaction.
  ///
  /// - Complexity: one check of the connection in addition to the request.
  func perform<Result>(_ request: () throws -> Result) rethrows -> Result {
    if depth == 0, connection.isInTransaction { transactions.rollBack(connection) }
    depth += 1
    defer { depth -= 1 }
    return try request()
  }

  /// Runs a closure in one write transaction.
  ///
  /// After a failed write that assigned string numbers or reserved keys, all cached state is
  /// discarded.
  ///
  /// - Throws: ``HistoryError/readOnly(path:)`` in a store that would bypass the file's history.
  func write<Result>(_ body: () throws -> Result) throws -> Result {
    guard !isReadOnly else { throw HistoryError.readOnly(path: path) }
    guard reading == nil else { throw HistoryError.openForReading(path: path) }
    do {
      return try transactions.write(connection) {
        hasMadeNames = false
        return try body()
      }
    } catch {
      knownHead = nil
      if hasMadeNames { forget() }
      throw error
    }
  }

  /// Returns the mark of the next transaction.
  func nextMark() -> Int64 {
    var sequence = marks ?? MarkSequence(seed: configuration.random())
    defer { marks = sequence }
    return sequence.next()
  }

  /// Runs a closure in one read transaction.
  func read<Result>(_ body: () throws -> Result) throws -> Result {
    guard let reading else { return try transactions.read(connection, body) }
    let outcome = Swift.Result { try transactions.read(connection, body) }
    if reading.hasChanged {
      throw HistoryError.unreadable(InspectionError.changedSince(path: path).description)
    }
    return try outcome.get()
  }

  /// Returns the number, timestamp and mark of the newest transaction.
  ///
  /// An empty history has the number 0 and the timestamp negative infinity.
  func head() throws -> (number: Int64, timestamp: Double, mark: Int64) {
    let head = try statement(.head)
    defer { head.statement.reset() }
    guard try head.statement.step() else { return (0, -.infinity, 0) }
    return (head.statement.int(0), head.statement.real(1), head.statement.int(2))
  }

  /// Returns the transaction that the next one follows, within the current write.
  ///
  /// It is cached from the last commit, until another connection or another kind of write changes
  /// the file.
  func previous() throws -> KnownHead {
    let version = connection.dataVersion
    if let knownHead, knownHead.dataVersion == version { return knownHead }
    let head = try head()
    return KnownHead(
      number: try lastNumber(head.number),
      timestamp: head.timestamp,
      dataVersion: version
    )
  }

  /// Returns the greatest number that was ever assigned to a transaction.
  ///
  /// Purges keep the newest row; only stores with raw timestamps can lose it, to
  /// ``Store/deleteHistory(before:authors:)``.
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

/// A sequence of transaction marks that differs for every opening of a store (SplitMix64).
///
/// One random number seeds it, since drawing one costs more than the rest of a small write's
/// bookkeeping.
struct MarkSequence {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Returns the next 31 bits.
  mutating func next() -> Int64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return Int64((mixed ^ mixed >> 31) >> 33)
  }
}

/// The newest transaction in a version of the file's content.
struct KnownHead {
  /// The greatest number that was ever assigned to a transaction.
  var number: Int64
  /// The timestamp of the newest transaction.
  var timestamp: Double
  /// The version of the content that the properties describe.
  var dataVersion: UInt32
}

/// A range of reserved keys of one entity for one connection.
struct KeyBlock {
  var next: Int64 = 0
  var end: Int64 = 0
  /// The number of keys of the next reservation, which doubles so that reservations become rare.
  var size: Int64 = 32

  /// Whether a key is left.
  var hasNext: Bool { next < end }
}
