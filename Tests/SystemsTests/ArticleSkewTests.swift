import HistoryTypes
import Testing
import Traces

@testable import Systems

@Suite struct `The article's manager, configured in different ways` {
  @Test func `An author unknown to an actor is not fetched`() throws {
    let rig = try Rig(PublishedSystem(.article)) { $0.actors[0].allAuthors = ["app"] }
    try rig.write("widget", insert(1))
    #expect(try rig.perform(.fetch("app")) == [.fetched([])])
    try rig.write("app", insert(2))
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["2"])])
  }

  @Test func `An actor with its own dates never sees another's`() throws {
    let rig = try Rig(PublishedSystem(.article)) { $0.actors[0].cursors = "own" }
    try rig.write("app", insert(1))
    try rig.write("widget", insert(2))
    try rig.perform(.pass("app"))
    try rig.perform(.pass("widget"))
    // Neither store of dates has one for every author, so no history is old enough to delete.
    #expect(try rig.perform(.purge("app")) == [])
    #expect(try rig.perform(.purge("widget")) == [])
    #expect(try rig.held() == ["1", "2"])
  }
}
