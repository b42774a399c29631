/// A tracker of one member: it merges the others' transactions and records its progress.
///
/// Recording is slow, so a pass does not wait for it: tasks record one after another.
package actor Tracker<Content: Sendable> {
  private let executor: any SerialExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private let member: String
  private let store: SharedStore<Content>
  private let stopsInTime: Bool
  private var merged = 0
  private var recording: Task<Void, Never>?

  /// Creates a tracker; if it stops in time, `stop()` waits until everything is recorded.
  package init(
    _ member: String,
    of store: SharedStore<Content>,
    on executor: any SerialExecutor,
    stopsInTime: Bool
  ) {
    self.executor = executor
    self.member = member
    self.store = store
    self.stopsInTime = stopsInTime
  }

  /// Becomes a member, and continues where the member stopped.
  package func start() async {
    await store.join(member)
    merged = await store.cursor(of: member)
  }

  /// Merges new transactions, and returns them.
  package func pass() async -> [SharedStore<Content>.Transaction] {
    let head = await store.head
    let news = await store.history.filter { $0.number > merged && $0.writer != member }
    merged = head
    let earlier = recording
    recording = Task {
      await earlier?.value
      await self.store.record(self.member, through: head)
    }
    return news
  }

  /// Stops tracking.
  package func stop() async {
    if stopsInTime { await recording?.value }
    recording = nil
  }
}
