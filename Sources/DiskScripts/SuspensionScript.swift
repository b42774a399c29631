import Dispatch
import HistoryStore
import HistoryTypes
import ObjectContexts
import Synchronization

/// Scripted checks of two programs that share a file, and suspend and resume their stores at random.
struct SuspensionScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private var programs: [Program] = []
  /// The number of the newest transaction.
  private var head: Int64 = 0

  /// A simulated program: a store with a running member and a watch.
  private struct Program {
    let store: Store
    var registration: Registration
    let watch: ChangeWatch
    let reported: NewestNumber
  }

  /// The maximum number of one-millisecond pauses in which the script waits for another thread.
  private let patience: Int

  init(store: Store, seed: Int, patience: Int) {
    self.store = store
    self.patience = patience
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("suspended")
    for name in ["first", "second"] { programs.append(try open(path, name)) }
    // After an unmet expectation the script ends, because each later wait could last for all its
    // pauses.
    for _ in 0..<20 where faults.lines.isEmpty { try step(folder) }
    if faults.lines.isEmpty { try interrupt() }
    if faults.lines.isEmpty { try launchMeanwhile() }
    if faults.lines.isEmpty { try replace(folder, path) }
    for program in programs { program.watch.cancel() }
    programs.removeAll()
  }

  private func open(_ path: String, _ name: String) throws(HistoryError) -> Program {
    let opened = try Store(path: path, model: store.model, configuration: configuration())
    let reported = NewestNumber()
    return Program(
      store: opened,
      registration: try opened.join(MemberID(name)),
      watch: try opened.watch { reported.note($0.number) },
      reported: reported
    )
  }

  // MARK: Random steps

  private mutating func step(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let program = seed.pick(programs)
    switch seed.draw(5) {
    case 0, 1: try write(program)
    case 2: try suspend(program, folder)
    case 3: try resume(program)
    default: try record(program)
    }
  }

  private mutating func write(_ program: Program) throws(HistoryError) {
    guard !program.store.isSuspended else {
      expect(.suspended, of: "a write to a suspended store") { () throws(HistoryError) in
        try insert(into: program.store)
      }
      return
    }
    head += 1
    let number = try insert(into: program.store)
    expect(number == head, "a write has the number \(number), not \(head)")
  }

  private func record(_ program: Program) throws(HistoryError) {
    guard !program.store.isSuspended else {
      return expect(.suspended, of: "a fetch from a suspended store") { () throws(HistoryError) in
        _ = try program.store.fetch(HistoryRequest(after: nil))
      }
    }
    let page = try program.store.fetch(HistoryRequest(after: nil), by: program.registration)
    let last = page.transactions.last?.number.rawValue ?? 0
    expect(last == head, "history ends with #\(last), not #\(head)")
    try program.store.record(program.registration, through: page.scannedThrough)
  }

  private func suspend(
    _ program: Program,
    _ folder: borrowing ScratchFolder
  ) throws(HistoryError) {
    try program.store.suspend()
    expect(program.store.isSuspended, "a store is not suspended")
    expect(!program.registration.isHeld, "a suspended member counts as running")
    guard programs.allSatisfy(\.store.isSuspended) else { return }
    let count = folder.openCount
    expect(count == 0, "\(count) files are open while all stores are suspended")
  }

  private func resume(_ program: Program) throws(HistoryError) {
    let wasSuspended = program.store.isSuspended
    if wasSuspended { program.reported.forget() }
    try program.store.resume()
    expect(!program.store.isSuspended, "a resumed store is suspended")
    expect(program.registration.isHeld, "a member of a resumed store does not count as running")
    guard wasSuspended else { return }
    expect(
      program.reported.wait(for: head, patience),
      "a watch does not report the newest transaction after a suspension"
    )
  }

  // MARK: Fixed steps

  /// Suspends a store in the middle of a write: the write must be rolled back.
  private mutating func interrupt() throws(HistoryError) {
    for program in programs where faults.lines.isEmpty { try resume(program) }
    guard faults.lines.isEmpty else { return }
    let store = programs[0].store
    let patience = patience
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let outcome = WriteOutcome()
    DispatchQueue(label: "interrupted write").async {
      let deadline = ContinuousClock.now + .milliseconds(patience / 2)
      do throws(HistoryError) {
        try store.batchInsert(into: store.model.entities[0].name, by: BatchAuthor("app")) { _ in
          begun.signal()
          return ContinuousClock.now < deadline
        }
        outcome.set("it succeeded")
      } catch {
        outcome.set(error.code.name)
      }
      ended.signal()
    }
    begun.wait()
    try store.suspend(within: .zero)
    ended.wait()
    expect(
      outcome.text == "suspended",
      "the outcome of a write that a suspension interrupts is: \(outcome.text)"
    )
    try resume(programs[0])
    let number = try store.currentToken().number
    expect(
      number == head,
      "the write after an interrupted one has the number \(number), not \(head)"
    )
    expect(.insideRequest, of: "a suspension inside a write") { () throws(HistoryError) in
      try store.batchInsert(into: store.model.entities[0].name, by: BatchAuthor("app")) { _ in
        try store.suspend()
        return false
      }
    }
    expect(!store.isSuspended, "a store is suspended although its suspension was refused")
  }

  /// Launches a member a second time while its store is suspended.
  private mutating func launchMeanwhile() throws(HistoryError) {
    let (first, second) = (programs[0], programs[1])
    try first.store.suspend()
    let launched = try second.store.join(first.registration.member)
    try first.store.resume()
    expect(launched.isHeld, "a member that was launched again does not count as running")
    expect(!first.registration.isHeld, "a superseded member counts as running")
    expect(.superseded, of: "a record by a superseded member") { () throws(HistoryError) in
      try first.store.record(first.registration, through: try first.store.currentToken())
    }
  }

  /// Replaces the file while all stores are suspended.
  private func replace(_ folder: borrowing ScratchFolder, _ path: String) throws(HistoryError) {
    let other = folder.file("other")
    try insert(into: try Store(path: other, model: store.model, configuration: configuration()))
    for program in programs { try program.store.suspend() }
    try Store.replace(path: path, with: other)
    for program in programs {
      expect(.replaced, of: "to resume a store whose file was replaced") {
        () throws(HistoryError) in
        try program.store.resume()
      }
      expect(program.store.isSuspended, "a store whose file was replaced is no longer suspended")
    }
  }
}

/// The newest transaction number that a watch has reported.
private final class NewestNumber: Sendable {
  private let number = Mutex<Int64?>(nil)

  func note(_ new: Int64) { number.withLock { $0 = new } }

  func forget() { number.withLock { $0 = nil } }

  /// Waits until a watch has reported the transaction number `wanted`.
  ///
  /// Returns `false` after `pauseCount` pauses of one millisecond.
  func wait(for wanted: Int64, _ pauseCount: Int) -> Bool {
    for _ in 0..<pauseCount {
      if number.withLock({ $0 }) == wanted { return true }
      pause(milliseconds: 1)
    }
    return false
  }
}

/// The outcome of a write that another thread makes.
private final class WriteOutcome: Sendable {
  private let outcome = Mutex("")

  var text: String { outcome.withLock { $0 } }

  func set(_ text: String) { outcome.withLock { $0 = text } }
}
