import Basics
import Faults
import Foundation
import HistoryStore
import HistoryTypes
import Synchronization
import Systems
import Traces

/// Hooks into the store and tracker of a stress process, which write its trace and can kill it.
final class StressHooks: Sendable {
  let tracker: StressTrace
  let writer: StressTrace
  let scheduledKill = ScheduledKill()
  private let role: StressRole
  private let numbers: StressNumberFile
  /// The platform's file system, with a hook in each call.
  private let files: RealFileSystem
  /// The possible durations of a period with faults, in milliseconds.
  private static let faultyMs = 40...300
  /// The possible durations of a period without faults, in milliseconds.
  private static let soundMs = 300...1500
  /// The number of writes started so far.
  private let writeCount = Atomic<Int64>(0)
  /// The time in nanoseconds at which the write in progress got its transaction number; 0 before that.
  private let numberedAt = Atomic<Int64>(0)
  /// The time of the last fetch, in nanoseconds.
  private let fetchedAt = Atomic<Int64>(0)
  private let group = Mutex(Group())

  /// The trace entries of the command in progress, which are written together.
  private struct Group {
    var isOpen = false
    var waiting: [StressTrace.Entry] = []
  }

  /// Creates the hooks, and a file system that calls them.
  ///
  /// The file system is SQLite's default until the process ends, unless `servesAllFiles` is `false`.
  ///
  /// - Throws: ``StressError`` if a file of the role cannot be opened.
  init(_ role: StressRole, servesAllFiles: Bool = true) throws {
    self.role = role
    tracker = try StressTrace(role.trackerTrace, of: role.id)
    writer = try StressTrace(role.writerTrace, of: role.id)
    numbers = try StressNumberFile(role.numberFile)
    files = RealFileSystem(isDefault: servesAllFiles) { [scheduledKill] call, kind in
      if call == .write, kind == .main { scheduledKill.meet(.checkpoint) }
    }
  }

  /// Returns the configuration to open the store with, and enables the seeded bug if the role has one.
  func configuration() throws(StressError) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    if let name = role.mutant {
      guard let mutant = Mutant.named(name) else {
        throw StressError("unknown mutant \(name.quoted)")
      }
      mutant.turnOn()
    }
    // A stopped process may hold the write lock until the run continues it, which a busy machine delays.
    configuration.busyTimeout = .seconds(30)
    configuration.purgeChunkCount = 8
    configuration.checkpointFrames = 200
    // Polls are rare, so that a lost signal shows as a missing pass. A faulty disk may make the
    // watcher miss a signal, so polls are then as frequent as by default.
    if role.disk == nil { configuration.changePollInterval = .seconds(60) }
    var actionObserver = StoreActionObserver(
      begins: { [unowned self] write in begin(write) },
      ends: { [unowned self] isCommitted in end(isCommitted) }
    )
    actionObserver.writes = { [unowned self] number in
      guard Self.isInWrite else { return }
      numberedAt.store(MonotonicClock.now, ordering: .relaxed)
      numbers.note(number, ofWrite: writeCount.load(ordering: .relaxed))
    }
    actionObserver.signals = { [scheduledKill] _ in scheduledKill.meet(.signal) }
    actionObserver.deletes = { [scheduledKill] _ in scheduledKill.meet(.purge) }
    configuration.actionObserver = actionObserver
    return configuration
  }

  // MARK: The disk

  /// Alternates between periods without and with disk faults until the task is cancelled.
  @concurrent
  func injectFaults(_ disk: StressDisk) async {
    var random = SplitMix64(seed: role.seed ^ 0xd15c)
    while true {
      do {
        try await Task.sleep(for: .milliseconds(Int.random(in: Self.soundMs, using: &random)))
        files.arm([Self.fault(disk, &random)])
        try await Task.sleep(for: .milliseconds(Int.random(in: Self.faultyMs, using: &random)))
      } catch {
        files.disarm()
        return
      }
      files.disarm()
    }
  }

  private static func fault(_ disk: StressDisk, _ random: inout SplitMix64) -> FileFault {
    switch disk {
    case .full: return FileFault(.full, call: .write, k: 1, from: true)
    case .failing:
      let calls: [FileCall] = [.write, .write, .sync, .read, .lock]
      let call = calls.randomElement(using: &random) ?? .write
      let k = Int.random(in: 1...6, using: &random)
      return FileFault(.ioError, call: call, k: k, from: Bool.random(using: &random))
    }
  }

  // MARK: The tracker

  /// Notes the time of a fetch, which is the start of the merge that follows.
  func noteFetched() { fetchedAt.store(MonotonicClock.now, ordering: .relaxed) }

  /// Adds to the trace a merge after which the cursor is not recorded yet.
  func note(merged numbers: [Int64]) {
    let now = MonotonicClock.now
    let start = min(fetchedAt.load(ordering: .relaxed), now)
    tracker.add([.init(.merged(numbers.map { String($0) }), start...now)])
    scheduledKill.meet(.record)
  }

  private func begin(_ write: MemberWrite) {
    let now = MonotonicClock.now
    // No plan contains this command. A whole pass without a command would belong to a closing
    // phase, whose purges the checkers leave out.
    var entries = [StressTrace.Entry(.called(command: nil, word: "record"), at: now)]
    if let cursor = write.cursor {
      entries.append(.init(.recorded(cursor: cursor.transactionName), at: now))
    }
    if !write.purged.isEmpty {
      entries.append(.init(.purged(write.purged.map { String($0) }), at: now))
    }
    guard entries.count > 1 else { return }
    group.withLock { group in
      group.isOpen = true
      tracker.add(entries)
    }
  }

  private func end(_ isCommitted: Bool) {
    let outcome = isCommitted ? Outcome.ok : .failed(Self.rolledBack)
    group.withLock { group in
      guard group.isOpen else { return }
      let ended = StressTrace.Entry(.ended(command: nil, outcome), at: MonotonicClock.now)
      tracker.add([ended] + group.waiting)
      group = Group()
    }
  }

  /// Traces a failed launch of the tracker, or a failed pass (fetch, merge and record).
  func noteFailure(of word: String, _ error: HistoryError) {
    let now = MonotonicClock.now
    let entries: [StressTrace.Entry] = [
      .init(.called(command: nil, word: word), at: now),
      .init(.ended(command: nil, .failed(SystemFailure(error))), at: now),
    ]
    group.withLock { group in
      if group.isOpen { group.waiting += entries } else { tracker.add(entries) }
    }
  }

  private static let rolledBack = SystemFailure(.io, "The transaction was rolled back.")

  // MARK: The writer

  /// Whether the current thread performs the write in progress.
  ///
  /// Only then is the number of a new transaction that of the write. The tracker's thread may
  /// meanwhile add changes by plain SQL to history, in a transaction with another number.
  @TaskLocal private static var isInWrite = false

  /// Traces the start of a write, and performs it.
  func write<Result>(_ command: Command, _ body: () throws -> Result) rethrows -> Result {
    let count = writeCount.add(1, ordering: .relaxed).newValue
    numberedAt.store(0, ordering: .relaxed)
    let kind = EventKind.called(command: Int(count), word: command.action.word)
    writer.add([.init(kind, at: MonotonicClock.now, given: command)])
    return try Self.$isInWrite.withValue(true, operation: body)
  }

  /// Traces a write that failed before its save, because an edit failed.
  func noteFailedEdit(_ failure: SystemFailure) {
    let now = MonotonicClock.now
    writer.add([
      .init(.called(command: nil, word: "write"), at: now),
      .init(.ended(command: nil, .failed(failure)), at: now),
    ])
  }

  /// The transaction number of the write in progress; `nil` if it has none yet.
  var number: Int64? {
    guard numberedAt.load(ordering: .relaxed) > 0 else { return nil }
    return StressNumberFile.read(role.numberFile)?.number
  }

  /// Traces the outcome of the write in progress.
  func endWrite(_ kind: EventKind?, _ outcome: Outcome) {
    let now = MonotonicClock.now
    let numbered = numberedAt.load(ordering: .relaxed)
    let start = numbered == 0 ? now : min(numbered, now)
    var entries: [StressTrace.Entry] = []
    if let kind { entries.append(.init(kind, start...now)) }
    writer.add(entries + [.init(.ended(command: nil, outcome), start...now)])
  }
}

extension HistoryToken {
  /// The name in a trace of the transaction at this position; `nil` before the first transaction.
  var transactionName: TransactionName? { number == 0 ? nil : String(number) }
}
