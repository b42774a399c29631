import HistoryTypes
import TestSupport
import Traces

/// A tracker in a few arrays, driven at random.
///
/// It keeps every rule except the one to break. It shares no code with the checkers, so that a bug
/// cannot hide in both.
struct ToySystem {
  /// A rule that can be broken.
  enum Bug: String, CaseIterable, Sendable {
    case purgesByGreatestCursor, purgesBeforeRecord, forgetsJoiner
    case skipsOwnBatches, skipsAfterRelaunch, mergesBackwards
    case recordsHead, cursorFalls, keepsDeleted, staleUpdates, saysNothingChanged, losesWrite
    case notifiesObserversTwice, skipsObservers, purgesProtected, dropsColumn, inventsColumn
    case losesHistory, wrongTombstone, dropsTombstone, keepsHistory

    /// The checker of the rule.
    var checker: String {
      switch self {
      case .purgesByGreatestCursor, .purgesBeforeRecord, .forgetsJoiner: "PurgeSafety"
      case .skipsOwnBatches, .skipsAfterRelaunch: "NoLostTransaction"
      case .mergesBackwards: "MergeOrder"
      case .recordsHead, .cursorFalls: "CursorProgress"
      case .notifiesObserversTwice, .skipsObservers: "ObserverDelivery"
      case .purgesProtected: "ProtectedAuthors"
      case .dropsColumn, .inventsColumn, .losesHistory: "HistoryExplainsData"
      case .wrongTombstone, .dropsTombstone: "TombstoneFidelity"
      case .keepsHistory: "Reclaim"
      case .keepsDeleted, .staleUpdates, .saysNothingChanged, .losesWrite: "Convergence"
      }
    }
  }

  private struct Peer {
    let id: ActorID
    var isMember = false
    var isRunning = false
    var cursor = -1
    var merged = -1
    var scanned = -1
    var fetched: [Int] = []
    var isReported = false
    var view: Objects = [:]
    var staged: PlannedWrite?
  }

  private struct Saved {
    let writer: ActorID
    let reported: CommittedTransaction
    var isPurged = false
    var context: String? { reported.context }
  }

  private let bug: Bug?
  private var random: SeededRandom
  private var peers: [Peer]
  private var data: Objects = [:]
  private var history: [Saved] = []
  private var commands: [Command] = []
  private var events: [Event] = []

  /// Runs a random plan, and returns its trace.
  static func trace(seed: UInt64, stepCount: Int, bug: Bug? = nil) throws -> Trace {
    let ids: [ActorID] = ["app", "widget", "share", "cloud"]
    var header = PlanHeader(
      model: try Model([Story.item]),
      actors: ids.dropLast().map { PlannedActor($0, author: $0.name) }
    )
    header.seed = seed
    header.protectedAuthors = ["clo*"]
    var system = ToySystem(
      bug: bug,
      random: SeededRandom(seed: seed),
      peers: ids.map { Peer(id: $0) }
    )
    for index in 0..<2 { system.launch(index) }
    for _ in 0..<stepCount { system.step() }
    system.close()
    return Trace(
      header: TraceHeader(plan: Plan(header: header, commands: system.commands), system: "toy"),
      events: system.events
    )
  }

  private init(bug: Bug?, random: SeededRandom, peers: [Peer]) {
    self.bug = bug
    self.random = random
    self.peers = peers
  }

  private mutating func tell(_ index: Int?, _ kind: EventKind) {
    events.append(
      Event(at: events.count, tick: commands.count, actor: index.map { peers[$0].id }, kind)
    )
  }

  private mutating func run(_ index: Int, _ action: Action, _ body: (inout ToySystem) -> Void) {
    let command = commands.count
    commands.append(Command(action))
    tell(index, .called(command: command, word: action.word))
    body(&self)
    tell(index, .ended(command: command, .ok))
  }

  private mutating func step() {
    if random.below(16) == 0 { return write(peers.count - 1) }
    if random.below(25) == 0 { return tidy() }
    let index = random.below(peers.count - 1)
    let id = peers[index].id
    guard peers[index].isRunning else {
      return run(index, .launch(id)) { $0.launch(index) }
    }
    switch random.below(20) {
    case 0..<6: write(index)
    case 6: batch(index)
    case 7: begin(index)
    case 8: commit(index)
    case 9, 10: run(index, .fetch(id)) { $0.fetch(index) }
    case 11, 12: run(index, .merge(id)) { $0.merge(index) }
    case 13: run(index, .record(id)) { $0.record(index) }
    case 14, 15: run(index, .pass(id)) { $0.pass(index) }
    case 16, 17: run(index, .purge(id)) { $0.purge(index) }
    case 18: run(index, .crash(id)) { $0.leave(index, .crashed) }
    default:
      if random.below(4) == 0 {
        run(index, .retire(id)) { $0.leave(index, .retired) }
      } else {
        run(index, .stop(id)) { $0.leave(index, .stopped) }
      }
    }
  }

  /// Lets every member pass, then purges once.
  private mutating func tidy() {
    for index in peers.indices where peers[index].isMember {
      if !peers[index].isRunning { run(index, .launch(peers[index].id)) { $0.launch(index) } }
      run(index, .pass(peers[index].id)) { $0.pass(index) }
    }
    guard let index = peers.firstIndex(where: \.isRunning) else { return }
    run(index, .purge(peers[index].id)) { $0.purge(index) }
  }

  // MARK: Membership

  private mutating func launch(_ index: Int) {
    peers[index].isRunning = true
    peers[index].view = data
    if !peers[index].isMember || bug == .skipsAfterRelaunch {
      peers[index].cursor = history.count - 1
    }
    let cursor = name(peers[index].cursor)
    tell(index, peers[index].isMember ? .launched(cursor: cursor) : .registered(cursor: cursor))
    peers[index].isMember = true
    peers[index].merged = peers[index].cursor
    peers[index].scanned = peers[index].cursor
  }

  private mutating func leave(_ index: Int, _ kind: EventKind) {
    tell(index, kind)
    peers[index].isRunning = false
    peers[index].fetched = []
    peers[index].staged = nil
    if kind == .retired { peers[index].isMember = false }
  }

  private func name(_ position: Int) -> TransactionName? {
    position < 0 ? nil : String(position + 1)
  }

  // MARK: Writes

  private mutating func randomWrite(_ index: Int) -> PlannedWrite {
    let changes = (0..<1 + random.below(3)).map { _ in
      let object = ObjectName("Item", Int64(random.below(6)))
      let values: Values = [
        "count": .int(Int64(random.below(5))), "title": .string("t\(random.below(3))"),
      ]
      return switch random.below(4) {
      case 0, 1: PlannedChange(.insert, object, values)
      case 2: PlannedChange(.update, object, values)
      default: PlannedChange(.delete, object)
      }
    }
    let isMember = index < peers.count - 1
    let context = isMember ? ["view", "view", "background", "batch"][random.below(4)] : "import"
    return PlannedWrite(actor: peers[index].id, context: context, changes: changes)
  }

  private mutating func write(_ index: Int) {
    let write = randomWrite(index)
    run(index, .write(write)) { $0.save(index, write) }
  }

  private mutating func begin(_ index: Int) {
    let write = randomWrite(index)
    run(index, .begin(write)) { $0.peers[index].staged = write }
  }

  private mutating func commit(_ index: Int) {
    guard let write = peers[index].staged else { return }
    peers[index].staged = nil
    run(index, .commit(peers[index].id)) { $0.save(index, write) }
  }

  private mutating func save(_ index: Int, _ write: PlannedWrite) {
    var after = data
    for change in write.changes {
      let isThere = after[change.object] != nil
      switch change.type {
      case .insert where !isThere: after[change.object] = change.values
      case .update where isThere: after[change.object]?.merge(change.values) { $1 }
      case .delete: after[change.object] = nil
      default: break
      }
    }
    finish(index, after, write.context, touched: Set(write.changes.map(\.object)))
  }

  private mutating func batch(_ index: Int) {
    let limit = Int64(random.below(5))
    let isDelete = random.below(2) == 0
    let batch = PlannedBatch(
      actor: peers[index].id,
      type: isDelete ? .delete : .update,
      entity: "Item",
      conditions: [PlannedCondition("count", .less, .int(limit))],
      values: isDelete ? [:] : ["title": "b"]
    )
    var after = data
    for (object, values) in data {
      guard case .int(let count) = values["count"], count < limit else { continue }
      if isDelete { after[object] = nil } else { after[object]?["title"] = "b" }
    }
    run(index, .batch(batch)) { $0.finish(index, after, "batch", touched: Set($0.data.keys)) }
  }

  /// Replaces the store's data, and records the difference as one transaction.
  private mutating func finish(
    _ index: Int,
    _ after: Objects,
    _ context: String,
    touched: Set<ObjectName>
  ) {
    let changes = touched.sorted().compactMap { object -> CommittedChange? in
      let (old, new) = (data[object], after[object])
      guard old != new else { return nil }
      return change(object, old, new)
    }
    guard !changes.isEmpty, bug != .saysNothingChanged else { return tell(index, .wroteNothing) }
    if bug != .losesWrite || history.count % 5 != 4 { data = after }
    let reported = CommittedTransaction(
      name: String(history.count + 1),
      author: peers[index].id.name,
      context: context,
      writer: nil,
      timestamp: 0,
      changes: changes
    )
    history.append(Saved(writer: peers[index].id, reported: reported))
    if context == "view" { show(changes, to: index) }
    tell(index, .committed(reported))
  }

  private func change(_ object: ObjectName, _ old: Values?, _ new: Values?) -> CommittedChange {
    guard let old else { return CommittedChange(.insert, object) }
    guard let new else {
      let title = bug == .wrongTombstone ? "gone" : old["title"] ?? .null
      return CommittedChange(
        .delete,
        object,
        tombstone: bug == .dropsTombstone && object.key < 3 ? nil : ["title": title]
      )
    }
    var columns = new.keys.filter { new[$0] != old[$0] }
    if bug == .dropsColumn && columns.count > 1 { columns.removeLast() }
    if bug == .inventsColumn { columns = ["title", "count"] }
    return CommittedChange(.update, object, columns: columns)
  }

  private mutating func show(_ changes: [CommittedChange], to index: Int) {
    for change in changes {
      let values = data[change.object]
      if values == nil && bug == .keepsDeleted { continue }
      if peers[index].view[change.object] != nil && values != nil && bug == .staleUpdates {
        continue
      }
      peers[index].view[change.object] = values
    }
  }

  // MARK: Passes

  private mutating func fetch(_ index: Int) {
    let peer = peers[index]
    peers[index].fetched = history.indices.filter { position in
      let saved = history[position]
      let isOwn = saved.writer == peer.id && (saved.context == "view" || bug == .skipsOwnBatches)
      return position > peer.cursor && !saved.isPurged && !isOwn
    }
    peers[index].scanned = history.count - 1
    peers[index].isReported = false
    if bug == .mergesBackwards { peers[index].fetched.reverse() }
    tell(index, .fetched(peers[index].fetched.map { String($0 + 1) }))
  }

  private mutating func merge(_ index: Int) {
    let fetched = peers[index].fetched
    let observed = fetched.filter { bug != .skipsObservers || $0 % 3 != 1 }
    for _ in 0..<(bug == .notifiesObserversTwice ? 2 : 1) where !peers[index].isReported {
      tell(index, .observed(observed.map { String($0 + 1) }))
    }
    peers[index].isReported = true
    for position in fetched { show(history[position].reported.changes, to: index) }
    peers[index].merged = max(peers[index].merged, peers[index].scanned)
    tell(index, .merged(fetched.map { String($0 + 1) }))
  }

  private mutating func record(_ index: Int) {
    var cursor = bug == .recordsHead ? history.count - 1 : peers[index].merged
    if bug == .cursorFalls && cursor > 2 && random.below(4) == 0 { cursor -= 2 }
    guard cursor >= 0 else { return }
    peers[index].cursor = cursor
    tell(index, .recorded(cursor: name(cursor)))
  }

  private mutating func pass(_ index: Int) {
    fetch(index)
    merge(index)
    record(index)
  }

  private mutating func purge(_ index: Int) {
    let known = bug == .forgetsJoiner ? peers.prefix(2) : peers[...]
    let cursors = known.filter(\.isMember).map {
      bug == .purgesBeforeRecord ? $0.merged : $0.cursor
    }
    let watermark = bug == .purgesByGreatestCursor ? cursors.max() : cursors.min()
    let last = (watermark ?? -1) - (bug == .keepsHistory ? 2 : 0)
    let gone = history.indices.filter { position in
      let isProtected = history[position].writer == "cloud" && bug != .purgesProtected
      return position <= last && !history[position].isPurged && !isProtected
    }
    for position in gone { history[position].isPurged = true }
    tell(index, .purged(gone.map { String($0 + 1) }))
  }

  private mutating func close() {
    for _ in 0..<2 {
      for index in peers.indices where peers[index].isRunning {
        tell(index, .called(command: nil, word: "pass"))
        pass(index)
        tell(index, .ended(command: nil, .ok))
      }
    }
    for index in peers.indices where peers[index].isRunning {
      tell(index, .viewed(context: "view", peers[index].view))
    }
    tell(nil, .data(data))
    let held = history.filter { !$0.isPurged }.map(\.reported)
    tell(nil, .history(bug == .losesHistory ? Array(held.dropLast()) : held))
  }
}

extension SeededRandom {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
