import Basics
import HistoryTypes
import Systems
import Traces

/// Checks of the commands for which a program must declare a capability.
extension ProtocolScript {
  /// Sends a purge, and compares the answer with the history before and after it.
  mutating func purge() throws(ProtocolTalk.Ended) {
    try launch(Self.share, isFirst: true)
    for actor in [Self.app, Self.widget, Self.share] { try pass(actor) }
    let before = try history(isFirst: true)
    guard talk.abilities.contains(.purge) else {
      return talk.pass(over: ["purge"], lacking: .purge)
    }
    let purged = try askToPurge()
    let purge = talk.last
    if let purged, let before, let after = try history(isFirst: false) {
      compare(purged, before, after, of: purge)
    }
    model.purge(purged ?? [])
    // A second purge must not name the transactions that the first one deleted.
    if !talk.isBlamed(purge) { _ = try askToPurge() }
  }

  private mutating func askToPurge() throws(ProtocolTalk.Ended) -> [TransactionName]? {
    let action = Action.purge(Self.app)
    let hint = "List the names of the transactions that are gone from history, not their number."
    let outcome = try talk.ask(.command(action), right: model.answer(to: action), hint: hint)
    guard let purged = outcome.answer?.purged else { return nil }
    checkNames(purged, of: "purge", hold: [])
    let again = purged.first { model.purged.contains($0) }
    talk.expect("purge", again == nil, "\((again ?? "").quoted) was purged before")
    return purged
  }

  /// Requests history and checks the answer.
  ///
  /// Before the purge, `isFirst` is `true`. The answer must then contain every transaction that
  /// changed objects, except those that the program has already reported as purged.
  private mutating func history(
    isFirst: Bool
  ) throws(ProtocolTalk.Ended) -> [CommittedTransaction]? {
    guard talk.abilities.contains(.history) else {
      if isFirst { talk.pass(over: ["history"], lacking: .history) }
      return nil
    }
    let outcome = try talk.ask(.command(.history), right: model.answer(to: .history))
    guard let held = outcome.answer?.history else { return nil }
    let names = held.map(\.name)
    if let unknown = held.first(where: { !$0.changes.isEmpty && !model.isKnown($0.name) }),
      model.knowsNames
    {
      talk.blame(
        "history",
        "the answer has the transaction \(unknown.name.quoted), which no answer to a write has returned"
      )
    }
    for entry in model.entries {
      guard let reported = held.first(where: { $0.name == entry.name }) else { continue }
      let author = entry.transaction.author
      talk.expect(
        "history",
        reported.author == author,
        "the author of the transaction \(entry.name.quoted) must be \(author?.quoted ?? "null"), "
          + "as in the answer to the write"
      )
    }
    guard isFirst else { return held }
    let missing = model.history.first { !$0.changes.isEmpty && !names.contains($0.name) }
    talk.expect(
      "history",
      missing == nil,
      "the answer lacks the transaction \((missing?.name ?? "").quoted), which no purge has reported "
        + "as purged"
    )
    return held
  }

  /// Reports a purge whose answer differs from the transactions that disappeared from history.
  private mutating func compare(
    _ purged: [TransactionName],
    _ before: [CommittedTransaction],
    _ after: [CommittedTransaction],
    of purge: ProtocolExchange
  ) {
    let gone = before.map(\.name).filter { name in !after.contains { $0.name == name } }
    var answer = WireAnswer()
    answer.purged = gone
    let right = purge.with(right: answer)
    if let kept = purged.first(where: { name in after.contains { $0.name == name } }) {
      talk.blame("purge", "the answer names \(kept.quoted), which history still holds", in: right)
    } else if let unreported = gone.first(where: { !purged.contains($0) }) {
      talk.blame(
        "purge",
        "the answer names \(purged.count.counted("transaction")), but \(gone.count) are gone from "
          + "history: \(unreported.quoted) is not named",
        in: right
      )
    }
  }

  /// Checks a write that has two steps: `begin`, then `commit`.
  mutating func begin() throws(ProtocolTalk.Ended) {
    let values: Values = ["title": .string("2"), "count": .int(7)]
    let write = Self.write(Self.app, .insert, Self.other, values)
    guard talk.abilities.contains(.begin) else {
      talk.pass(over: ["begin", "commit"], lacking: .begin)
      try self.write(write)
      return
    }
    let outcome = try talk.ask(.command(.begin(write)))
    if case .refused = outcome { return }
    try checkData(
      after: "begin",
      "a write must not be in the data between its begin and its commit"
    )
    try perform(.commit(Self.app), ProtocolEdit(write, in: model))
  }

  /// Checks a batch update of the objects that match a condition.
  mutating func batch() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.batch) else {
      return talk.pass(over: ["batch"], lacking: .batch)
    }
    let batch = PlannedBatch(
      actor: Self.app,
      type: .update,
      entity: "Item",
      conditions: [.compare("count", .equal, .int(7))],
      values: ["title": .string("seven")]
    )
    try perform(.batch(batch), ProtocolEdit(batch, in: model))
  }

  /// Checks a write without an author.
  mutating func omitAuthor() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.nullAuthor) else { return }
    var write = Self.write(Self.app, .update, Self.item, ["count": .int(9)])
    write.author = .absent
    try self.write(write)
  }

  mutating func delete() throws(ProtocolTalk.Ended) {
    try write(Self.write(Self.app, .delete, Self.item))
  }

  /// Checks that a consumer reads the transactions of actors.
  mutating func consume() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.consume) else {
      return talk.pass(over: ["consume"], lacking: .consume)
    }
    let launch = Action.launch(Self.mirror)
    let launched = try talk.ask(.command(launch), right: model.answer(to: launch))
    if case .refused = launched {} else { model.launch(Self.mirror) }
    let name = try write(Self.write(Self.app, .update, Self.other, ["count": .int(8)]))
    let consume = Action.consume(Self.mirror)
    let consumed = try talk.ask(.command(consume), right: model.answer(to: consume))
    checkNames(consumed.answer?.transactions, of: "consume", hold: name.map { [$0] } ?? [])
    model.pass(Self.mirror)
  }

  /// Checks that an actor can reload its view from the data.
  mutating func resync() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.resync) else {
      return talk.pass(over: ["resync"], lacking: .resync)
    }
    let action = Action.resync(Self.widget)
    let outcome = try talk.ask(.command(action), right: model.answer(to: action))
    checkCursor(outcome.answer?.cursor, of: "resync")
    model.pass(Self.widget)
    stale.remove(Self.widget)
    guard outcome.answer != nil, !talk.isBlamed(talk.last) else { return }
    try checkView(Self.widget, blaming: "resync", "after a resync the view must equal the data")
  }

  /// Checks the timestamp of a write after the clock advances by one day.
  mutating func moveClock() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.clock) else {
      return talk.pass(over: ["clock"], lacking: .clock)
    }
    let day = 86_400.0
    _ = try talk.ask(.command(.clock(advance: day)), tick: day)
    let write = Self.write(Self.app, .update, Self.other, ["count": .int(10)])
    let edit = ProtocolEdit(write, in: model)
    let right = model.answer(to: edit, now: talk.now + 1)
    let outcome = try talk.ask(.command(.write(write)), right: right)
    judge(outcome, of: "write", edit, right: right)
    guard case .committed(let reported)? = outcome.answer?.write else { return }
    talk.expect(
      "clock",
      abs(reported.timestamp - talk.now) < day / 2,
      "a write must have the time of the plan's clock, which is the key \"now\" of its message"
    )
  }
}
