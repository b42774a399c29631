import Foundation
import HistoryStore
import ObjectContexts
import PersistentHistory
import Traces

/// Starts the processes of a stress run, lets them write, does to them what the nemesis wants, and looks
/// at what they leave.
final class StressSession {
  let options: StressOptions
  /// What is started.
  private let command: String
  /// The store's file.
  private let path: String
  /// The folder of the traces.
  private let traces: String
  private let errors: FileHandle
  private let store: Store
  /// What the run itself tells.
  private let trace: StressTrace
  let members: [StressMember]
  private var nemesis: StressNemesis
  private(set) var result: StressResult
  /// Whether nobody is to write.
  private var isQuiet = false
  private let startedAt = MonotonicClock.now

  /// How long a process may take to do what it is told.
  private static let patience = Duration.seconds(60)
  /// How long a process that was told where to die is waited for.
  private static let deathTime = Duration.seconds(1)

  /// - Throws: what keeps the store or the traces from being made.
  init(_ options: StressOptions, command: String, path: String, traces: String) throws {
    self.options = options
    self.command = command
    self.path = path
    self.traces = traces
    store = try StressModel.open(path)
    trace = try StressTrace("\(traces)/run.jsonl", of: nil)
    let file = "\(traces)/errors.txt"
    guard FileManager.default.createFile(atPath: file, contents: nil),
      let errors = FileHandle(forWritingAtPath: file)
    else { throw LabError.lab("\(file) cannot be written.") }
    self.errors = errors
    members =
      StressModel.processes(options.processes).map { StressMember($0) }
      + StressModel.guests(options.guests).map { StressMember($0, isGuest: true) }
    nemesis = StressNemesis(killsPerSecond: options.killsPerSecond, seed: options.seed)
    result = StressResult(options)
  }

  deinit { endAll() }

  /// Ends every process on the spot.
  func endAll() {
    for member in members { member.child?.kill() }
  }

  /// Runs everything but the checkers.
  ///
  /// - Throws: ``Interrupted``, and what keeps a process from being started or the store from being read.
  func run(_ terminal: Terminal) throws {
    // A process that is gone is found out otherwise, not by a signal.
    signal(SIGPIPE, SIG_IGN)
    defer { endAll() }
    for member in members where !member.isGuest { try start(member) }
    try wait("follow the store") { $0.state == .running || $0.trouble != nil }
    if troubles.isEmpty { try disturb(terminal) }
    try close()
  }

  private var troubles: [StressMember] { members.filter { $0.trouble != nil } }

  /// What processes did that nobody expected, each in a sentence.
  var troubleSentences: [String] {
    members.compactMap { member in member.trouble.map { "\(member.id) \($0)" } }
  }

  /// What came of a run that was ended early.
  var interruptedResult: StressResult {
    var result = result
    result.isInterrupted = true
    result.seconds = Double(MonotonicClock.now - startedAt) / 1e9
    return result
  }

  /// The lanes that the processes have written.
  func lanes(_ header: PlanHeader) -> [TraceLane] {
    [TraceLane([TraceLife(path: "\(traces)/run.jsonl")], header)]
      + members.flatMap { [TraceLane($0.trackerLives, header), TraceLane($0.writerLives, header)] }
  }

  var header: PlanHeader { StressModel.header(members.map(\.id), seed: options.seed) }

  /// The moment that the trace begins at.
  var origin: Int64 { startedAt }

  // MARK: Lives

  private func start(_ member: StressMember) throws {
    var role = StressRole(
      name: member.id.name,
      actors: members.map(\.id.name),
      life: member.lifeCount,
      seed: nemesis.seed(),
      store: path,
      traces: traces,
      rate: options.rate
    )
    role.mutant = options.mutant
    role.disk = options.disk
    member.begin(try StressChild(command, role, errors: errors), role)
  }

  /// Takes in what everybody says, and who is gone; starts those again that are due.
  private func attend() throws {
    if Interruption.isRequested { throw Interrupted() }
    let now = ContinuousClock.now
    for member in members {
      guard let child = member.child else {
        guard member.state == .dead, member.trouble == nil, member.restartsAt <= now else {
          continue
        }
        result.counts.restarts += 1
        try start(member)
        continue
      }
      for word in child.words() { hear(word, from: member) }
      if let until = member.stopsUntil, until <= now {
        member.stopsUntil = nil
        child.goOn()
      }
      if let time = member.diesAt, time <= now, child.isRunning {
        member.place = nil
        member.kill()
      }
      if !child.isRunning { try bury(member, child) }
    }
  }

  private func hear(_ word: StressWord, from member: StressMember) {
    switch word {
    case .ready where member.state == .starting:
      member.state = .running
      if !isQuiet { member.child?.tell(StressOrder(.write)) }
    case .done: member.isDone = true
    default: break
    }
  }

  /// Notes how a process ended.
  private func bury(_ member: StressMember, _ child: StressChild) throws {
    for word in child.words() { hear(word, from: member) }
    let moment = MonotonicClock.now
    let ending = child.ending
    switch (member.state, ending.isSignal, ending.code) {
    case (.retiring, false, 0):
      result.counts.retires += 1
      member.end(at: moment, .nothing)
      member.state = .away
    case (.ending, false, 0):
      member.end(at: moment, .nothing)
      member.state = .away
    case (_, true, SIGKILL):
      result.counts.kill(at: member.place)
      let settled = try StressSettler(store: store)
        .settle(member.role ?? StressRole(argument: ""), after: member.lastNumber)
      member.lastNumber = settled.last
      member.end(at: moment, settled.settlement)
      trace.add([.init(.crashed, at: moment)], about: member.id)
      member.state = .dead
      member.restartsAt = .now + nemesis.deathTime()
    default:
      member.trouble =
        "ended by itself with \(ending.isSignal ? "signal" : "code") \(ending.code)"
      member.end(at: moment, .open)
      member.state = .dead
    }
  }

  /// Attends to everybody until something holds for each who has a life or is due one.
  private func wait(
    _ purpose: String,
    _ isDone: (StressMember) -> Bool
  ) throws {
    let end = ContinuousClock.now + Self.patience
    while true {
      try attend()
      let waiting = members.filter { $0.state != .away && $0.trouble == nil && !isDone($0) }
      guard let first = waiting.first else { return }
      if ContinuousClock.now > end {
        for member in waiting { member.trouble = "did not \(purpose)" }
        first.child?.kill()
        return
      }
      usleep(2_000)
    }
  }

  /// Tells everybody who runs something, and waits until all have done it.
  private func ask(_ word: StressWord, _ purpose: String) throws {
    let asked = members.filter { $0.state == .running && $0.trouble == nil }
    for member in asked {
      member.isDone = false
      member.child?.tell(StressOrder(word))
    }
    try wait(purpose) { member in
      member.isDone || !asked.contains { $0 === member }
    }
  }

  // MARK: Disturbance

  private static let sampleEvery = Duration.milliseconds(50)

  /// Lets the processes write, and disturbs them.
  private func disturb(_ terminal: Terminal) throws {
    let work = WorkState("stress", unit: "transactions", limit: options.duration)
    let bar = ProgressBar(work, on: terminal)
    defer { bar.finish() }
    let clock = ContinuousClock()
    let start = clock.now
    let pauseBetweenWakeUps = min(.seconds(8), options.duration / 3)
    var (sampleAt, wakeUpAt) = (start, start + pauseBetweenWakeUps)
    var seen: Int64 = 0
    while clock.now - start < options.duration, troubles.isEmpty {
      try attend()
      let now = clock.now
      for deed in nemesis.deeds(at: now) { try act(deed, at: now) }
      if sampleAt <= now {
        sampleAt = now + Self.sampleEvery
        seen = try sample(bar, after: seen)
      }
      if wakeUpAt <= now, options.processes > 1 {
        try wakeUp()
        wakeUpAt = clock.now + pauseBetweenWakeUps
      }
      usleep(2_000)
    }
    result.seconds = (clock.now - start) / .seconds(1)
  }

  /// Looks at history from outside while the processes write.
  private func sample(_ bar: ProgressBar, after seen: Int64) throws -> Int64 {
    let register = try store.register()
    let head = try store.currentToken().number
    let purged = register.marks.filter { $0.author != nil }.map(\.purged).max() ?? 0
    let held = Int(max(0, head - purged))
    let slowest = register.members.filter { $0.state == 0 }.map(\.cursor).min() ?? head
    result.sampleCount += 1
    result.heldMax = max(result.heldMax, held)
    result.lagMax = max(result.lagMax, Int(max(0, head - slowest)))
    let counts = result.counts
    bar.advance(
      by: Int(max(0, head - seen)),
      note: "lag \(Int(max(0, head - slowest)).grouped)  history \(held.grouped)  "
        + "kills \(counts.kills.grouped)"
    )
    return head
  }

  private func act(_ deed: StressNemesis.Deed, at now: ContinuousClock.Instant) throws {
    switch deed {
    case .kill(let place, let visit):
      let living = members.filter { member in
        guard member.place == nil, member.diesAt == nil else { return false }
        return member.state == .running || (place == nil && member.state == .starting)
      }
      guard let victim = nemesis.choose(living) else { return }
      guard let place else { return victim.kill() }
      victim.place = place
      victim.diesAt = now + Self.deathTime
      victim.child?.tell(StressOrder(dyingAt: place, visit: visit))
    case .stop(let duration):
      let living = members.filter { $0.state == .running && $0.stopsUntil == nil }
      guard let victim = nemesis.choose(living) else { return }
      victim.stopsUntil = now + duration
      victim.child?.stop()
      result.counts.stops += 1
    case .moveGuest: try moveGuest(at: now)
    }
  }

  /// Lets a guest join that is away, or one retire that has been here for a while.
  private func moveGuest(at now: ContinuousClock.Instant) throws {
    let movable = members.filter { member in
      guard member.isGuest, member.diesAt == nil, member.stopsUntil == nil else { return false }
      return member.state == .away
        || (member.state == .running && now - member.startedAt > .milliseconds(500))
    }
    guard let guest = nemesis.choose(movable) else { return }
    if guest.state == .away {
      try join(guest)
    } else {
      guest.state = .retiring
      guest.child?.tell(StressOrder(.retire))
    }
  }

  private func join(_ guest: StressMember) throws {
    result.counts.joins += 1
    try start(guest)
  }

  /// Lets everybody live and go on: who was told to die does it now.
  private func calm() throws {
    for member in members {
      if member.stopsUntil != nil { member.stopsUntil = .now }
      if member.diesAt != nil { member.diesAt = .now }
    }
    try wait("come back") { $0.state == .running && $0.diesAt == nil }
  }

  // MARK: Wake-ups

  /// How long everybody has to pass after a commit; the store is looked at without a signal far later.
  private static let wakeUpLimit = Duration.seconds(10)
  private static let wakeUpCount = 3

  /// Lets nobody write, then one process once, and waits until all others have made a pass.
  private func wakeUp() throws {
    try calm()
    isQuiet = true
    try ask(.pause, "pause")
    for _ in 0..<Self.wakeUpCount where troubles.isEmpty {
      let living = members.filter { $0.state == .running }
      guard let writer = nemesis.choose(living) else { break }
      writer.isDone = false
      writer.child?.tell(StressOrder(.once))
      try wait("write") { $0 !== writer || $0.isDone }
      try waitForPasses(of: living.filter { $0 !== writer }, after: writer)
    }
    isQuiet = false
    for member in members where member.state == .running {
      member.child?.tell(StressOrder(.write))
    }
  }

  private func waitForPasses(of others: [StressMember], after writer: StressMember) throws {
    let clock = ContinuousClock()
    let start = clock.now
    let head = try store.currentToken().number
    result.counts.wakeUps += 1
    while true {
      try attend()
      let cursors = try store.register().members.reduce(into: [:]) { $0[$1.id] = $1.cursor }
      let late = others.filter { $0.state == .running && (cursors[$0.id] ?? 0) < head }
      let elapsed = clock.now - start
      if late.isEmpty {
        let ms = Int(elapsed / .milliseconds(1))
        result.counts.wakeUpMsMax = max(result.counts.wakeUpMsMax, ms)
        return
      }
      if elapsed > Self.wakeUpLimit {
        let names = late.map(\.id.name).joinedWithAnd
        result.sleepers.append(
          "\(writer.id) wrote #\(head); \(names) ran and made no pass after it"
        )
        return
      }
      usleep(1_000)
    }
  }

  // MARK: The end

  /// Lets everybody live, catch up and tell what it holds.
  private func close() throws {
    try calm()
    // One joins after the last death: nothing heals what it has missed.
    if options.killsPerSecond > 0, let guest = members.first(where: { $0.state == .away }) {
      try join(guest)
      try calm()
      let end = ContinuousClock.now + .milliseconds(500)
      while ContinuousClock.now < end {
        try attend()
        usleep(2_000)
      }
    }
    isQuiet = true
    try ask(.pause, "pause")
    for _ in 0..<2 { try ask(.settle, "merge what there was") }
    try ask(.view, "tell what its view holds")
    try look()
    for member in members where member.state == .running {
      member.state = .ending
      member.child?.tell(StressOrder(.end))
    }
    try wait("end") { _ in false }
  }

  /// What data and history are when everybody has merged everything.
  private func look() throws {
    result.committed = try store.currentToken().number
    result.heldAtEnd = try store.heldNumbers().count
    result.integrityProblem = try store.integrityProblem()
    let data = try store.objects()
    let held = try store.fetch(HistoryRequest(after: nil)).transactions.map {
      CommittedTransaction(store.model, $0)
    }
    result.objectCount = data.count
    let now = MonotonicClock.now
    trace.add([
      .init(.called(command: nil, word: "data"), at: now), .init(.data(data), at: now),
      .init(.ended(command: nil, .ok), at: now),
      .init(.called(command: nil, word: "history"), at: now), .init(.history(held), at: now),
      .init(.ended(command: nil, .ok), at: now),
    ])
  }
}

extension Store {
  /// What the data hold; objects have the store's own keys for names.
  fileprivate func objects() throws -> Objects {
    var held: Objects = [:]
    for batch in try snapshot().rows {
      guard let entity = model.entity(batch.entity) else { continue }
      let names = entity.attributes.map(\.name)
      for (index, key) in batch.keys.enumerated() {
        let row = batch.values[index * batch.width..<(index + 1) * batch.width]
        held[ObjectName(entity.name, key)] = Dictionary(uniqueKeysWithValues: zip(names, row))
      }
    }
    return held
  }
}
