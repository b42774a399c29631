import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct ProtectedAuthorsTests {
  private func opened() throws -> Story {
    var story = try Story("app")
    story.header.protectedAuthors = ["mirror.*", "import"]
    story.write("app", "1", author: "mirror.export")
    story.write("app", "2", author: "import")
    story.write("app", "3", author: "import.more")
    return story
  }

  @Test func `A purge that keeps protected transactions is accepted`() throws {
    var story = try opened()
    story.purge("app", "3")
    #expect(story.verdict(ProtectedAuthors.self) == .valid)
  }

  @Test(arguments: ["1", "2"])
  func `A purge of a protected transaction is rejected`(_ name: TransactionName) throws {
    var story = try opened()
    story.purge("app", name)
    let found = try #require(story.verdict(ProtectedAuthors.self).violation)
    #expect(found.transaction == name)
    #expect(found.because.contains("is protected"))
  }

  @Test func `A purge before any protected transaction is undecided`() throws {
    var story = try Story("app")
    story.header.protectedAuthors = ["import"]
    story.write("app", "1")
    story.write("app", "2", author: "import")
    story.purge("app", "1")
    #expect(story.verdict(ProtectedAuthors.self).isUnknown)
  }

  @Test func `A consumer is never cut off and its history never expires`() throws {
    var story = try opened()
    story.header.consumers = ["mirror"]
    var (lost, other) = (story, story)
    story.run(.consume("mirror"), .failed(SystemFailure(.expired, "gone")))
    #expect(
      story.verdict(ProtectedAuthors.self).violation?.because.contains("the consumer mirror")
        == true
    )
    lost.tell("mirror", .lost)
    #expect(lost.verdict(ProtectedAuthors.self).violation?.because.contains("cut off") == true)
    other.tell("app", .lost)
    other.tell("app", .expired)
    #expect(other.verdict(ProtectedAuthors.self).isUnknown)
  }
}
