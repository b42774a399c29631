import PersistentHistory
import Systems
import Traces

/// What only some programs offer.
extension ProtocolScript {
  /// Purges; what is gone is no part of history afterwards.
  mutating func purge() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.purge) else {
      return talk.pass(over: ["purge"], lacking: .purge)
    }
    purged = try talk.ask(.command(.purge(Self.app)))?.purged ?? []
    let (purged, known) = (purged, [first, second])
    talk.expect(
      "purge",
      purged.allSatisfy { known.contains($0) },
      "only transactions that are there can be purged"
    )
  }

  /// Asks for what history holds.
  mutating func tellHistory() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.history) else {
      return talk.pass(over: ["history"], lacking: .history)
    }
    guard let held = try talk.ask(.command(.history))?.history else { return }
    let (purged, known, first) = (purged, [first, second], first)
    talk.expect(
      "purge",
      held.allSatisfy { !purged.contains($0.name) },
      "history must not hold what was purged"
    )
    let effective = held.filter { !$0.changes.isEmpty }
    talk.expect(
      "history",
      effective.allSatisfy { known.contains($0.name) },
      "it must hold the transactions that writes were answered with, and no others"
    )
    talk.expect(
      "history",
      effective.allSatisfy { $0.author == ($0.name == first ? "app" : "widget") },
      "each transaction must have the author who wrote it"
    )
  }

  /// Writes in two steps, where that is possible.
  mutating func begin() throws(ProtocolTalk.Ended) {
    let values: Values = ["title": .string("2"), "count": .int(7)]
    let write = Self.write(Self.app, .insert, Self.other, values)
    guard talk.abilities.contains(.begin) else {
      talk.pass(over: ["begin", "commit"], lacking: .begin)
      _ = try committed(by: .write(write), "write")
      return
    }
    _ = try talk.ask(.command(.begin(write)))
    let before = try talk.ask(.command(.data))
    talk.expect(
      "begin",
      before.map { $0.objects?[Self.other] == nil } ?? true,
      "what was begun must not be in the data before its commit"
    )
    _ = try committed(by: .commit(Self.app), "commit")
  }

  /// Changes what matches.
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
    let told = try committed(by: .batch(batch), "batch")
    talk.expect(
      "batch",
      told.map { $0.changes.map(\.object) == [Self.other] } ?? true,
      "it must change the objects that match, and no others"
    )
  }

  /// Writes in nobody's name.
  mutating func omitAuthor() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.nullAuthor) else { return }
    var write = Self.write(Self.app, .update, Self.item, ["count": .int(9)])
    write.author = .absent
    let told = try committed(by: .write(write), "write")
    talk.expect("write", told.map { $0.author == nil } ?? true, "its author must be null")
  }

  /// Reads as a consumer.
  mutating func consume() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.consume) else {
      return talk.pass(over: ["consume"], lacking: .consume)
    }
    let launched = try talk.ask(.command(.launch(Self.mirror)))
    let write = Self.write(Self.app, .update, Self.other, ["count": .int(8)])
    let told = try committed(by: .write(write), "write")
    let consumed = try talk.ask(.command(.consume(Self.mirror)))
    if launched != nil, let told { expect("consume", consumed?.transactions, holds: [told.name]) }
  }

  /// Reads everything anew.
  mutating func resync() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.resync) else {
      return talk.pass(over: ["resync"], lacking: .resync)
    }
    _ = try talk.ask(.command(.resync(Self.widget)))
    let view = try talk.ask(.command(.view(Self.widget, context: "view")))
    talk.expect(
      "resync",
      view.map { $0.objects?[Self.item] == nil && $0.objects?[Self.other] != nil } ?? true,
      "afterwards the view must equal the data"
    )
  }

  /// Writes a day later.
  mutating func moveClock() throws(ProtocolTalk.Ended) {
    guard talk.abilities.contains(.clock) else {
      return talk.pass(over: ["clock"], lacking: .clock)
    }
    let day = 86_400.0
    _ = try talk.ask(.command(.clock(advance: day)), tick: day)
    let now = talk.now
    let write = Self.write(Self.app, .update, Self.other, ["count": .int(10)])
    let told = try committed(by: .write(write), "write")
    talk.expect(
      "clock",
      told.map { abs($0.timestamp - now) < day / 2 } ?? true,
      "a write must have the time that the plan's clock reads (the key \"now\")"
    )
  }
}
