import HistoryTypes
import Testing
import Traces

@testable import Checkers

@Suite struct `Checks of plans with two versions of the model` {
  private static let object = ObjectName("Item", 1)

  /// A story in which `share` has the older version, and `app` is launched after a write of it.
  private func story(_ upgrade: (inout Story) -> Void) throws -> Story {
    var story = try Story("app", "share", launched: false)
    let rank = Attribute("rank", .int, defaultValue: 7)
    story.header.model = Model(
      unchecked: [Entity("Item", Story.item.attributes + [rank])],
      version: 2
    )
    story.header.actors[1].modelVersion = 1
    story.register("share")
    story.run(.write(PlannedWrite(actor: "share", changes: [PlannedChange(.insert, Self.object)])))
    { $0.tell("share", .committed(transaction("1", [CommittedChange(.insert, Self.object)]))) }
    story.run(.launch("app")) { upgrade(&$0) }
    return story
  }

  private func transaction(
    _ name: TransactionName,
    _ changes: [CommittedChange] = []
  ) -> CommittedTransaction {
    CommittedTransaction(name: name, author: nil, timestamp: 0, changes: changes)
  }

  private func ledger(_ story: Story) -> Ledger {
    var timeline = Timeline(story.trace.header)
    for event in story.events { timeline.advance(event) }
    return timeline.ledger
  }

  @Test func `The first launch of a newer program gives objects the default values`() throws {
    let upgraded = try story { story in
      story.tell("app", .committed(transaction("2")))
      story.tell("app", .registered(cursor: "2"))
    }
    #expect(ledger(upgraded).objects == [Self.object: ["rank": 7]])
    #expect(
      ledger(try story { $0.tell("app", .registered(cursor: "1")) }).objects == [Self.object: [:]]
    )
  }

  @Test func `A second change of the model is rejected`() throws {
    var upgraded = try story { $0.tell("app", .committed(transaction("2"))) }
    upgraded.run(.launch("app")) { $0.tell("app", .committed(transaction("3"))) }
    let found = try #require(upgraded.verdict(Convergence.self).violation)
    #expect(found.because == "app wrote #3, which no command of the plan asked for")
  }

  @Test func `A view of an older program lacks the attributes of the newer one`() throws {
    var upgraded = try story { story in
      story.tell("app", .committed(transaction("2")))
      story.tell("app", .registered(cursor: "2"))
    }
    upgraded.tell(nil, .called(command: nil, word: "data"))
    upgraded.tell(nil, .data([Self.object: ["rank": 7]]))
    upgraded.tell("share", .viewed(context: "view", [Self.object: [:]]))
    upgraded.tell("app", .viewed(context: "view", [Self.object: ["rank": 7]]))
    #expect(upgraded.verdict(Convergence.self).violation == nil)
    upgraded.tell("app", .viewed(context: "view", [Self.object: [:]]))
    #expect(upgraded.verdict(Convergence.self).violation != nil)
  }
}
