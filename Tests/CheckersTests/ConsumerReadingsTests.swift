import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct `Page reads of consumers` {
  /// Three transactions, of which a consumer has consumed the first.
  private func story() throws -> Story {
    var story = try Story("app")
    story.header.consumers = ["mirror"]
    story.tell("mirror", .registered(cursor: nil))
    story.write("app", "1", .insert("Item", 1))
    story.run(.consume("mirror")) { $0.tell("mirror", .consumed(["1"])) }
    story.write("app", "2", .insert("Item", 2))
    story.write("app", "3", .insert("Note", 3))
    return story
  }

  private func page(_ story: Story, _ names: TransactionName...) -> EventKind {
    .received(story.transactions.filter { names.contains($0.name) })
  }

  private func fault(
    _ reading: PlannedReading,
    _ events: (Story) -> [EventKind]
  ) throws -> String? {
    var story = try story()
    let kinds = events(story)
    story.run(.read(reading)) { story in
      for kind in kinds { story.tell("mirror", kind) }
    }
    story.tell(nil, .history([]))
    let because = story.verdict(HistoryExplainsData.self).violation?.because
    return because?.hasPrefix("mirror") == true ? because : nil
  }

  @Test func `A consumer must read all pages, in order`() throws {
    let pages = PlannedReading("mirror", page: 1)
    let right = { (story: Story) in
      [page(story, "2"), .consumed(["2"]), page(story, "3"), .consumed(["3"])]
    }
    #expect(try fault(pages, right) == nil)
    #expect(try fault(pages) { Array(right($0).prefix(2)) } == "mirror ended without receiving #3")
    #expect(
      try fault(pages) { [page($0, "3")] } == "mirror received #3 where #2 is the next one"
    )
    #expect(
      try fault(pages) { [page($0, "2", "3")] }
        == "mirror received #3, which is not on the page"
    )
    #expect(
      try fault(PlannedReading("mirror")) { [page($0, "2")] } == "mirror did not receive #3"
    )
    #expect(
      try fault(pages) { [page($0, "2"), .consumed(["2"]), page($0, "3")] }
        == "mirror ended without confirming #3"
    )
  }

  @Test func `A page must contain the committed changes`() throws {
    let wrong = try fault(PlannedReading("mirror")) { story in
      var transactions = story.transactions.filter { $0.name != "1" }
      transactions[0].changes = []
      return [.received(transactions)]
    }
    #expect(wrong?.hasPrefix("mirror received \"#2") == true)
  }

  @Test func `A consumer with an entity filter receives the transactions of that entity`() throws {
    let notes = PlannedReading("mirror", entity: "Note")
    #expect(try fault(notes) { [page($0, "3"), .consumed(["2", "3"])] } == nil)
    #expect(
      try fault(notes) { [page($0, "2", "3")] }
        == "mirror received #2 where #3 is the next one"
    )
    let items = PlannedReading("mirror", entity: "Item", steps: [.next, .confirm, .next])
    let first = { (story: Story) in
      [.launched(cursor: "1"), page(story, "2"), .consumed(["2"]), .received([])] as [EventKind]
    }
    #expect(try fault(items) { first($0) + [.consumed(["3"])] } == nil)
    #expect(try fault(items) { first($0) } == "mirror did not confirm #3")
  }

  @Test func `A consumer with an author filter receives the transactions of that author`() throws {
    let by = { (author: String) in PlannedReading("mirror", author: author) }
    #expect(try fault(by("app")) { [page($0, "2", "3"), .consumed(["2", "3"])] } == nil)
    #expect(try fault(by("other")) { _ in [.consumed(["2", "3"])] } == nil)
    #expect(
      try fault(by("other")) { [page($0, "2")] }
        == "mirror received #2, which is not on the page"
    )
  }

  @Test func `A throwing closure ends the read, and its page stays unconfirmed`() throws {
    let stopped = PlannedReading("mirror", page: 1, stopsAt: 2)
    let start = { (story: Story) in [page(story, "2"), .consumed(["2"]), page(story, "3")] }
    #expect(try fault(stopped) { start($0) } == nil)
    #expect(
      try fault(stopped) { start($0) + [.consumed(["3"])] }
        == "mirror confirmed #3, at which its closure threw"
    )
    #expect(
      try fault(PlannedReading("mirror", page: 1, stopsAt: 1)) { start($0) }
        == "mirror confirmed #2, at which its closure threw"
    )
  }

  @Test func `Only unconfirmed pages are delivered again`() throws {
    let steps: [ReadingStep] = [.next, .restart, .next, .confirm, .startOver, .next]
    let again = PlannedReading("mirror", page: 1, steps: steps)
    let right = { (story: Story) in
      [
        .launched(cursor: "1"), page(story, "2"), .launched(cursor: "1"), page(story, "2"),
        .consumed(["2"]), page(story, "3"),
      ] as [EventKind]
    }
    #expect(try fault(again, right) == nil)
    #expect(
      try fault(again) { Array(right($0).prefix(3)) + [page($0, "3")] }
        == "mirror received #3 where #2 is the next one"
    )
    #expect(
      try fault(again) { Array(right($0).prefix(4)) + [page($0, "2")] }
        == "mirror did not confirm #2"
    )
    #expect(
      try fault(again) { Array(right($0).prefix(2)) + [.launched(cursor: "2")] }
        == "mirror started at #2, but it had confirmed #1"
    )
    #expect(
      try fault(again) { Array(right($0).prefix(2)) + [.consumed(["2", "3"])] }
        == "mirror confirmed #3 and had not received it"
    )
  }

  @Test func `A consumer that retires registers again at the end of history`() throws {
    let retired = PlannedReading("mirror", page: 1, steps: [.retire, .next])
    let start: [EventKind] = [.launched(cursor: "1"), .retired]
    #expect(try fault(retired) { _ in start + [.registered(cursor: "3"), .received([])] } == nil)
    #expect(
      try fault(retired) { _ in start + [.registered(cursor: "2")] }
        == "mirror started at #2, but the end is #3"
    )
    #expect(
      try fault(retired) { _ in start + [.launched(cursor: "1")] }
        == "mirror did not register again"
    )
  }

  @Test func `A read that fails without a reason is rejected`() throws {
    var story = try story()
    let failure = SystemFailure(.failed, "a foreign position was confirmed")
    story.run(.read(PlannedReading("mirror", steps: [.misplace])), .failed(failure))
    #expect(
      story.verdict(HistoryExplainsData.self).violation?.because
        == "mirror's read failed, and the plan does not explain why: failed: a foreign position was confirmed"
    )
  }
}
