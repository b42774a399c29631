import Faults
import HistoryStore
import HistoryTypes
import SQLiteStorage

/// Makes each call of a public operation fail in turn, until the operation succeeds.
struct OperationSweep {
  /// The injected kinds of failure.
  enum Fault: String, CaseIterable, Sendable {
    case ioError
    case full
    case busy
    /// A read of the log ends early.
    case shortRead
    /// An allocation by SQLite fails.
    case memory

    /// The causes that the caller may receive.
    fileprivate var causes: [SQLiteError.Cause] {
      switch self {
      case .ioError, .shortRead: [.io, .cannotOpen]
      case .full: [.full]
      case .busy: [.busy]
      case .memory: [.noMemory]
      }
    }
  }

  let world: OperationWorld
  let fault: Fault
  /// One of how many calls is made to fail.
  let stride: Int

  /// The result of an operation without failures.
  private struct Calm {
    let before: OperationWorld.Holding
    let answer: String
    let after: OperationWorld.Holding
  }

  /// A description of an incorrect attempt.
  struct Complaint: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs an operation with every failure, transient or persistent, and returns their number.
  ///
  /// - Throws: ``Complaint`` at the first incorrect attempt.
  func failureCount(of operation: PublicOperation) throws -> Int {
    let calm = try calm(operation)
    var count = 0
    for from in [false, true] {
      // The first call depends on the name, so that operations do not all test the same calls.
      let first = stride == 1 ? 1 : 1 + (operation.name.utf8.count + (from ? 1 : 0)) % stride
      for k in Swift.stride(from: first, through: 4_000, by: stride) {
        guard try fails(operation, k, from, calm) else { break }
        count += 1
      }
    }
    return count
  }

  private func calm(_ operation: PublicOperation) throws -> Calm {
    try world.putBack()
    let request = try ready(operation)
    let before = try world.holding()
    let answer = try world.run(request)
    return Calm(before: before, answer: answer, after: try world.holding())
  }

  private func ready(_ operation: PublicOperation) throws -> PublicOperation.Request {
    let world = world
    return try world.run { try await operation.prepare(world) }
  }

  /// Runs one attempt, and a second one if the first failed; returns whether the fault fired.
  private func fails(
    _ operation: PublicOperation,
    _ k: Int,
    _ from: Bool,
    _ calm: Calm
  ) throws -> Bool {
    func complain(_ what: String) -> Complaint {
      Complaint(description: "\(operation.name), \(fault) at call \(k), from \(from): \(what)")
    }
    try world.putBack()
    let request = try ready(operation)
    arm(k, from)
    var answer = Result { try world.run(request) }
    let hasFired = disarm()
    let now = try world.holding()
    if case .failure(let error) = answer {
      guard hasFired, isReported(error) else { throw complain("told as \(error)") }
      guard operation.hasSteps || now == calm.before || now == calm.after else {
        throw complain("half of it took effect: \(now)")
      }
      answer = Result { try world.run(request) }
    } else if now != calm.after {
      throw complain("it succeeded, and left \(now)")
    }
    guard case .success(let text) = answer else { throw complain("the next try: \(answer)") }
    guard text == calm.answer else { throw complain("\(text), not \(calm.answer)") }
    guard try world.holding() == calm.after else {
      throw complain("left \(try world.holding()), not \(calm.after)")
    }
    if let damage = try world.damage() { throw complain(damage) }
    return hasFired
  }

  private func arm(_ k: Int, _ from: Bool) {
    switch fault {
    case .ioError: world.files.arm([FileFault(.ioError, k: k, from: from)])
    case .full: world.files.arm([FileFault(.full, k: k, from: from)])
    case .busy: world.files.arm([FileFault(.busy, k: k, from: from)])
    case .shortRead: world.files.arm([FileFault(.shortRead, file: .wal, k: k, from: from)])
    case .memory: FailingAllocator.arm(k: k, from: from)
    }
  }

  private func disarm() -> Bool {
    if fault == .memory { return FailingAllocator.disarm() > 0 }
    return world.files.disarm().contains { $0.failedCalls > 0 }
  }

  private func isReported(_ error: any Error) -> Bool {
    guard case .sqlite(let cause) = HistoryError(error).reason else { return false }
    return fault.causes.contains(cause.cause)
  }
}
