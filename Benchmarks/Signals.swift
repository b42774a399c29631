import Foundation
import HistoryStore
import HistoryTypes
import Measuring

/// The latency from a commit until another process can read it, and the cost for the writer.
enum Signals {
  static let all = [
    BenchmarkSubject(
      "signal latency",
      part: "Store.watch",
      operation: "of another process's commits",
      "Another process commits once a millisecond; a sample is the time from its commit until this "
        + "process, woken by the signal, has read the new head; the floor (SQLite in C, cost 1) is "
        + "not measured, because SQLite does not notify other processes."
    ) { setting in
      guard let command = HelperProcess.command else {
        return SignalPath.allCases.flatMap { [missing($0.rawValue), missing($0.writer)] }
      }
      return try SignalPath.allCases.flatMap { try measure($0, setting, command) }
    },
    BenchmarkSubject(
      "signal cost",
      part: "Store.batchInsert",
      operation: "of one row with a signal",
      "A batch request of one row commits and signals other processes, without a watcher and with "
        + "another store of this process watching; the floor (cost 1) is a commit without a signal.",
      floor: withoutSignal,
      at: .three
    ) { setting in
      let times = setting.repeats(500)
      return [
        try commits(setting, MeasuredWork.store, times),
        try commits(setting, "Store, watched", times, isWatched: true),
        try commits(setting, withoutSignal, times, signals: false),
      ]
    },
  ]

  private static let withoutSignal = "Store without signal"

  // MARK: Latency

  private static func missing(_ contender: String) -> SampledRow {
    SampledRow(
      contender: contender,
      metric: .wall,
      outcome: .notMeasured(
        "the benchmark starts history-lab again; run it with the command history-lab"
      )
    )
  }

  private static func measure(
    _ path: SignalPath,
    _ setting: BenchmarkSetting,
    _ command: String
  ) throws -> [SampledRow] {
    let file = try setting.copy()
    let store = try Store(path: file, configuration: StoreTemplate.configuration)
    let arrivals = Arrivals()
    let listening = try path.listen(to: store, arrivals)
    defer { listening() }
    let commits = try CommitPeer.commits(
      command,
      path: file,
      commits: setting.repeats(1000),
      pauseUs: 1000
    )
    arrivals.wait(for: commits.last?.number ?? 0)
    let latencies = arrivals.latencies(of: commits)
    return [
      SampledRow(contender: path.rawValue, metric: .wall, outcome: .samples(latencies)),
      SampledRow(
        contender: path.rawValue,
        metric: .missed,
        outcome: .samples([Double(commits.count - latencies.count)])
      ),
      SampledRow(
        contender: path.writer,
        metric: .wall,
        outcome: .samples(commits.map { Double($0.signalNs) })
      ),
    ]
  }

  // MARK: Cost

  private static func commits(
    _ setting: BenchmarkSetting,
    _ name: String,
    _ times: Int,
    isWatched: Bool = false,
    signals: Bool = true
  ) throws -> MeasuredWork {
    let path = try setting.copy()
    var configuration = StoreTemplate.configuration
    configuration.signalsChanges = signals
    let store = try Store(path: path, configuration: configuration)
    let side = try SideConnection(path: path)
    let watch =
      isWatched
      ? try Store(path: path, configuration: configuration).watch { _ in } : nil
    let varies = isWatched ? "another thread reads the new transactions meanwhile" : nil
    return MeasuredWork(contender: name, operations: times, varies: varies) { timer in
      try side.checkpoint()
      try timer.time {
        for _ in 0..<times { try store.insertSlip() }
      }
      let tally = try side.tally(of: SampleData.slip)
      _ = try store.batchDelete(SampleData.slip, by: BatchAuthor(nil))
      withExtendedLifetime(watch) {}
      return tally
    }
  }
}

extension Store {
  /// Inserts one row of the entity `Slip` with a batch request, as the author `app`.
  func insertSlip() throws {
    let item = SampleItem(1)
    var isDone = false
    _ = try batchInsert(into: SampleData.slip, by: BatchAuthor("app")) { row in
      guard !isDone else { return false }
      row.set(item)
      isDone = true
      return true
    }
  }
}

/// The ways in which a process is notified of commits.
enum SignalPath: String, CaseIterable {
  case thread = "watching thread"
  case sequence = "AsyncSequence"

  /// The name under which results list the time that the writing process spends on each signal.
  var writer: String { "\(rawValue), the writer" }

  /// Listens for commits from now on, and records the time of each notification in `arrivals`.
  ///
  /// - Returns: a closure that stops the recording.
  fileprivate func listen(to store: Store, _ arrivals: Arrivals) throws -> () -> Void {
    switch self {
    case .thread:
      let watch = try store.watch { arrivals.note($0.number) }
      return { watch.cancel() }
    case .sequence:
      let changes = try store.changes
      let task = Task.detached { for await token in changes { arrivals.note(token.number) } }
      return { task.cancel() }
    }
  }
}

/// The transaction numbers of which this process was notified, with the times of the notifications.
private final class Arrivals: @unchecked Sendable {
  private let condition = NSCondition()
  private var arrivals: [(number: Int64, ns: UInt64)] = []

  func note(_ number: Int64) {
    let now = NanosecondClock.wall.now()
    condition.lock()
    arrivals.append((number, now))
    condition.broadcast()
    condition.unlock()
  }

  /// Waits until a notification of this transaction number or a later one arrives, for at most five
  /// seconds.
  func wait(for number: Int64) {
    let deadline = Date(timeIntervalSinceNow: 5)
    condition.lock()
    defer { condition.unlock() }
    while (arrivals.last?.number ?? 0) < number {
      guard condition.wait(until: deadline) else { return }
    }
  }

  /// Returns the time from each commit to the first notification of it or of a later one, in ns.
  ///
  /// Commits without such a notification are left out.
  func latencies(of commits: [CommitPeer.Commit]) -> [Double] {
    condition.lock()
    defer { condition.unlock() }
    return commits.compactMap { commit in
      arrivals.first { $0.number >= commit.number }
        .map { max(0, Double($0.ns) - Double(commit.doneNs)) }
    }
  }
}
