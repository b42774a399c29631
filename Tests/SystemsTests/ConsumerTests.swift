import HistoryTypes
import Testing
import Traces

@testable import Systems

@Suite struct `Consumers and contexts of the tracker` {
  private func rig() throws -> Rig {
    let rig = try Rig(TrackerSystem()) { $0.consumers = ["mirror"] }
    #expect(try rig.perform(.launch("mirror")) == [.registered(cursor: nil)])
    return rig
  }

  @Test func `A consumer reads every author's writes and delays purges until then`() throws {
    let rig = try rig()
    try rig.write("app", insert(1))
    try rig.write("app", insert(2))
    try rig.perform(.pass("app"))
    try rig.perform(.pass("widget"))
    #expect(try rig.perform(.purge("app")) == [])
    #expect(try rig.perform(.consume("mirror")) == [.consumed(["1", "2"])])
    #expect(try rig.perform(.consume("mirror")) == [.consumed([])])
    #expect(try rig.perform(.purge("app")) == [.purged(["1"])])
  }

  @Test func `A snapshot keeps a consumer's token`() throws {
    let rig = try rig()
    try rig.write("app", insert(1))
    let (before, digest) = (try rig.system.snapshot(), try rig.system.digest())
    #expect(try rig.perform(.consume("mirror")) == [.consumed(["1"])])
    #expect(try rig.system.digest() != digest)
    try rig.system.restore(before)
    #expect(try rig.system.digest() == digest)
    #expect(try rig.perform(.consume("mirror")) == [.consumed(["1"])])
  }

  @Test func `Each context of an actor merges the other contexts' saves`() throws {
    let rig = try Rig(TrackerSystem()) { $0.actors[0].contexts = 2 }
    try rig.write("app", insert(1, "a"))
    try rig.write("app", insert(2, "b"), context: "view-2")
    #expect(try rig.perform(.fetch("app")) == [.fetched(["1", "2"])])
    try rig.perform(.merge("app"))
    let data = try rig.objects(.data)
    #expect(data?.count == 2)
    for context in ["view", "view-2"] {
      #expect(try rig.objects(.view("app", context: context)) == data)
    }
    #expect(throws: SystemFailure.self) { try rig.perform(.view("app", context: "view-3")) }
  }
}
