import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct HistoryExplainsDataTests {
  private let item = ObjectName("Item", 1)

  private func violation(_ story: Story) -> Violation? {
    story.verdict(HistoryExplainsData.self).violation
  }

  private func opened() throws -> Story {
    var story = try Story("app", "share")
    story.write("share", "1", .insert("Item", 1, ["title": "a", "count": 1]))
    return story
  }

  private func update(_ columns: String..., values: Values = [:]) -> [CommittedChange] {
    [CommittedChange(.update, item, columns: columns, values: values)]
  }

  private func held(_ story: Story) -> [CommittedTransaction] {
    story.events.compactMap { event in
      if case .committed(let transaction) = event.kind { transaction } else { nil }
    }
  }

  @Test func `Columns of the changed or of all set attributes are accepted`() throws {
    for columns in [["count"], ["count", "title"]] {
      var story = try opened()
      story.write(
        "share",
        "2",
        .update("Item", 1, ["title": "a", "count": 2]),
        reported: [CommittedChange(.update, item, columns: columns)]
      )
      #expect(story.verdict(HistoryExplainsData.self) == .valid)
    }
  }

  @Test func `An update without a changed column is rejected`() throws {
    var story = try opened()
    story.write(
      "share",
      "2",
      .update("Item", 1, ["title": "b", "count": 2]),
      reported: update("title")
    )
    #expect(
      violation(story)?.because
        == "share's write #2 changed count of Item/1 and does not report that column"
    )
  }

  @Test func `A column that was not set is rejected`() throws {
    var story = try opened()
    story.write("share", "2", .update("Item", 1, ["count": 2]), reported: update("title", "count"))
    #expect(violation(story)?.because.contains("which it did not set") == true)
  }

  @Test func `Several edits of one object report the columns of all edits`() throws {
    var story = try opened()
    let edits = [
      PlannedChange.update("Item", 1, ["title": "b"]), .update("Item", 1, ["count": 5]),
    ]
    story.write("share", "2", edits[0], edits[1], reported: update("title", "count"))
    #expect(violation(story) == nil)
    story.write(
      "share",
      "3",
      .update("Item", 1, ["title": "c"]),
      .update("Item", 1, ["count": 6]),
      reported: update("count")
    )
    #expect(violation(story)?.transaction == "3")
  }

  @Test func `An update without columns is rejected where other updates have columns`() throws {
    var story = try opened()
    story.write("share", "2", .update("Item", 1, ["count": 2]), reported: update())
    #expect(story.verdict(HistoryExplainsData.self).isUnknown)
    story.write("share", "3", .update("Item", 1, ["count": 3]), reported: update("count"))
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `A replaced object may report any columns`() throws {
    var story = try opened()
    story.write(
      "share",
      "2",
      .delete("Item", 1),
      .insert("Item", 1, ["title": "b", "count": 2]),
      reported: update("count")
    )
    #expect(violation(story) == nil)
  }

  @Test func `A reported value that differs from the write's is rejected`() throws {
    var story = try opened()
    story.write(
      "share",
      "2",
      .update("Item", 1, ["count": 2]),
      reported: update("count", values: ["count": 3])
    )
    #expect(
      violation(story)?.because.contains(
        "reports count = 3 for Item/1, but the value after the write is 2"
      ) == true
    )
  }

  @Test func `History with exactly the committed, unpurged transactions is accepted`() throws {
    var story = try opened()
    story.write("share", "2")
    story.write("share", "3")
    let all = held(story)
    story.purge("share", "1")
    story.tell(nil, .history(Array(all.dropFirst())))
    #expect(story.verdict(HistoryExplainsData.self) == .valid)
  }

  @Test(arguments: [(2.0, true), (1, false), (0.5, false)])
  func `Timestamps must rise in commit order if the plan requires it`(
    _ second: Double,
    _ isRight: Bool
  ) throws {
    var story = try Story("app", "share")
    story.write("share", "1", at: 1)
    story.write("share", "2", at: second)
    story.tell(nil, .history(held(story)))
    #expect((violation(story) == nil) == isRight)
    story.header.timestamps = .wallClock
    #expect(violation(story) == nil)
  }

  @Test func `History without a committed transaction is rejected`() throws {
    var story = try opened()
    story.write("share", "2")
    story.write("share", "3")
    let all = held(story)
    for (names, lost) in [([0, 2], "2"), ([0, 1], "3"), ([1, 2], "1")] {
      var ending = story
      ending.tell(nil, .history(names.map { all[$0] }))
      #expect(violation(ending)?.because == "history lacks #\(lost), which no purge removed")
    }
  }

  @Test func `History with a purged or unknown transaction is rejected`() throws {
    var story = try opened()
    var all = held(story)
    var purged = story
    purged.purge("share", "1")
    purged.tell(nil, .history(all))
    #expect(violation(purged)?.because == "history still holds #1, which was purged")
    all[0].name = "8"
    story.tell(nil, .history(all))
    #expect(violation(story)?.because == "history holds #8, which was never committed")
  }

  @Test func `A power-off may restore a purged transaction`() throws {
    var story = try opened()
    story.write("share", "2")
    let all = held(story)
    story.purge("share", "1")
    story.tell(nil, .recovered(through: "2"))
    for count in [1, 2] {
      var ending = story
      ending.tell(nil, .history(Array(all.suffix(count))))
      #expect(ending.verdict(HistoryExplainsData.self) == .valid)
    }
  }

  @Test func `History with a different order, author or change is rejected`() throws {
    var story = try opened()
    story.write("share", "2", .update("Item", 1, ["count": 2]), reported: update("count"))
    let all = held(story)
    var author = all
    author[0].author = nil
    var columns = all
    columns[1].changes[0].columns = ["title"]
    var types = all
    types[1].changes[0].type = .delete
    for (wrong, part) in [
      (all.reversed(), "history"), (author, "different author"),
      (columns, "different changes"), (types, "different changes"),
    ] {
      var ending = story
      ending.tell(nil, .history(wrong))
      #expect(violation(ending)?.because.contains(part) == true)
    }
  }

  @Test func `History with a duplicate transaction is rejected`() throws {
    var story = try opened()
    story.write("share", "2")
    let all = held(story)
    story.tell(nil, .history(all + all.prefix(1)))
    #expect(violation(story)?.because == "history has #1 out of commit order")
  }

  @Test func `History may report columns that the commit did not report`() throws {
    var story = try opened()
    story.write("share", "2", .update("Item", 1, ["count": 2]), reported: update())
    var all = held(story)
    all[1].changes[0].columns = ["count"]
    story.tell(nil, .history(all))
    #expect(story.verdict(HistoryExplainsData.self) == .valid)
  }

  @Test func `An update that changes no value need not report its columns`() throws {
    var story = try opened()
    story.write("share", "2", .update("Item", 1, ["count": 1]), reported: update())
    story.write("share", "3", .update("Item", 1, ["count": 3]), reported: update("count"))
    #expect(story.verdict(HistoryExplainsData.self) == .valid)
  }

  @Test func `A write of unknown outcome may appear in history`() throws {
    var story = try opened()
    story.run(
      .write(PlannedWrite(actor: "share", changes: [.insert("Item", 77)])),
      .unknown(SystemFailure(.io, "disk"))
    )
    var all = held(story)
    all.append(all[0])
    all[1].name = "2"
    story.tell(nil, .history(all))
    #expect(story.verdict(HistoryExplainsData.self) == .valid)
  }
}
