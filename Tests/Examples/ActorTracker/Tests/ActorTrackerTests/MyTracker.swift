import HistoryTesting

/// A template: replace the in-memory parts by your own store, contexts and tracker.
actor MyTracker: HistorySystem, PurgingSystem, CrashingSystem, ClockedSystem {
  private let executor: SeededExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var rows: Objects = [:]
  private var history: [(number: Int, writer: ActorID, objects: [ObjectName])] = []
  private var head = 0
  private var cursors: [ActorID: Int] = [:]
  private var views: [ActorID: Objects] = [:]

  init(_ environment: HistoryEnvironment) { executor = environment.executor }
  func launch(_ member: ActorID) {
    cursors[member] = cursors[member] ?? head
    views[member] = rows
  }
  func stop(_ member: ActorID) { views[member] = nil }
  func crash(_ member: ActorID) { views[member] = nil }
  func save(_ changes: [PlannedChange], by member: ActorID, author: String?) -> String? {
    let net = changes.apply(to: &rows)
    guard !net.isEmpty else { return nil }
    head += 1
    history.append((head, member, net.map(\.object)))
    for change in net { views[member]?[change.object] = rows[change.object] }
    return String(head)
  }
  func pass(_ member: ActorID) -> PassOutcome {
    let news = history.filter { $0.number > cursors[member] ?? 0 && $0.writer != member }
    for object in news.flatMap(\.objects) { views[member]?[object] = rows[object] }
    cursors[member] = head
    return PassOutcome(merged: news.map { String($0.number) })
  }
  func purge(by member: ActorID) -> [String] {
    let bound = cursors.values.min() ?? 0
    defer { history.removeAll { $0.number <= bound } }
    return history.map(\.number).filter { $0 <= bound }.map { String($0) }
  }
  func cursor(of id: ActorID) -> String? { cursors[id].flatMap { $0 > 0 ? String($0) : nil } }
  func view(of member: ActorID) -> Objects { views[member] ?? [:] }
  func data() -> Objects { rows }
}
