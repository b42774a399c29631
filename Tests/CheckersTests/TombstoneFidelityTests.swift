import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct TombstoneFidelityTests {
  private let item = ObjectName("Item", 1)

  private func violation(_ story: Story) -> Violation? {
    story.verdict(TombstoneFidelity.self).violation
  }

  private func opened(title: Value = "a") throws -> Story {
    var story = try Story("app", "share")
    story.write("share", "1", .insert("Item", 1, ["title": title, "count": 1]))
    return story
  }

  private func delete(_ tombstone: Values?) -> [CommittedChange] {
    [CommittedChange(.delete, item, tombstone: tombstone)]
  }

  private func history(_ tombstone: Values?) -> EventKind {
    .history([
      CommittedTransaction(
        name: "2",
        author: "share",
        context: "view",
        writer: nil,
        timestamp: 0,
        changes: delete(tombstone)
      )
    ])
  }

  @Test func `A tombstone with the preserved values is accepted`() throws {
    var story = try opened()
    story.write("share", "2", .delete("Item", 1), reported: delete(["title": "a"]))
    #expect(story.verdict(TombstoneFidelity.self) == .valid)
  }

  @Test func `A tombstone with a wrong value is rejected`() throws {
    var story = try opened()
    story.write("share", "2", .delete("Item", 1), reported: delete(["title": "b"]))
    #expect(
      violation(story)?.because
        == "the tombstone of Item/1 in #2 says title = \"b\", the object had \"a\""
    )
  }

  @Test func `A tombstone with more than the preserved values is rejected`() throws {
    var story = try opened()
    story.write("share", "2", .delete("Item", 1), reported: delete(["title": "a", "count": 1]))
    #expect(violation(story)?.because.contains("says count = 1") == true)
  }

  @Test func `Null values leave no tombstone`() throws {
    var story = try opened(title: nil)
    story.write("share", "2", .delete("Item", 1), reported: delete(nil))
    story.tell(nil, history(nil))
    #expect(story.verdict(TombstoneFidelity.self).isUnknown)
    var wrong = try opened(title: nil)
    wrong.write("share", "2", .delete("Item", 1), reported: delete(["title": "x"]))
    #expect(violation(wrong) != nil)
  }

  @Test func `A missing tombstone is rejected where other tombstones are reported`() throws {
    var story = try opened()
    story.write("share", "2", .delete("Item", 1), reported: delete(nil))
    story.tell(nil, history(nil))
    #expect(story.verdict(TombstoneFidelity.self).isUnknown)
    story.write("share", "3", .insert("Item", 1, ["title": "c"]))
    story.write("share", "4", .delete("Item", 1), reported: delete(["title": "c"]))
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `A reported empty tombstone is rejected`() throws {
    var story = try opened()
    story.write("share", "2", .delete("Item", 1), reported: delete(nil))
    story.tell(nil, history([:]))
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `A commit need not report the tombstone that is in history`() throws {
    var story = try opened()
    story.write("share", "2", .delete("Item", 1))
    story.tell(nil, history(["title": "a"]))
    #expect(story.verdict(TombstoneFidelity.self) == .valid)
  }

  @Test func `History is checked against the values at the time of the delete`() throws {
    var story = try opened()
    story.write("share", "2", .delete("Item", 1))
    story.tell(nil, history(["title": "z"]))
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `An object updated and deleted in one write is omitted`() throws {
    var story = try opened()
    story.write(
      "share",
      "2",
      .update("Item", 1, ["title": "b"]),
      .delete("Item", 1),
      reported: delete(["title": "b"])
    )
    #expect(violation(story) == nil)
  }
}
