import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct `Live queries of a view` {
  private static let watch = PlannedWatch(
    actor: "app",
    entity: "Item",
    orders: [PlannedOrder("count", isAscending: false)],
    limit: 2
  )

  private static func row(_ key: Int64, _ count: Int64) -> ListedRow {
    ListedRow(ObjectName("Item", key), key: key, ["count": .int(count)])
  }

  private static let first = LiveReport(list: 1, rows: [row(3, 3), row(2, 2)], inserted: [0, 1])

  /// Three objects that the app has merged, and its live query of the two with the greatest counts.
  private func story(_ report: LiveReport? = first) throws -> Story {
    var story = try Story("app", "share")
    story.write(
      "share",
      "1",
      .insert("Item", 1, ["count": 1]),
      .insert("Item", 2, ["count": 2]),
      .insert("Item", 3, ["count": 3])
    )
    story.merge("app", "1")
    story.run(.watch(Self.watch)) { story in
      if let report { story.tell("app", .listed(report)) }
    }
    return story
  }

  private func because(_ story: Story) -> String? {
    story.verdict(LiveQueries.self).violation?.because
  }

  @Test func `A correct first result is accepted`() throws {
    #expect(try story().verdict(LiveQueries.self) == .valid)
  }

  @Test func `A trace without live queries is undecided`() throws {
    #expect(try Story("app").verdict(LiveQueries.self).isUnknown)
  }

  private static let wrongResults: [([ListedRow], String)] = [
    ([row(3, 3)], "does not show Item/2, which matches"),
    ([row(3, 3), row(1, 1)], "does not show Item/2, which comes before Item/1"),
    ([row(2, 2), row(3, 3)], "shows Item/2 before Item/3, which must come first"),
    ([row(3, 3), row(2, 2), row(1, 1)], "shows 3 objects, more than its limit"),
    ([row(3, 9), row(2, 2)], "shows count = 9 for Item/3, which has 3"),
    ([row(9, 9), row(3, 3)], "shows Item/9, which does not exist"),
    ([row(3, 3), row(3, 3)], "shows an object twice"),
  ]

  @Test(arguments: wrongResults)
  func `A wrong result is rejected`(rows: [ListedRow], fault: String) throws {
    let report = LiveReport(list: 1, rows: rows, inserted: Array(rows.indices))
    #expect(
      because(try story(report)) == "app's live query 1 (the first 2 of Item by -count) \(fault)"
    )
  }

  @Test func `A live query without a first result, or without a command, is rejected`() throws {
    #expect(because(try story(nil))?.hasSuffix("reported no first result") == true)
    var story = try story()
    story.run(.record("app")) { story in story.tell("app", .listed(LiveReport(list: 2))) }
    #expect(
      because(story) == "app's live query 2 reports a result, but no command started this query"
    )
  }

  @Test func `Objects with equal sort values must be in the order of their keys`() throws {
    var story = try Story("app")
    story.write("app", "1", .insert("Item", 1, ["count": 1]), .insert("Item", 2, ["count": 1]))
    let rows = [Self.row(2, 1), Self.row(1, 1)]
    story.run(.watch(Self.watch)) { story in
      story.tell("app", .listed(LiveReport(list: 1, rows: rows, inserted: [0, 1])))
    }
    #expect(because(story)?.contains("which has the same sort values and a smaller key") == true)
  }

  @Test func `Only objects that match the conditions are expected`() throws {
    var story = try Story("app")
    story.write("app", "1", .insert("Item", 1, ["count": 1]), .insert("Item", 2, ["count": 2]))
    var watch = Self.watch
    watch.conditions = [PlannedCondition("count", .less, 2)]
    let right = LiveReport(list: 1, rows: [Self.row(1, 1)], inserted: [0])
    let wrong = LiveReport(list: 1, rows: [Self.row(2, 2), Self.row(1, 1)], inserted: [0, 1])
    var other = story
    story.run(.watch(watch)) { story in story.tell("app", .listed(right)) }
    #expect(story.verdict(LiveQueries.self) == .valid)
    other.run(.watch(watch)) { story in story.tell("app", .listed(wrong)) }
    #expect(because(other)?.hasSuffix("shows Item/2, which does not match") == true)
  }

  // MARK: Changes

  /// The story in which another actor changes the object that the result does not show.
  private func changed() throws -> Story {
    var story = try story()
    story.write("share", "2", .update("Item", 1, ["count": 5]))
    return story
  }

  private static let moved = LiveReport(
    list: 1,
    rows: [row(1, 5), row(3, 3)],
    removed: [1],
    inserted: [0]
  )

  @Test func `A change counts once the view has merged it, and may be seen before`() throws {
    var story = try changed()
    story.record("app", "1")
    #expect(story.verdict(LiveQueries.self) == .valid)
    var early = story
    early.run(.record("app")) { story in story.tell("app", .listed(Self.moved)) }
    early.merge("app", "2")
    #expect(early.verdict(LiveQueries.self) == .valid)
    story.merge("app", "2")
    #expect(because(story)?.hasSuffix("does not show Item/1, which comes before Item/2") == true)
  }

  @Test func `A report whose differences do not fit its result is rejected`() throws {
    for (removed, inserted) in [([1], [0]), ([0], [0]), ([1], [1]), ([], [0]), ([1, 7], [0])] {
      var report = Self.moved
      (report.removed, report.inserted) = (removed, inserted)
      var story = try changed()
      story.run(.merge("app")) { story in
        story.tell("app", .merged(["2"]))
        story.tell("app", .listed(report))
      }
      let isRight = report == Self.moved
      #expect((because(story) == nil) == isRight, "\(removed) \(inserted)")
      #expect(isRight || because(story)?.contains("do not lead from [Item/3, Item/2]") == true)
    }
  }

  @Test func `A limited result must be refilled after a delete`() throws {
    func story(_ report: LiveReport) throws -> Story {
      var story = try self.story()
      let delete = PlannedChange.delete("Item", 3)
      story.run(.write(PlannedWrite(actor: "app", changes: [delete]))) { story in
        story.commit("app", "2", [.delete(3)])
        story.tell("app", .listed(report))
      }
      return story
    }
    let right = LiveReport(
      list: 1,
      rows: [Self.row(2, 2), Self.row(1, 1)],
      removed: [0],
      inserted: [1]
    )
    #expect(try story(right).verdict(LiveQueries.self) == .valid)
    let short = LiveReport(list: 1, rows: [Self.row(2, 2)], removed: [0])
    #expect(because(try story(short))?.hasSuffix("does not show Item/1, which matches") == true)
  }

  @Test func `A report that repeats the result is rejected`() throws {
    var story = try story()
    let again = LiveReport(list: 1, rows: Self.first.rows, updated: [ObjectName("Item", 3)])
    story.run(.record("app")) { story in story.tell("app", .listed(again)) }
    #expect(
      because(story)?.hasSuffix("reports [Item/3, Item/2] again, although nothing has changed")
        == true
    )
  }

  @Test func `A change of a value that is not reported is rejected`() throws {
    var story = try story()
    story.write("share", "2", .update("Item", 3, ["title": "x"]))
    story.merge("app", "2")
    #expect(because(story)?.hasSuffix("shows title = null for Item/3, which has \"x\"") == true)
  }

  // MARK: The end of a live query

  @Test func `A live query ends with its process`() throws {
    var story = try changed()
    story.crash("app")
    story.relaunch("app", at: "1")
    story.merge("app", "2")
    #expect(story.verdict(LiveQueries.self) == .valid)
  }

  @Test func `A further live query ends the oldest`() throws {
    var story = try story()
    for number in 2...3 {
      var report = Self.first
      report.list = number
      story.run(.watch(Self.watch)) { story in story.tell("app", .listed(report)) }
    }
    story.write("share", "2", .update("Item", 1, ["count": 5]))
    story.run(.merge("app")) { story in
      story.tell("app", .merged(["2"]))
      for number in 2...3 {
        var report = Self.moved
        report.list = number
        story.tell("app", .listed(report))
      }
    }
    #expect(story.verdict(LiveQueries.self) == .valid)
  }

  @Test func `An error ends a live query, and needs a fault`() throws {
    let failure = LiveReport(list: 1, failure: "disk")
    var story = try story()
    story.run(.record("app")) { story in story.tell("app", .listed(failure)) }
    #expect(because(story)?.hasSuffix("ended, and the plan does not explain why: disk") == true)
    var disturbed = try changed()
    disturbed.run(.record("app")) { story in
      story.tell("app", .fault(PlannedFault(kind: .ioError, file: .main, call: .read, k: 1)))
      story.tell("app", .listed(failure))
    }
    disturbed.merge("app", "2")
    #expect(disturbed.verdict(LiveQueries.self) == .valid)
  }

  // MARK: What a view may lack

  @Test func `What a merge hook finished may be shown in any state until it is read again`() throws
  {
    var story = try changed()
    story.run(.merge("app")) { story in
      story.tell("app", .merged(["2"]))
      story.tell("app", .finished(["2"]))
    }
    #expect(story.verdict(LiveQueries.self) == .valid)
    story.run(.resync("app")) { story in story.tell("app", .resynced(cursor: "2")) }
    #expect(because(story)?.contains("does not show Item/1") == true)
  }

  @Test func `Nothing is compared after a write of unknown outcome`() throws {
    var story = try story()
    let write = PlannedWrite(actor: "share", changes: [.insert("Item", 4, ["count": 4])])
    story.run(.write(write), .unknown(SystemFailure(.io, "lost")))
    story.record("app", "1")
    #expect(story.verdict(LiveQueries.self) == .valid)
  }
}
