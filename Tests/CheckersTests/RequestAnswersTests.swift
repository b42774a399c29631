import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct `Answers to requests` {
  /// Three transactions of two authors, of which a member has merged two.
  private func story() throws -> Story {
    var story = try Story("app", "share")
    story.write("app", "1", .insert("Item", 1, ["title": "b", "count": 1]), author: "app", at: 10)
    story.write("share", "2", .insert("Item", 2, ["title": "a"]), author: "share", at: 20)
    story.write("share", "3", .insert("Item", 3, ["count": 2]), author: "share", at: 30)
    story.record("app", "2")
    story.record("share", "3")
    return story
  }

  private func fault(
    _ query: PlannedQuery,
    _ lines: [String],
    purged: [TransactionName] = [],
    in made: Story? = nil
  ) throws -> String? {
    var story = try made ?? self.story()
    story.run(.query(query)) { story in
      if !purged.isEmpty { story.tell("app", .purged(purged)) }
      story.tell("app", .answered(QueryAnswer(head: "3", now: 100, lines: lines)))
    }
    let because = story.verdict(HistoryExplainsData.self).violation?.because
    return because?.hasPrefix("the answer to") == true ? because : nil
  }

  private func query(
    _ form: PlannedQuery.Form,
    _ start: PlannedQuery.Start = .beginning
  ) -> PlannedQuery {
    PlannedQuery(actor: "app", form: form, start: start)
  }

  @Test func `Requests return objects sorted, from an offset up to a limit`() throws {
    var sorted = PlannedQuery(
      actor: "app",
      form: .sorted,
      entity: "Item",
      orders: [PlannedOrder("title")]
    )
    let lines = ["Item/3 null", "Item/2 \"a\"", "Item/1 \"b\""]
    #expect(try fault(sorted, lines) == nil)
    #expect(try fault(sorted, lines.reversed())?.contains("in the wrong place") == true)
    #expect(try fault(sorted, lines.dropLast())?.contains("where 3 match") == true)
    #expect(try fault(sorted, [lines[0], lines[0], lines[2]])?.contains("twice") == true)
    #expect(try fault(sorted, lines.dropLast() + ["Item/1 \"c\""]) != nil)
    sorted.orders[0].isAscending = false
    #expect(try fault(sorted, lines.reversed()) == nil)
    sorted.start = .behind(1)
    sorted.page = 1
    #expect(try fault(sorted, [lines[1]]) == nil)
    #expect(try fault(sorted, [lines[0]])?.contains("in the wrong place") == true)
  }

  @Test func `Requests see unsaved changes`() throws {
    var sorted = PlannedQuery(actor: "app", form: .sorted, entity: "Item")
    sorted.pending = [.delete("Item", 1), .insert("Item", 4), .update("Item", 2, ["title": "z"])]
    sorted.conditions = [PlannedCondition("title", .equal, "z")]
    #expect(try fault(sorted, ["Item/2"]) == nil)
    #expect(try fault(sorted, []) != nil)
    sorted.conditions = []
    #expect(try fault(sorted, ["Item/2", "Item/3", "Item/4"]) == nil)
    #expect(try fault(sorted, ["Item/1", "Item/2", "Item/3"]) != nil)
  }

  @Test func `Identifiers and tokens resolve, and foreign ones are refused`() throws {
    var uris = query(.uris)
    uris.entity = "Item"
    let errors = ["other store", "unknown entity", "bad URI"]
    #expect(try fault(uris, ["Item/1", "Item/2", "Item/3"] + errors) == nil)
    #expect(try fault(uris, ["Item/1", "Item/2"] + errors) != nil)
    #expect(
      try fault(uris, ["Item/1", "Item/2", "Item/3", "accepted"] + errors.dropFirst()) != nil
    )
    let refused = ["rewound", "rewound", "other store", "other store", "rewound", "rewound"]
    let line = "#2 share in view: insert Item/2"
    #expect(try fault(query(.tokens, .behind(1)), [line] + refused) == nil)
    #expect(
      try fault(query(.tokens, .behind(1)), [line] + refused.dropLast() + ["accepted"]) != nil
    )
    #expect(try fault(query(.tokens, .behind(0)), [line] + refused) != nil)
  }

  @Test func `A purge at intervals waits until the interval has passed`() throws {
    let purge = ["purged 2, watermark 2"]
    #expect(try fault(query(.due, .ago(60)), purge, purged: ["1", "2"]) == nil)
    #expect(try fault(query(.due, .ago(60)), ["not due"]) != nil)
    #expect(try fault(query(.due, .ago(60)), ["purged 1, watermark 2"], purged: ["1"]) != nil)
    var again = try story()
    again.run(.query(query(.due))) { story in
      story.tell("app", .purged(["1", "2"]))
      story.tell("app", .answered(QueryAnswer(head: "3", now: 50, lines: purge)))
    }
    let none = ["purged 0, watermark 2"]
    #expect(try fault(query(.due, .ago(60)), ["not due"], in: again) == nil)
    #expect(try fault(query(.due, .ago(50)), ["not due"], in: again) != nil)
    #expect(try fault(query(.due, .ago(50)), none, in: again) == nil)
    #expect(try fault(query(.due, .ago(60)), none, in: again) != nil)
  }

  @Test(arguments: ["byDuration/10", "whenMerged"])
  func `A strategy's purges at intervals count even if they delete no transaction`(
    _ strategy: String
  ) throws {
    var story = try Story("app", launched: false)
    story.header.actors[0].strategy = strategy
    story.run(.launch("app")) { $0.register("app") }
    story.run(.query(query(.due, .ago(60)))) { story in
      story.tell("app", .answered(QueryAnswer(head: nil, now: 100, lines: ["not due"])))
    }
    let isValid = story.verdict(HistoryExplainsData.self).violation == nil
    #expect(isValid == (strategy != "whenMerged"))
  }

  @Test func `Lags and configuration differences follow from the events and the plan`() throws {
    let lags = ["app by app, 1 behind, 0.0 s", "share by share, 0 behind, 0.0 s"]
    #expect(try fault(query(.lags), lags) == nil)
    #expect(try fault(query(.lags), ["app by app, 2 behind, 0.0 s", lags[1]]) != nil)
    var story = try story()
    story.header.actors[0].strategy = "none"
    story.header.actors[1].batchAuthors = ["app"]
    let differences = ["batchAuthorIsMember: app | share", "strategy: app | share"]
    #expect(try fault(query(.differences), differences, in: story) == nil)
    #expect(try fault(query(.differences), [differences[0]], in: story) != nil)
    #expect(try fault(query(.differences), differences) != nil)
  }

  @Test func `A visitor starts after the imported date and is removed at the end`() throws {
    let answer = { (start: Int) in
      [
        "at \(start), new", "in use", "accepted", "tracker at 3, registered at 3", "in use",
        "accepted", "not a member", "forgotten: true, again: false",
      ]
    }
    #expect(try fault(query(.visit), answer(3)) == nil)
    #expect(try fault(query(.visit), answer(2)) != nil)
    #expect(try fault(query(.visit, .ago(80)), answer(1)) == nil)
    #expect(try fault(query(.visit, .ago(80)), answer(2)) != nil)
    #expect(try fault(query(.visit, .ago(79)), answer(2)) == nil)
    #expect(
      try fault(query(.visit), answer(3).dropLast() + ["forgotten: true, again: true"]) != nil
    )
    var story = try story()
    story.header.locks = .none
    let replaced = [
      "at 2, new", "accepted", "superseded", "tracker at 2, registered at 3", "accepted",
      "not a member", "not a member", "forgotten: false, again: false",
    ]
    #expect(try fault(query(.visit, .ago(75)), replaced, in: story) == nil)
    #expect(try fault(query(.visit, .ago(75)), answer(2), in: story) != nil)
  }

  @Test func `Every commit is signalled once, and sound files have no findings`() throws {
    #expect(try fault(query(.signals), ["1", "2", "3"]) == nil)
    #expect(try fault(query(.signals), ["1", "3"]) != nil)
    #expect(try fault(query(.signals), ["1", "2", "2", "3"]) != nil)
    #expect(try fault(query(.verify), []) == nil)
    #expect(try fault(query(.verify), ["1 change without a transaction"]) != nil)
    #expect(try fault(query(.verify), ["1 number missing"]) != nil)
    #expect(try fault(query(.verify), ["1 number missing"], purged: ["2"]) == nil)
    #expect(try fault(query(.verify), [], purged: ["2"]) != nil)
    #expect(try fault(query(.size), ["4096 of 8192"]) == nil)
    #expect(try fault(query(.size), ["0 of 8192"]) != nil)
    #expect(try fault(query(.size), ["4096 of 100"]) != nil)
  }

  @Test func `A table has every change after a number, in order`() throws {
    let lines = ["#2 share in view: insert Item/2", "#3 share in view: insert Item/3"]
    #expect(try fault(query(.table, .behind(2)), lines) == nil)
    #expect(try fault(query(.table, .behind(2)), lines.reversed()) != nil)
    #expect(try fault(query(.table, .behind(2)), lines.dropLast()) != nil)
    #expect(try fault(query(.table, .behind(100)), lines) != nil)
    #expect(try fault(query(.table, .behind(0)), []) == nil)
  }

  @Test func `Faults of a store on disk or of its refusals are rejected`() throws {
    #expect(try fault(query(.refusals), []) == nil)
    #expect(try fault(query(.refusals), ["accepted: an unknown entity"]) != nil)
    #expect(try fault(query(.watch), []) == nil)
    #expect(try fault(query(.watch), ["a commit is not reported"]) != nil)
    for form in PlannedQuery.Form.allCases.filter(\.isScript) {
      #expect(try fault(query(form), []) == nil)
      #expect(try fault(query(form), ["a reader has other changes"]) != nil)
    }
    let objects = ["Item/1 \"b\" 1", "Item/2 \"a\" null", "Item/3 null 2"]
    #expect(try fault(query(.files), objects) == nil)
    #expect(try fault(query(.files), ["a copy has another history"] + objects) != nil)
    #expect(try fault(query(.files), objects.dropLast() + ["Item/3 null 3"]) != nil)
  }

  @Test func `A store that an older program copies has the attributes of its own model`() throws {
    var story = try story()
    let count = Attribute("count", .int, defaultValue: 0)
    let model = [Entity("Item", [Attribute("title", .string), count]), Entity("Tag", [count])]
    story.header.model = Model(unchecked: model, version: 2)
    story.header.actors[0].modelVersion = 1
    let titles = ["Item/1 \"b\"", "Item/2 \"a\"", "Item/3 null"]
    #expect(try fault(query(.files), titles, in: story) == nil)
    #expect(try fault(query(.files), titles.dropLast() + ["Item/3 null 2"], in: story) != nil)
    story.header.actors[0].modelVersion = 2
    #expect(try fault(query(.files), titles, in: story) != nil)
  }

  @Test func `A tracker on a tour reports the transactions after its start`() throws {
    // Its start is before #2, which is the first transaction that is not earlier.
    func tour(_ report: String, _ calls: [String], _ messages: [String]) -> [String] {
      ["at 1, new", report, "numbers [2, 3]", "undeclared [\"share\"]"] + calls + messages
        + ["has Item/1", "has Item/2", "has Item/3"]
    }
    let report = "2 transactions with 2 changes in 2 pages, through #3"
    let calls = [
      "#2 insert: Item/2", "#3 insert: Item/3", "before [2]", "merges [2]", "before [3]",
      "merges [3]",
    ]
    let messages = [
      "notice of tourist: writes and is not among allAuthors", "debug of tourist: pass",
      "info of tourist: follows", "info of tourist: stopped",
      "notice of tourist: read the data again",
    ]
    var query = query(.tour, .ago(85))
    query.page = 1
    #expect(try fault(query, tour(report, calls, messages)) == nil)
    #expect(try fault(query, tour(report, calls.dropLast(), messages)) != nil)
    #expect(try fault(query, tour(report, calls, messages.dropLast())) != nil)
    let wrong = "2 transactions with 1 change in 2 pages, through #3"
    #expect(try fault(query, tour(wrong, calls, messages)) != nil)
    #expect(try fault(query, tour(report, calls, messages).dropLast()) != nil)
    query.page = 2
    #expect(try fault(query, tour(report, calls, messages)) != nil)
  }
}
