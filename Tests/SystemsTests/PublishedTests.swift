import HistoryTypes
import Testing
import Traces

@testable import Systems

/// The author under which a CloudKit mirror imports.
let mirror = "NSCloudKitMirroringDelegate.import"

extension Rig {
  /// Creates a published system with two or more running actors.
  convenience init(
    _ system: TrackingDesign,
    actors: [ActorID] = ["app", "widget"],
    _ change: (inout PlanHeader) -> Void = { _ in }
  ) throws {
    try self.init(PublishedSystem(system), actors: actors, launching: true, change)
  }

  /// Returns the transactions that a pass purged.
  func purged(by action: Action) throws -> [TransactionName] {
    for case .purged(let names) in try perform(action) { return names }
    return []
  }
}

/// Returns a published system by its name, for the arguments of a test.
func published(_ name: String) throws -> TrackingDesign {
  try #require(TrackingDesign.all.first { $0.name == name })
}

@Suite struct `The fetchers and mergers of the kit` {
  @Test(arguments: ["kit-1.0", "kit-1.3", "kit-2"])
  func `A fetch returns the other listed authors, whatever their context, and never its own`(
    _ name: String
  ) throws {
    let rig = try Rig(published(name)) { $0.batchAuthors = ["import"] }
    try rig.write("app", insert(1))
    try rig.write("app", insert(2), context: "batch")
    try rig.write("widget", insert(3))
    try rig.write("widget", insert(4), context: "batch")
    try rig.write("widget", insert(5), author: .absent)
    try rig.write("app", insert(6), author: .other("import"))
    try rig.write("widget", insert(7), author: .other("stranger"))
    #expect(try rig.perform(.fetch("app")) == [.fetched(["3", "4", "6"])])
    #expect(try rig.perform(.fetch("widget")) == [.fetched(["1", "2", "6"])])
  }

  @Test func `Without other listed authors, version 1 fetches no transactions and version 2 all`()
    throws
  {
    for (name, expected) in [("kit-1.0", []), ("kit-1.3", []), ("kit-2", ["1", "2", "3", "4"])] {
      let rig = try Rig(published(name)) { $0.actors[0].allAuthors = ["app"] }
      try rig.write("app", insert(1))
      try rig.write("widget", insert(2))
      try rig.write("app", insert(3), author: .absent)
      try rig.write("app", insert(4), author: .other(mirror))
      #expect(try rig.perform(.fetch("app")) == [.fetched(expected)], "\(name)")
    }
  }

  @Test(arguments: ["seven-day-purge", "kit-1.0", "kit-1.3", "kit-2"])
  func `The date is recorded after the merge, and not after an empty fetch`(_ name: String) throws {
    let rig = try Rig(published(name))
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
    try rig.write("widget", insert(1))
    try rig.perform(.fetch("app"))
    #expect(try rig.perform(.record("app")) == [])
    #expect(
      try rig.perform(.pass("app")) == [.fetched(["1"]), .merged(["1"]), .recorded(cursor: "1")]
    )
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
    try rig.write("widget", insert(2))
    try rig.perform(.fetch("app"))
    #expect(try rig.perform(.merge("app")) == [.merged(["2"])])
    #expect(try rig.perform(.crash("app")) == [.crashed])
    try rig.perform(.launch("app"))
    #expect(try rig.perform(.fetch("app")) == [.fetched(["2"])])
  }

  @Test(arguments: ["seven-day-purge", "kit-1.0", "kit-1.3", "kit-2"])
  func `A fetch is strictly after the date of the last transaction, not after the latest`(
    _ name: String
  ) throws {
    let rig = try Rig(published(name))
    try rig.write("widget", insert(1), after: 10)
    try rig.write("widget", insert(2), after: -5)
    #expect(try rig.perform(.pass("app")).contains(.recorded(cursor: "2")))
    #expect(try rig.perform(.fetch("app")) == [.fetched(["1"])])
    try rig.write("widget", insert(3), after: 0)
    try rig.write("widget", insert(4), after: -1)
    #expect(try rig.perform(.fetch("app")) == [.fetched(["1"])])
  }

  @Test func `A batch author unknown to an actor is not fetched`() throws {
    let rig = try Rig(.kit2) {
      $0.batchAuthors = ["import"]
      $0.actors[0].batchAuthors = []
    }
    try rig.write("widget", insert(1), author: .other("import"))
    #expect(try rig.perform(.fetch("app")) == [.fetched([])])
  }

  @Test(arguments: ["kit-1.0", "kit-1.3", "kit-2"])
  func `A mirror's imports are fetched unless the actor opts out, and no other transactions of it`(
    _ name: String
  ) throws {
    let rig = try Rig(published(name)) {
      $0.protectedAuthors = ["NSCloudKitMirroringDelegate.*"]
      $0.actors[1].ignores = [mirror]
    }
    try rig.write("app", insert(1), author: .other(mirror))
    try rig.write("app", insert(2), author: .other("NSCloudKitMirroringDelegate.export"))
    #expect(try rig.perform(.fetch("app")) == [.fetched(["1"])])
    #expect(try rig.perform(.fetch("widget")) == [.fetched([])])
  }

  @Test func `A kit merges into every context, but not between its own contexts`() throws {
    let rig = try Rig(.kit2) { $0.actors[0].contexts = 2 }
    try rig.write("widget", insert(1))
    try rig.write("app", insert(2))
    try rig.perform(.pass("app"))
    #expect(try rig.objects(.view("app", context: "view"))?.count == 2)
    #expect(try rig.objects(.view("app", context: "view-2"))?.keys.sorted() == [item(1)])
  }

  @Test func `A manager uses its actor's name if the contexts have no author`() throws {
    let rig = try Rig(.kit2, actors: ["app", "widget", "share"]) {
      $0.actors[0].author = nil
      $0.actors[1].author = nil
    }
    try rig.write("app", insert(1))
    #expect(try rig.perform(.pass("share")) == [.fetched([])])
    try rig.write("share", insert(2))
    // Each of the two has its own date.
    #expect(try rig.perform(.pass("app")).contains(.recorded(cursor: "2")))
    #expect(try rig.perform(.pass("widget")).contains(.recorded(cursor: "2")))
    #expect(try rig.perform(.pass("app")) == [.fetched([])])
  }

  @Test func `Seven-day-purge fetches all transactions but its own, listed or not`() throws {
    let rig = try Rig(.sevenDayPurge) { $0.actors[0].allAuthors = ["app"] }
    try rig.write("app", insert(1))
    try rig.write("app", insert(2), context: "batch")
    try rig.write("widget", insert(3))
    try rig.write("app", insert(4), author: .absent)
    try rig.write("app", insert(5), author: .other("stranger"))
    #expect(try rig.perform(.fetch("app")) == [.fetched(["3", "4", "5"])])
  }

  @Test(arguments: TrackingDesign.all.map(\.name))
  func `A notification triggers a pass, a launch does not`(_ name: String) throws {
    let rig = try Rig(published(name), actors: ["app", "widget"])
    try rig.perform(.stop("app"))
    try rig.write("widget", insert(1))
    #expect(try rig.perform(.launch("app")) == [.launched(cursor: nil)])
    let events = try rig.perform(.deliver("app", .delivered))
    #expect(events.prefix(2) == [.woke, .fetched(["1"])])
    #expect(events.contains(.merged(["1"])) && events.contains(.recorded(cursor: "1")))
  }
}
