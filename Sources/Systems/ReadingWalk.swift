import DiskScripts
import HistoryStore
import HistoryTracking
import HistoryTypes
import Traces

/// A consumer's process while it performs the steps of a `read` command.
struct ReadingWalk {
  private let reading: PlannedReading
  private let executor = InlineExecutor()
  /// The consumer's running process; `nil` only while its replacement is being started.
  private var consumer: HistoryConsumer?
  /// The position at which the process started.
  private(set) var started = HistoryToken.beginning(of: StoreID(ReadingWalk.noStore))
  /// The last received page, which `confirm` confirms; `nil` if there is none.
  private var page: HistoryPage?

  /// Starts the consumer's process at the last position that the consumer has confirmed.
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

  /// Uses a new process of the consumer from now on, and logs its registration or launch.
  ///
  /// The logged cursor is the position that the consumer has confirmed last.
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

  /// Performs a reading step, and logs what the consumer receives.
  mutating func perform(
    _ step: ReadingStep,
    on planStore: PlanStore,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    switch step {
    case .next:
      page = try ask { consumer throws(HistoryError) in try await consumer.next() }
      log.add(reading.consumer, .received(page?.transactions.map(planStore.committed) ?? []))
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
    case .overtake: try overtake(on: planStore, &log)
    case .misplace: try misplace()
    case .retire: try retire(&log)
    }
  }

  /// Starts a second process of the consumer.
  ///
  /// If members hold locks, the second process must be refused. Otherwise the second process
  /// replaces the first, whose later requests must be refused.
  private mutating func overtake(
    on planStore: PlanStore,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let store = try planStore.connect(planStore.header.model)
    let second: HistoryConsumer
    do throws(HistoryError) {
      second = try Self.consumer(reading, on: store)
    } catch {
      guard error.code == .inUse, planStore.header.locks == .held else {
        throw SystemFailure(error)
      }
      return
    }
    guard planStore.header.locks == .none else {
      throw SystemFailure(
        .failed,
        "A second process joined as \(reading.consumer) while the first was running; it should have "
          + "been refused."
      )
    }
    try expect("A request of a replaced process succeeded; it should have failed.") {
      $0.code == .superseded
    } of: { consumer throws(HistoryError) in
      _ = try await consumer.next()
    }
    try enter(second, &log)
  }

  /// Retires the consumer, whose requests must then fail, and registers it again.
  private mutating func retire(_ log: inout EventLog) throws(SystemFailure) {
    guard let store = consumer?.store else { return }
    try ask { consumer throws(HistoryError) in try await consumer.retire() }
    log.add(reading.consumer, .retired)
    try expect("A request of a retired consumer succeeded; it should have failed.") {
      $0.code == .notAMember
    } of: { consumer throws(HistoryError) in
      _ = try await consumer.next()
    }
    consumer = nil
    try start(on: store, &log)
  }

  /// The identifier of a store that does not exist.
  private static let noStore = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  /// Tries to confirm a position after the newest transaction, and a position of another store.
  ///
  /// Both must be refused.
  private func misplace() throws(SystemFailure) {
    guard let store = consumer?.store else { return }
    let head = try mappingErrors { () throws(HistoryError) in try store.currentToken() }
    let (number, mark) = (head.number + 1, head.mark &+ 1)
    let beyond = HistoryToken(store: head.store, number: number, mark: mark)
    let accepted =
      "The consumer confirmed a position after the newest transaction; this should have failed."
    try expect(accepted) {
      $0.code == .rewound
    } of: { consumer throws(HistoryError) in
      try await consumer.confirm(through: beyond)
    }
    let elsewhere = HistoryToken(store: StoreID(Self.noStore), number: number, mark: mark)
    try expect("The consumer confirmed a position of a different store; this should have failed.") {
      $0.code == .otherStore
    } of: { consumer throws(HistoryError) in
      try await consumer.confirm(through: elsewhere)
    }
  }

  /// Makes a request that must fail with an error for which `isRight` returns `true`.
  ///
  /// - Throws: ``SystemFailure`` with the message `complaint` if the request succeeds or never
  ///   completes; any other error of the request, as a ``SystemFailure``.
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

  /// Sends an asynchronous request to the consumer's process, and waits for the answer.
  @discardableResult
  private func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (HistoryConsumer) async throws(HistoryError) -> Answer
  ) throws(SystemFailure) -> Answer {
    guard let consumer else {
      throw SystemFailure(.failed, "The consumer \(reading.consumer) is not running.")
    }
    let executor = executor
    return try mappingErrors { () throws(HistoryError) in
      try executor.wait { await result { () throws(HistoryError) in try await body(consumer) } }
    }
  }
}
