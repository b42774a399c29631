import HistoryStore
import HistoryTracking
import HistoryTypes
import Traces

extension ConsumerProcess {
  /// Reads history page by page, and logs each page and each recorded position.
  ///
  /// The recorded positions are read from the registry through the lab's own connection.
  func read(
    _ reading: PlannedReading,
    on bench: StoreBench,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    guard !reading.steps.isEmpty else { return try readAll(reading, on: bench, &log) }
    // The registration releases its lock, because only one process of a consumer can hold that lock.
    registration = registration.released
    let outcome: Result<Void, SystemFailure>
    do { outcome = .success(try walk(reading, on: bench, &log)) } catch {
      outcome = .failure(error)
    }
    let (id, store) = (reading.consumer, store)
    registration = try mappingErrors { () throws(HistoryError) in
      try store.join(id, kind: .consumer)
    }
    token = registration.cursor
    try outcome.get()
  }

  /// Passes every page to a closure, which may throw for a page.
  private func readAll(
    _ reading: PlannedReading,
    on bench: StoreBench,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    var pageCount = 0
    do throws(HistoryError) {
      try store.consume(
        registration,
        filter: reading.filter,
        pageTransactionCountMax: reading.page
      ) { page in
        try tellConfirmed(reading.consumer, on: bench, &log)
        log.add(reading.consumer, .received(page.transactions.map(bench.committed)))
        pageCount += 1
        if pageCount == reading.stopsAt { throw PlannedStop() }
      }
    } catch {
      guard error.code == .stopped, pageCount == reading.stopsAt else { throw SystemFailure(error) }
    }
    try tellConfirmed(reading.consumer, on: bench, &log)
    let (store, registration) = (store, registration)
    token = try mappingErrors { () throws(HistoryError) in
      try store.recordedCursor(of: registration)
    }
  }

  /// Starts a consumer process, and performs the planned steps with it.
  private func walk(
    _ reading: PlannedReading,
    on bench: StoreBench,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    var walk = try ReadingWalk(reading, on: store, &log)
    for step in reading.steps {
      try walk.perform(step, on: bench, &log)
      // The consumer does not receive the history before its registration.
      if step == .retire { token = walk.started }
      try tellConfirmed(reading.consumer, on: bench, &log)
    }
  }

  /// Logs each transaction up to the recorded position that is not yet in the log.
  private func tellConfirmed(
    _ id: ActorID,
    on bench: StoreBench,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    guard let cursor = try bench.cursor(of: id)?.cursor, cursor > token.number else { return }
    let store = try bench.store()
    let held = try mappingErrors { () throws(HistoryError) in try store.heldNumbers() }
    let confirmed = held.filter { $0 > token.number && $0 <= cursor }
    log.add(id, .consumed(confirmed.map { String($0) }))
    token = HistoryToken(store: token.store, number: cursor, mark: token.mark)
  }
}

/// The error of a closure that fails because the plan says so.
private struct PlannedStop: Error {}

extension PlannedReading {
  /// The condition on the transactions that the consumer receives.
  var filter: HistoryFilter? {
    let filters = [entity.map(HistoryFilter.entity), author.map { .author($0) }].compactMap(\.self)
    return filters.isEmpty ? nil : .all(filters)
  }
}
