import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct `Answers to queries` {
  /// Three transactions of two authors, of which a member has merged two.
  private func story() throws -> Story {
    var story = try Story("app", "share")
    story.write("app", "1", author: "app")
    story.write("share", "2", author: "share")
    story.write("share", "3", author: "share")
    story.record("app", "2")
    story.record("share", "3")
    return story
  }

  private func verdict(
    _ story: Story,
    _ query: PlannedQuery,
    _ lines: [String],
    purged: [TransactionName] = []
  ) -> Verdict {
    var story = story
    story.run(.query(query)) { story in
      if !purged.isEmpty { story.tell("app", .purged(purged)) }
      let answer = QueryAnswer(head: "3", now: 1_000_000, lines: lines)
      story.tell("app", .answered(answer))
    }
    story.tell(nil, .history([]))
    return story.verdict(HistoryExplainsData.self)
  }

  private func fault(
    _ query: PlannedQuery,
    _ lines: [String],
    purged: [TransactionName] = []
  ) throws -> String? {
    let because = verdict(try story(), query, lines, purged: purged).violation?.because
    return because?.hasPrefix("the answer to") == true ? because : nil
  }

  private func query(
    _ form: PlannedQuery.Form,
    _ start: PlannedQuery.Start = .beginning,
    _ terms: [QueryTerm] = []
  ) -> PlannedQuery {
    PlannedQuery(actor: "app", form: form, start: start, terms: terms)
  }

  @Test(arguments: [
    (PlannedQuery.Start.beginning, [QueryTerm](), "3"),
    (.behind(0), [], "0"), (.behind(2), [], "2"), (.behind(7), [], "3"),
    (.beginning, [QueryTerm(.author("share"))], "2"),
    (.beginning, [QueryTerm(.author("share"), isNegated: true)], "1"),
    (.beginning, [QueryTerm(.newest(2)), QueryTerm(.author("app"))], "0"),
    (.beginning, [QueryTerm(.context("nowhere"))], "0"),
    (.beginning, [QueryTerm(.entity("Note"))], "0"),
  ])
  func `A count is compared with the transactions that match`(
    start: PlannedQuery.Start,
    terms: [QueryTerm],
    count: String
  ) throws {
    #expect(try fault(query(.count, start, terms), [count]) == nil)
    let wrong = try fault(query(.count, start, terms), ["9"])
    #expect(wrong == "the answer to app's query lacks \"\(count)\" and has \"9\"")
  }

  @Test func `A query that omits a transaction or adds a foreign one is rejected`() throws {
    let lines = ["#1 app in view", "#2 share in view", "#3 share in view"]
    #expect(try fault(query(.headers), lines) == nil)
    #expect(try fault(query(.headers), lines.dropLast()) != nil)
    #expect(try fault(query(.headers), lines + ["#4 app in view"]) != nil)
    #expect(try fault(query(.headers), lines + ["a page of 3 transactions with 3 changes"]) != nil)
    #expect(try fault(query(.headers), lines.reversed()) != nil)
  }

  @Test func `An expiry error is rejected while no transaction was purged`() throws {
    #expect(try fault(query(.headers, .behind(1)), QueryAnswer.expired) != nil)
  }

  @Test func `A requested purge deletes the filtered transactions that every member merged`() throws
  {
    let lines = ["purged 2, watermark 2"]
    #expect(try fault(query(.purge), lines, purged: ["1", "2"]) == nil)
    #expect(try fault(query(.purge), lines, purged: ["1"]) != nil)
    #expect(try fault(query(.purge), ["purged 1, watermark 2"], purged: ["1", "2"]) != nil)
    let ofApp = query(.purge, .beginning, [QueryTerm(.author("app"))])
    #expect(try fault(ofApp, ["purged 1, watermark 2"], purged: ["1"]) == nil)
    #expect(try fault(ofApp, lines, purged: ["1", "2"]) != nil)
    #expect(try fault(query(.purge, .behind(1)), ["purged 1, watermark 2"], purged: ["1"]) == nil)
    #expect(try fault(query(.purge, .behind(1)), lines, purged: ["1", "2"]) != nil)
  }

  @Test func `Rows of the file, rows from SQL and the member list are compared`() throws {
    #expect(try fault(query(.rows), ["3"]) == nil)
    #expect(try fault(query(.rows), ["4"]) != nil)
    #expect(try fault(query(.members), ["app at 2", "share at 3"]) == nil)
    #expect(try fault(query(.members), ["app at 3", "share at 3"]) != nil)
    let unordered = ["app at 2", "share at 3", "members in another order: [share, app]"]
    #expect(try fault(query(.members), unordered) != nil)
    #expect(try fault(query(.sql, .behind(1)), ["#3 insert Item/8"]) == nil)
    #expect(try fault(query(.sql, .behind(1)), []) != nil)
  }

  @Test func `A query or a write that fails without a reason is rejected`() throws {
    var story = try story()
    story.run(.query(query(.count)), .failed(SystemFailure(.failed, "no such table")))
    #expect(
      story.verdict(HistoryExplainsData.self).violation?.because
        == "app's query failed, and the plan does not explain why: failed: no such table"
    )
  }

  @Test func `After a write of unknown outcome queries are not checked`() throws {
    var story = try story()
    let lost = SystemFailure(.io, "lost")
    story.run(
      .write(PlannedWrite(actor: "app", changes: [PlannedChange(.insert, ObjectName("Item", 9))])),
      .unknown(lost)
    )
    #expect(verdict(story, query(.count), ["9"]).violation?.because.contains("answer") != true)
  }
}
