import Basics
import Foundation
import HistoryStore
import HistoryTypes
import Traces

/// The main phase of a run, in which processes write and are killed, stopped and suspended.
extension StressSession {
  static let sampleEvery = Duration.milliseconds(50)

  /// Disturbs the writing processes until the run's time is up or a failure occurs.
  func disturb(_ note: (Int, String) -> Void) throws {
    let clock = ContinuousClock()
    let start = clock.now
    let pauseBetweenWakeUps = min(.seconds(8), settings.duration / 3)
    var (sampleAt, wakeUpAt) = (start, start + pauseBetweenWakeUps)
    var seen: Int64 = 0
    while clock.now - start < settings.duration, failures.isEmpty, result.sleepers.isEmpty {
      try attend()
      let now = clock.now
      for disturbance in nemesis.disturbances(at: now) { try act(disturbance, at: now) }
      if let plainSQL, let failure = try nemesis.tend(plainSQL, at: now) {
        result.failures.append("the Python script \(failure)")
        return
      }
      if sampleAt <= now {
        sampleAt = now + Self.sampleEvery
        try readHistory()
        do { seen = try sample(note, after: seen) } catch  where settings.disk != nil { continue }
      }
      if wakeUpAt <= now, settings.processes > 1 {
        try wakeUp()
        wakeUpAt = clock.now + pauseBetweenWakeUps
      }
      usleep(2_000)
    }
    result.seconds = (clock.now - start) / .seconds(1)
  }

  /// Takes one sample of the length of history and the lag of the slowest member, and reports it.
  ///
  /// - Parameters:
  ///   - note: Called with the number of transactions since the last sample, and with the sample in words.
  ///   - seen: The number of the newest transaction at the last sample.
  /// - Returns: The number of the newest transaction.
  /// - Throws: An error if the store cannot be read.
  func sample(_ note: (Int, String) -> Void, after seen: Int64) throws -> Int64 {
    let register = try store.register()
    let head = try store.currentToken().number
    let purged = register.marks.filter { $0.author != nil }.map(\.purged).max() ?? 0
    let held = Int(max(0, head - purged))
    let slowest =
      register.members.filter { $0.state == 0 && $0.id != StressModel.run }.map(\.cursor)
      .min() ?? head
    result.sampleCount += 1
    result.committed = head
    result.heldMax = max(result.heldMax, held)
    result.lagMax = max(result.lagMax, Int(max(0, head - slowest)))
    let counts = result.counts
    note(
      Int(max(0, head - seen)),
      "lag \(Int(max(0, head - slowest)).inGroups)  history \(held.inGroups)  "
        + "kills \(counts.kills.inGroups)"
    )
    return head
  }

  func act(_ disturbance: StressNemesis.Disturbance, at now: ContinuousClock.Instant) throws {
    switch disturbance {
    case .kill(let place, let visit):
      let living = members.filter { member in
        guard member.place == nil, member.diesAt == nil else { return false }
        return member.state == .running || (place == nil && member.state == .starting)
      }
      guard let victim = nemesis.choose(living) else { return }
      guard let place else { return victim.kill() }
      victim.place = place
      victim.diesAt = now + Self.deathTime
      victim.child?.send(StressOrder(dyingAt: place, visit: visit))
    case .stop(let duration):
      let living = members.filter {
        $0.state == .running && $0.stopsUntil == nil && $0.suspendsFor == nil
      }
      guard let victim = nemesis.choose(living) else { return }
      victim.stopsUntil = now + duration
      victim.child?.stop()
      result.counts.stops += 1
    case .suspend(let duration):
      let living = members.filter {
        $0.state == .running && $0.stopsUntil == nil && $0.diesAt == nil && $0.suspendsFor == nil
      }
      guard let victim = nemesis.choose(living) else { return }
      victim.suspendsFor = duration
      result.counts.suspensionRequests += 1
      victim.child?.send(StressOrder(.suspend))
    case .moveGuest: try moveGuest(at: now)
    }
  }

  /// Lets an absent guest join, or lets a guest that has run for at least 500 ms retire.
  ///
  /// A guest is an actor that runs only at times.
  func moveGuest(at now: ContinuousClock.Instant) throws {
    let movable = members.filter { member in
      guard member.isGuest, member.diesAt == nil, member.stopsUntil == nil,
        member.suspendsFor == nil
      else { return false }
      return member.state == .away
        || (member.state == .running && now - member.startedAt > .milliseconds(500))
    }
    guard let guest = nemesis.choose(movable) else { return }
    if guest.state == .away {
      try join(guest)
    } else {
      guest.state = .retiring
      guest.child?.send(StressOrder(.retire))
    }
  }

  func join(_ guest: StressMember) throws {
    result.counts.joins += 1
    try start(guest)
  }

  /// Continues stopped processes, performs pending kills, and waits until all processes run.
  func calm() throws {
    plainSQL?.resume()
    for member in members {
      if member.stopsUntil != nil { member.stopsUntil = .now }
      if member.diesAt != nil { member.diesAt = .now }
    }
    try wait("run again") { $0.state == .running && $0.diesAt == nil && $0.suspendsFor == nil }
  }
}

/// The wake-up phase of a run: single commits, each of which all other processes must merge.
extension StressSession {
  /// The time limit within which all other processes must merge a commit.
  ///
  /// With a sound disk, the limit is far shorter than the interval at which processes poll the
  /// store, so that only a signal can make them merge the commit in time.
  static let wakeUpLimit = Duration.seconds(10)
  static let wakeUpCount = 3

  /// Pauses all writers, lets one process write once, and waits until the others merge the write.
  ///
  /// The write and the wait are performed ``wakeUpCount`` times unless a failure occurs.
  func wakeUp() throws {
    try calm()
    isQuiet = true
    plainSQL?.end()
    try ask(.pause, "pause")
    try readHistory()
    for _ in 0..<Self.wakeUpCount where failures.isEmpty && result.sleepers.isEmpty {
      let living = members.filter { $0.state == .running }
      guard let writer = nemesis.choose(living) else { break }
      writer.isDone = false
      writer.child?.send(StressOrder(.once))
      try wait("write") { $0 !== writer || $0.isDone }
      try waitForPasses(of: living.filter { $0 !== writer }, after: writer)
    }
    isQuiet = false
    for member in members where member.state == .running {
      member.child?.send(StressOrder(.write))
    }
  }

  func waitForPasses(of others: [StressMember], after writer: StressMember) throws {
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
          "\(writer.id) committed transaction \(head), which \(names) did not merge within "
            + "\(Self.wakeUpLimit.components.seconds) seconds"
        )
        return
      }
      usleep(1_000)
    }
  }
}

/// The end of a run: all processes merge all transactions, and report the contents of their views.
extension StressSession {
  /// Lets all processes merge all transactions and report their views, reads the store, and ends the
  /// processes.
  func close() throws {
    try calm()
    // A guest joins after the last kill, so that no later restart hides transactions that it
    // misses.
    if settings.killsPerSecond > 0, let guest = members.first(where: { $0.state == .away }) {
      try join(guest)
      try calm()
      let end = ContinuousClock.now + .milliseconds(500)
      while ContinuousClock.now < end {
        try attend()
        usleep(2_000)
      }
    }
    isQuiet = true
    plainSQL?.end()
    try ask(.pause, "pause")
    try readHistory()
    for _ in 0..<2 { try ask(.reconcile, "merge all transactions") }
    // The script's last write may have become a transaction only during these merges.
    try readHistory()
    try ask(.view, "report the contents of its view")
    try look()
    for member in members where member.state == .running {
      member.state = .ending
      member.child?.send(StressOrder(.end))
    }
    try wait("end") { _ in false }
  }

  /// Reads the store's objects and history, after all processes have merged all transactions.
  func look() throws {
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
  /// Returns all objects, named by the store's own keys.
  fileprivate func objects() throws -> Objects {
    var held: Objects = [:]
    for batch in try snapshot().rows {
      guard let entity = model.entity(batch.entity) else { continue }
      let names = entity.attributes.map(\.name)
      for row in batch {
        let values = Dictionary(uniqueKeysWithValues: zip(names, row.values))
        held[ObjectName(entity.name, row.key)] = values
      }
    }
    return held
  }
}

/// Reads all history of the store; the run itself is a member, so that purges keep unread history.
extension StressSession {
  /// The least number of transactions that the run keeps in memory after it has read them.
  private static let rememberedCount = 20_000

  /// Reads the new transactions, and traces those of the Python script that writes plain SQL.
  ///
  /// The run is a member of the store, so that no transaction is purged before the run has read it.
  func readHistory() throws {
    guard let registration else { return }
    var request = HistoryRequest(after: readPosition.token)
    while true {
      // A transaction committed while the fetch returns is not in the page.
      let start = MonotonicClock.now
      let page = try store.fetch(request)
      let now = MonotonicClock.now
      if readTransactions.count > 2 * Self.rememberedCount {
        let oldest = page.scannedThrough.number - Int64(Self.rememberedCount)
        readTransactions = readTransactions.filter { $0.key.rawValue > oldest }
      }
      for transaction in page.transactions {
        readTransactions[transaction.number] = transaction
        guard let plainSQL, transaction.author?.hasPrefix(PlainSQLWriter.authorPrefix) == true
        else { continue }
        try trace(transaction, of: plainSQL, until: now)
      }
      readPosition.token = page.scannedThrough
      guard page.hasMore else {
        readPosition.readAt = start
        break
      }
      request = request.next(after: page)
    }
    result.plainSQL = plainSQL?.counts
    guard let token = readPosition.token else { return }
    do throws(HistoryError) { try store.record(registration, through: token) } catch {
      // A busy lock is no failure, because the next reading will record a later position.
      guard error.isBusy else { throw error }
    }
  }

  /// Adds a transaction of the Python script to the trace that the run writes for the script.
  ///
  /// The exact time of the commit is unknown: it is between the start of the previous reading of
  /// history and `now`.
  private func trace(
    _ transaction: HistoryTransaction,
    of script: PlainSQLWriter,
    until now: Int64
  ) throws {
    let command = Command(.write(try script.write(of: transaction)))
    let place = readPosition.readAt...now
    plainSQLTrace?.add(
      [
        .init(
          .called(command: script.counts.written, word: command.action.word),
          at: readPosition.readAt,
          given: command
        ), .init(.committed(CommittedTransaction(store.model, transaction)), place),
        .init(.ended(command: nil, .ok), place),
      ],
      about: members[0].id
    )
  }
}
