import HistoryTypes
import PropertyTesting
import PropertyTraits
import TestSupport
import Testing
import Traces

@testable import Systems

@Suite struct `Snapshots and digests` {
  private static let names = ["tracker"] + TrackingDesign.all.map(\.name)

  private static func make(_ name: String) -> any SystemUnderTest {
    TrackingDesign.all.first { $0.name == name }.map(PublishedSystem.init) ?? TrackerSystem()
  }

  @Test(.property(cases: 2, seed: 1), arguments: names)
  func `A run restored from a snapshot continues identically`(_ system: String) async throws {
    try await property(.cutRuns) { run in
      let straight = try Rig(Self.make(system), launching: false)
      let expected = straight.run(run.before + run.after)

      let rig = try Rig(Self.make(system), launching: false)
      let first = rig.run(run.before)
      let digest = try rig.system.digest()
      let (now, count) = (rig.clock.now, rig.eventCount)
      let snapshot = try rig.system.snapshot()
      #expect(try rig.system.digest() == digest)
      let second = rig.run(run.after)
      #expect(first + second == expected)

      let end = try rig.system.digest()
      rig.clock.now = now
      try rig.system.restore(snapshot)
      #expect(try rig.system.digest() == digest)
      #expect(rig.eventCount > count)
      #expect(rig.run(run.after) == second)
      #expect(try rig.system.digest() == end)
    }
  }

  @Test func `A snapshot may be restored repeatedly`() throws {
    let rig = try Rig(TrackerSystem())
    try rig.write("app", insert(1, "milk"))
    let snapshot = try rig.system.snapshot()
    for title in ["a", "b", "c"] {
      try rig.write("app", update(1, title))
      try rig.write("widget", delete(1))
      try rig.system.restore(snapshot)
      #expect(try rig.objects(.data) == [item(1): values("milk", nil)])
      #expect(try rig.held() == ["1"])
    }
  }

  @Test(.property(cases: 2, seed: 1))
  func `A run whose connections are replaced continues identically`() async throws {
    try await property(.cutRuns) { run in
      let expected = try Rig(TrackerSystem(), launching: false).run(run.before + run.after)
      let system = TrackerSystem()
      let rig = try Rig(system, launching: false)
      let first = rig.run(run.before)
      let (digest, store) = (try system.digest(), try system.host.planStore().store())
      try system.reconnect()
      #expect(try system.host.planStore().store() !== store)
      #expect(try system.digest() == digest)
      #expect(first + rig.run(run.after) == expected)
    }
    let article = try Rig(PublishedSystem(.article))
    #expect(throws: SystemFailure.self) { try article.system.reconnect() }
  }

  @Test func `A process with live queries has no snapshot`() throws {
    let system = TrackerSystem()
    let rig = try Rig(system)
    _ = try system.snapshot()
    try rig.perform(.watch(PlannedWatch(actor: "app", entity: "Item")))
    let failure = #expect(throws: SystemFailure.self) { try system.snapshot() }
    #expect(failure?.code == .unsupported)
    try rig.perform(.stop("app"))
    _ = try system.snapshot()
  }

  @Test func `A snapshot of another system is refused`() throws {
    let (tracker, article) = (try Rig(TrackerSystem()), try Rig(PublishedSystem(.article)))
    let snapshot = try article.system.snapshot()
    #expect(throws: SystemFailure(.failed, "The snapshot is of another system.")) {
      try tracker.system.restore(snapshot)
    }
    let own = try tracker.system.snapshot()
    #expect(throws: SystemFailure.self) { try article.system.restore(own) }
    // A snapshot restores the files of its system, so that another system of its type refuses it.
    let second = try Rig(TrackerSystem())
    #expect(throws: SystemFailure(.failed, "The snapshot is of another system.")) {
      try second.system.restore(own)
    }
    #expect(throws: SystemFailure.self) { try TrackerSystem().snapshot() }
    #expect(throws: SystemFailure.self) { try PublishedSystem(.article).digest() }
  }

  @Test(arguments: names)
  func `A digest changes with everything that affects later behaviour`(_ system: String) throws {
    let rig = try Rig(Self.make(system))
    var digests = [try rig.system.digest()]
    func expectChange(_ what: String, _ change: () throws -> Void) throws {
      try change()
      let digest = try rig.system.digest()
      #expect(!digests.contains(digest), "\(what)")
      #expect(try rig.system.digest() == digest)
      digests.append(digest)
    }
    try expectChange("a write") { try rig.write("app", insert(1, "a")) }
    try expectChange("an update") { try rig.write("app", update(1, "b")) }
    try expectChange("a fetch") { try rig.perform(.fetch("widget")) }
    try expectChange("a merge") { try rig.perform(.merge("widget")) }
    try expectChange("a record") { try rig.perform(.record("widget")) }
    let write = PlannedWrite(actor: "app", changes: [insert(2)])
    try expectChange("a begin") { try rig.perform(.begin(write)) }
    try expectChange("a commit") { try rig.perform(.commit("app")) }
    try expectChange("the clock") { rig.clock.now += 1 }
    try expectChange("a stop") { try rig.perform(.stop("widget")) }
  }

  @Test func `Reading views, data and history does not change the digest`() throws {
    let rig = try Rig(TrackerSystem())
    try rig.write("app", insert(1, "a"))
    let digest = try rig.system.digest()
    for action in [Action.view("app", context: "view"), .data, .history] { try rig.perform(action) }
    #expect(try rig.system.digest() == digest)
  }

  @Test func `The digest does not depend on the connection that assigned an object's key`() throws {
    let rigs = try (0..<2).map { _ in try Rig(TrackerSystem()) }
    // The widget reserves keys first in one run and second in the other.
    try rigs[0].write("widget", insert(9))
    try rigs[0].write("widget", delete(9))
    try rigs[1].write("app", insert(9))
    try rigs[1].write("app", delete(9))
    for rig in rigs {
      try rig.perform(.pass("app"))
      try rig.perform(.pass("widget"))
      try rig.write("app", insert(1, "a"))
      try rig.write("widget", insert(2, "b"))
      for actor in ["app", "widget", "app"] as [ActorID] { try rig.perform(.pass(actor)) }
    }
    #expect(try rigs[0].held() == rigs[1].held())
    #expect(try rigs[0].system.digest() == rigs[1].system.digest())
  }
}

/// The result of a command.
enum Reported: Hashable {
  case happened(ActorID?, EventKind)
  case failed(String, SystemFailure.Code)
}

extension Rig {
  /// Performs actions one after another, and returns all events, failures included.
  func run(_ actions: some Sequence<Action>) -> [Reported] {
    var reported: [Reported] = []
    for action in actions {
      let before = eventCount
      do throws(SystemFailure) {
        if case .write = action { clock.now += 1 }
        if case .clock(let advance) = action { clock.now += advance }
        try perform(action)
      } catch {
        reported.append(.failed(action.word, error.code))
      }
      reported += events(since: before)
    }
    return reported
  }
}
