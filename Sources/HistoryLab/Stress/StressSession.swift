import Foundation
import HistoryStore
import ObjectContexts
import PersistentHistory

/// Starts the processes of a stress run, lets them write, and looks at what they leave.
struct StressSession {
  let options: StressOptions
  /// What is started.
  let command: String
  /// The store's file.
  let path: String
  let terminal: Terminal

  private static let sampleEvery = Duration.milliseconds(50)

  /// - Throws: what keeps a process from being started or the store from being read.
  func run() async throws -> StressResult {
    // A process that is gone is found out when it does not answer, not by a signal.
    signal(SIGPIPE, SIG_IGN)
    let store = try StressModel.open(path)
    var result = StressResult(seed: "0x" + String(options.seed, radix: 16))
    let children = try (1...options.processes).map { index in
      let seed = options.seed &+ UInt64(index)
      return try StressChild(command, store: path, name: "process-\(index)", seed: seed)
    }
    var troubles: [String: String] = [:]
    each(of: children, &troubles) { try $0.expect(.ready) }
    if troubles.isEmpty {
      for child in children { child.tell(.write) }
      try await watch(store, children, &result)
    }
    for child in children { child.tell(.stop) }
    each(of: children, &troubles) { try $0.expect(.stopped) }
    for child in children { child.tell(.settle) }
    var reports: [String: StressReport] = [:]
    each(of: children, &troubles) { reports[$0.name] = try $0.report() }
    result.participants = children.map {
      .init(name: $0.name, report: reports[$0.name], trouble: troubles[$0.name])
    }
    try look(at: store, &result)
    for child in children { child.end() }
    return result
  }

  /// Does something with each process that is well, and notes which is not any more.
  private func each(
    of children: [StressChild],
    _ troubles: inout [String: String],
    _ body: (StressChild) throws -> Void
  ) {
    for child in children where troubles[child.name] == nil {
      do { try body(child) } catch StressChild.Failure.ended(let code) {
        troubles[child.name] = "ended too early with code \(code)"
      } catch StressChild.Failure.silent {
        troubles[child.name] = "did not answer"
      } catch {
        troubles[child.name] = "gave no report that can be read: \(error)"
      }
    }
  }

  /// Looks at history from outside while the processes write.
  private func watch(
    _ store: Store,
    _ children: [StressChild],
    _ result: inout StressResult
  ) async throws {
    let work = WorkState("stress", unit: "transactions", limit: options.duration)
    let bar = ProgressBar(work, on: terminal)
    defer { bar.finish() }
    let clock = ContinuousClock()
    let start = clock.now
    var seen: Int64 = 0
    while clock.now - start < options.duration, !Interruption.isRequested,
      children.allSatisfy(\.isRunning)
    {
      try await clock.sleep(for: Self.sampleEvery)
      let held = try store.heldNumbers().count
      let head = try store.currentToken().number
      result.sampleCount += 1
      result.heldMax = max(result.heldMax, held)
      bar.advance(by: Int(head - seen), note: "history holds \(held.grouped)")
      seen = head
    }
    result.seconds = (clock.now - start) / .seconds(1)
  }

  /// What data and history are when everybody has merged everything.
  private func look(at store: Store, _ result: inout StressResult) throws {
    let fresh = ObjectContext(store: store)
    result.committed = try fresh.loadAll().number
    result.data = StressView(fresh)
    result.heldAtEnd = try store.heldNumbers().count
  }
}
