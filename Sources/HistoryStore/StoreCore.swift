import PersistentHistory
import SQLiteStorage

/// What one open store works with: its connection, prepared statements, and what it remembers of the
/// file.
///
/// Whoever holds the store's lock may use it. What every write touches is left out of Swift's checks
/// for exclusive access, which would cost a commit of one row 3 %: the lock excludes other threads, and
/// SQLite a write within a write.
final class StoreCore {
  let path: String
  let configuration: StoreConfiguration
  let connection: Connection
  let transactions: TransactionStatements
  /// How many requests are under way, each inside the one before.
  private var depth = 0
  let model: Model
  let id: StoreID
  let timestamps: StoreConfiguration.Timestamps
  /// Whether the file keeps history that this store, opened without, must not bypass.
  let isReadOnly: Bool
  let layout: HistoryLayout
  /// What a file that is only read depends on.
  let reading: QuietReading?
  /// How commits are told to other processes, if they are.
  let signalFile: SignalFile?
  /// The statements of each entity, prepared when first used.
  let tables: [EntityStatements]
  /// What the file has given numbers to, as far as this connection knows.
  @exclusivity(unchecked) var strings: InternedStrings
  /// The authors that are entered in the file among those whose purges are remembered.
  var knownAuthors: Set<Int32> = [0]
  /// The packed changes of the write that is under way.
  @exclusivity(unchecked) var packed = ChangePacker()
  /// Bytes that are needed for a moment.
  var scratch = ByteWriter(capacity: 256)
  /// The statements over rows of changes, for the layout that has them.
  let coreData: CoreDataStatements
  /// The numbers of the configuration's own strings, once they have any.
  var processStrings: ProcessStrings?
  /// What a member declared at the last launch through this connection, as text.
  var lastDeclared: (configuration: MemberConfiguration, text: String)?
  /// The configurations of members that were read, by their text.
  var configurations: [String: MemberConfiguration] = [:]
  /// What the history behind the slowest actor took when a limit was last compared with it.
  var lastByteSum = ByteSum()
  /// The author who wrote last, and the number that stands for them.
  var lastAuthor: (name: String?, number: Int32)?
  /// Who is bound to the statement that inserts transactions.
  var boundNames: TransactionNames?
  /// The newest transaction, as this connection has committed it.
  var knownHead: KnownHead?
  /// The statement of the last fetch with a filter or a time, and what it was made for.
  var lastScan: (shape: HistoryScan.Shape, statement: PreparedStatement)?
  /// Where the marks of transactions come from, once one was needed.
  @exclusivity(unchecked) var marks: MarkSequence?
  /// Whether the write that is under way gave numbers to strings or reserved keys: they are gone when
  /// it fails.
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

  /// Whether writes leave history.
  var tracksHistory: Bool { configuration.tracksHistory }

  /// The statement of a kind, prepared when it is first asked for.
  func statement(_ kind: StoreStatement) throws -> PreparedStatement {
    if let known = prepared[kind.rawValue] { return known }
    let made = try PreparedStatement(connection, kind.sql(layout))
    prepared[kind.rawValue] = made
    return made
  }

  /// The statement of some SQL that depends on the model or a filter, prepared when it is new.
  func query(_ sql: String) throws -> PreparedStatement {
    if let known = queries[sql] { return known }
    if queries.count >= Self.queryCountMax { queries.removeAll() }
    let made = try PreparedStatement(connection, sql)
    queries[sql] = made
    return made
  }

  /// What packs the changes of one statement to many rows, made when it is first asked for.
  func collector() throws -> RowCollector {
    if let knownCollector { return knownCollector }
    let made = try RowCollector(connection)
    knownCollector = made
    return made
  }

  /// What reads rows by their keys, made when it is first asked for.
  func rowReader() throws -> RowReader {
    if let knownRowReader { return knownRowReader }
    let made = try RowReader(connection)
    knownRowReader = made
    return made
  }

  /// Forgets what was remembered of the file, as if it were opened anew.
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

  /// Runs a request, after it has ended a transaction that could not be rolled back when an earlier
  /// request failed, for lack of memory.
  ///
  /// A request from inside another finds the other's transaction.
  ///
  /// - Complexity: one look at the connection beside the request.
  func perform<Result>(_ request: () throws -> Result) rethrows -> Result {
    if depth == 0, connection.isInTransaction { transactions.rollBack(connection) }
    depth += 1
    defer { depth -= 1 }
    return try request()
  }

  /// Runs a closure in one write transaction; after a failure in which strings or keys were made,
  /// all that was remembered of the file is forgotten with them.
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

  /// The mark of the next transaction.
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

  /// The number, timestamp and mark of the newest transaction; an empty history ends with number 0
  /// before all time.
  func head() throws -> (number: Int64, timestamp: Double, mark: Int64) {
    let head = try statement(.head)
    defer { head.statement.reset() }
    guard try head.statement.step() else { return (0, -.infinity, 0) }
    return (head.statement.int(0), head.statement.real(1), head.statement.int(2))
  }

  /// What the next transaction follows, in the write that is under way: remembered from the commit
  /// before unless another connection, or another kind of write, has changed the file since.
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

  /// The greatest number that was ever given to a transaction.
  ///
  /// Our own purges leave the newest row; only raw stores can lose it, to
  /// ``Store/deleteHistory(before:authors:)``.
  func lastNumber(_ head: Int64) throws -> Int64 {
    guard timestamps == .wallClock else { return head }
    return max(head, try metadata("numbered"))
  }

  /// The position of the newest transaction.
  func headToken() throws -> HistoryToken {
    let head = try head()
    return HistoryToken(store: id, number: head.number, mark: head.mark)
  }
}

/// Marks that no other opening of a store draws in the same order: one random number from the system
/// seeds them, which costs more than the rest of a small write's bookkeeping (SplitMix64).
struct MarkSequence {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// The next 31 bits.
  mutating func next() -> Int64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return Int64((mixed ^ mixed >> 31) >> 33)
  }
}

/// The newest transaction of a content of the file.
struct KnownHead {
  /// The greatest number that was ever given to a transaction.
  var number: Int64
  /// When the newest transaction was written.
  var timestamp: Double
  /// The content that this is true of.
  var dataVersion: UInt32
}

/// A run of keys of one entity that one connection may give out.
struct KeyBlock {
  var next: Int64 = 0
  var end: Int64 = 0
  /// How many keys the next reservation takes; it doubles, so that reservations become rare.
  var size: Int64 = 32

  /// Whether there is a key left.
  var hasNext: Bool { next < end }
}
