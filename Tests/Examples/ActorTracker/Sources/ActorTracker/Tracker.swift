/// A tracker of one member: it merges the transactions of the others, and records how far it got.
///
/// Recording is slow, so that a pass does not wait for it: a task does it, one after another.
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

  /// Creates a tracker; one that stops in time waits in `stop()` until all is recorded.
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

  /// Becomes a member, and goes on where the member has stopped.
  package func start() async {
    await store.join(member)
    merged = await store.cursor(of: member)
  }

  /// Merges what is new, and returns it.
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
