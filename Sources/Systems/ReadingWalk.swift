import HistoryStore
import HistoryTracking
import HistoryTypes
import Traces

/// A consumer process that performs the reading steps of a plan.
struct ReadingWalk {
  private let reading: PlannedReading
  private let executor = InlineExecutor()
  /// The running process; `nil` only while it is replaced.
  private var consumer: HistoryConsumer?
  /// The position at which the process started.
  private(set) var started = HistoryToken.beginning(of: StoreID(ReadingWalk.noStore))
  /// The last page that the process received; `nil` if there is no page to confirm.
  private var page: HistoryPage?

  /// Starts the process at its confirmed position.
  init(
    _ reading: PlannedReading,
    on store: Store,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    self.reading = reading
    try start(on: store, &log)
  }

  private mutating func start(on store: Store, _ log: inout EventLog) throws(SystemFailure) {
    let process = try mappingErrors { () throws(HistoryError) in
      try Self.consumer(reading, on: store)
    }
    try enter(process, &log)
  }

  private static func consumer(
    _ reading: PlannedReading,
    on store: Store
  ) throws(HistoryError) -> HistoryConsumer {
    try HistoryConsumer(
      reading.consumer,
      store: store,
      filter: reading.filter,
      pageTransactionCountMax: reading.page
    )
  }

  /// Continues with a new process, and logs its position.
  private mutating func enter(
    _ process: HistoryConsumer,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    consumer = process
    page = nil
    let (isNew, confirmed) = try ask { consumer throws(HistoryError) in
      (await consumer.isNew, await consumer.confirmed)
    }
    started = confirmed
    let cursor = confirmed.transactionName
    log.add(reading.consumer, isNew ? .registered(cursor: cursor) : .launched(cursor: cursor))
  }

  /// Makes a step, and logs what the consumer receives.
  mutating func perform(
    _ step: ReadingStep,
    on bench: StoreBench,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    switch step {
    case .next:
      page = try ask { consumer throws(HistoryError) in try await consumer.next() }
      log.add(reading.consumer, .received(page?.transactions.map(bench.committed) ?? []))
    case .confirm:
      guard let page else { return }
      try ask { consumer throws(HistoryError) in try await consumer.confirm(page) }
    case .startOver:
      page = nil
      try ask { consumer throws(HistoryError) in await consumer.startOver() }
    case .restart:
      guard let store = consumer?.store else { return }
      consumer = nil
      try start(on: store, &log)
    case .overtake: try overtake(on: bench, &log)
    case .misplace: try misplace()
    case .retire: try retire(&log)
    }
  }

  /// Starts a second process of the consumer.
  ///
  /// If the first process holds the lock, the second process must be refused; otherwise all later
  /// requests of the first process must be refused.
  private mutating func overtake(
    on bench: StoreBench,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let store = try bench.connect(bench.header.model)
    let second: HistoryConsumer
    do throws(HistoryError) {
      second = try Self.consumer(reading, on: store)
    } catch {
      guard error.code == .inUse, bench.header.locks == .held else { throw SystemFailure(error) }
      return
    }
    guard bench.header.locks == .none else {
      throw SystemFailure(
        .failed,
        "A second process joined as \(reading.consumer) while the first was running; it should have "
          + "been refused."
      )
    }
    try expect("A request of a replaced process succeeded.") {
      $0.code == .superseded
    } of: { consumer throws(HistoryError) in
      _ = try await consumer.next()
    }
    try enter(second, &log)
  }

  /// Ends the membership, after which requests must fail, and registers again.
  private mutating func retire(_ log: inout EventLog) throws(SystemFailure) {
    guard let store = consumer?.store else { return }
    try ask { consumer throws(HistoryError) in try await consumer.retire() }
    log.add(reading.consumer, .retired)
    try expect("A request of a retired consumer succeeded.") {
      $0.code == .notAMember
    } of: { consumer throws(HistoryError) in
      _ = try await consumer.next()
    }
    consumer = nil
    try start(on: store, &log)
  }

  /// A store identity that no store has.
  private static let noStore = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  /// Tries to confirm positions of another store and beyond history, which must be refused.
  private func misplace() throws(SystemFailure) {
    guard let store = consumer?.store else { return }
    let head = try mappingErrors { () throws(HistoryError) in try store.currentToken() }
    let (number, mark) = (head.number + 1, head.mark &+ 1)
    let beyond = HistoryToken(store: head.store, number: number, mark: mark)
    try expect("A position beyond history was confirmed.") {
      $0.code == .rewound
    } of: { consumer throws(HistoryError) in
      try await consumer.confirm(through: beyond)
    }
    let elsewhere = HistoryToken(store: StoreID(Self.noStore), number: number, mark: mark)
    try expect("A position of another store was confirmed.") {
      $0.code == .otherStore
    } of: { consumer throws(HistoryError) in
      try await consumer.confirm(through: elsewhere)
    }
  }

  /// Makes a request that must fail with a given error code.
  private func expect(
    _ complaint: String,
    _ isRight: (HistoryError) -> Bool,
    of body: @escaping @Sendable (HistoryConsumer) async throws(HistoryError) -> Void
  ) throws(SystemFailure) {
    guard let consumer else { return }
    let outcome = executor.run {
      await result { () throws(HistoryError) in try await body(consumer) }
    }
    switch outcome {
    case .failure(let error) where isRight(error): return
    case .failure(let error): throw SystemFailure(error)
    case .success, nil: throw SystemFailure(.failed, complaint)
    }
  }

  /// Runs an asynchronous request of the process until it completes.
  @discardableResult
  private func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (HistoryConsumer) async throws(HistoryError) -> Answer
  ) throws(SystemFailure) -> Answer {
    guard let consumer else { throw SystemFailure(.failed, "The consumer does not run.") }
    let executor = executor
    return try mappingErrors { () throws(HistoryError) in
      try executor.wait { await result { () throws(HistoryError) in try await body(consumer) } }
    }
  }
}
