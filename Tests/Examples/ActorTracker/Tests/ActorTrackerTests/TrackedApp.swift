import ActorTracker
import HistoryTesting

/// The members of a plan, each with a tracker and objects in memory, on one store.
actor TrackedApp: HistorySystem, PurgingSystem {
  private let executor: SeededExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let store: SharedStore<[ObjectName]>
  private let stopsInTime: Bool
  private var rows: Objects = [:]
  private var views: [ActorID: Objects] = [:]
  private var trackers: [ActorID: Tracker<[ObjectName]>] = [:]

  init(_ environment: HistoryEnvironment) { self.init(environment, stopsInTime: true) }

  init(_ environment: HistoryEnvironment, stopsInTime: Bool) {
    executor = environment.executor
    self.stopsInTime = stopsInTime
    store = SharedStore(on: environment.executor)
  }

  func launch(_ member: ActorID) async {
    let tracker = Tracker(member.name, of: store, on: executor, stopsInTime: stopsInTime)
    await tracker.start()
    trackers[member] = tracker
    views[member] = rows
  }

  func stop(_ member: ActorID) async {
    await trackers[member]?.stop()
    trackers[member] = nil
    views[member] = nil
  }

  func save(_ changes: [PlannedChange], by member: ActorID, author: String?) async -> String? {
    let net = changes.apply(to: &rows)
    guard !net.isEmpty else { return nil }
    for change in net { views[member]?[change.object] = rows[change.object] }
    return String(await store.commit(net.map(\.object), by: member.name))
  }

  func pass(_ member: ActorID) async -> PassOutcome {
    let news = await trackers[member]?.pass() ?? []
    for object in news.flatMap(\.content) { views[member]?[object] = rows[object] }
    return PassOutcome(merged: news.map { String($0.number) })
  }

  func purge(by member: ActorID) async -> [String] { await store.purge().map { String($0) } }

  func cursor(of member: ActorID) async -> String? {
    let cursor = await store.cursor(of: member.name)
    return cursor > 0 ? String(cursor) : nil
  }

  func view(of member: ActorID) -> Objects { views[member] ?? [:] }

  func data() -> Objects { rows }
}
