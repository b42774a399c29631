import HistoryTypes
import Testing
import Traces

@testable import Systems

@Suite struct `The strategies of the published systems` {
  /// Returns which passes of the widget deleted history, each after a write of the app.
  private func passesThatPurge(_ rig: Rig, _ count: Int, every seconds: Double = 1) throws -> [Int]
  {
    try (1...count).filter { _ in
      try rig.write("app", insert(Int64(rig.eventCount)), after: seconds)
      return try !rig.purged(by: .pass("widget")).isEmpty
    }
  }

  /// A kit in which the widget merges the app's writes, so that each pass could delete.
  private func rig(_ system: TrackingDesign, _ strategy: String?) throws -> Rig {
    let rig = try Rig(system) { $0.actors[1].strategy = strategy }
    // The app's date is far ahead of everything that it writes itself.
    try rig.write("widget", insert(100), after: 1_000_000)
    try rig.perform(.pass("app"))
    rig.clock.now -= 999_999
    try rig.write("app", insert(99))
    return rig
  }

  @Test func `By default each pass that found transactions deletes`() throws {
    for system in [TrackingDesign.kit10, .kit13, .kit2] {
      #expect(try passesThatPurge(rig(system, nil), 3) == [1, 2, 3], "\(system.name)")
      #expect(try passesThatPurge(rig(system, "none"), 3) == [], "\(system.name)")
    }
  }

  @Test func `Version 1 deletes at the first of N passes, version 2 at the last`() throws {
    #expect(try passesThatPurge(rig(.kit10, "byNotification/3"), 7) == [1, 4, 7])
    #expect(try passesThatPurge(rig(.kit13, "byNotification/3"), 7) == [1, 4, 7])
    #expect(try passesThatPurge(rig(.kit2, "byNotification/3"), 7) == [3, 6])
  }

  @Test func `An empty fetch does not count for any strategy`() throws {
    let rig = try rig(.kit2, "byNotification/2")
    try rig.write("app", insert(1))
    #expect(try rig.purged(by: .pass("widget")) == [])
    #expect(try rig.perform(.pass("widget")) == [.fetched([])])
    try rig.write("app", insert(2))
    #expect(try rig.purged(by: .pass("widget")) != [])
  }

  @Test func `By duration the first pass deletes, and then the first after the interval`() throws {
    for system in [TrackingDesign.kit10, .kit13, .kit2] {
      let rig = try rig(system, "byDuration/60")
      #expect(try passesThatPurge(rig, 7, every: 20) == [1, 5], "\(system.name)")
    }
  }

  @Test func `A strategy's state ends with the process`() throws {
    let rig = try rig(.kit10, "byNotification/3")
    #expect(try passesThatPurge(rig, 2) == [1])
    try rig.perform(.crash("widget"))
    try rig.perform(.launch("widget"))
    #expect(try passesThatPurge(rig, 1) == [1])
  }

  @Test func `Version 2 uses up its opportunity even if a date is missing`() throws {
    let rig = try Rig(.kit2) { $0.actors[1].strategy = "byDuration/60" }
    try rig.write("app", insert(1))
    #expect(try rig.purged(by: .pass("widget")) == [])
    try rig.write("widget", insert(2))
    try rig.perform(.pass("app"))
    try rig.write("app", insert(3))
    // Every actor has a date now and has merged the first transaction.
    #expect(try rig.purged(by: .pass("widget")) == [])
    try rig.write("app", insert(4), after: 60)
    #expect(try rig.purged(by: .pass("widget")) != [])
  }

  @Test func `The quick start never deletes because each process sees only its own date`() throws {
    let rig = try Rig(.kit2Readme)
    for round in 1...4 as ClosedRange<Int64> {
      try rig.write("app", insert(2 * round))
      try rig.write("widget", insert(2 * round + 1), after: 10 * 86_400)
      #expect(try rig.perform(.pass("app")).last?.isRecord == true)
      #expect(try rig.perform(.pass("widget")).last?.isRecord == true)
    }
    #expect(try rig.held().count == 8)
  }

  @Test func `The quick start's idle author alone retains everything, even in a shared suite`()
    throws
  {
    let rig = try Rig(.kit2Readme) { header in
      for index in header.actors.indices { header.actors[index].cursors = "shared" }
    }
    try rig.write("app", insert(1))
    try rig.write("widget", insert(2))
    try rig.perform(.pass("app"))
    #expect(try rig.purged(by: .pass("widget")) == [])
    rig.clock.now += 30 * 86_400
    try rig.write("app", insert(3))
    #expect(try rig.purged(by: .pass("widget")) == [])
  }

  @Test func `In the quick start two processes of one author do not share its date`() throws {
    let rig = try Rig(.kit2Readme, actors: ["app", "second", "widget"]) {
      $0.actors[1].author = "app"
    }
    try rig.write("widget", insert(1))
    #expect(try rig.perform(.pass("app")).contains(.merged(["1"])))
    #expect(try rig.perform(.pass("second")).contains(.merged(["1"])))
  }

  @Test func `A process with separate dates is waited for in vain`() throws {
    let rig = try Rig(.kit2) { $0.actors[0].cursors = "own" }
    try rig.write("app", insert(1))
    try rig.write("widget", insert(2))
    try rig.perform(.pass("app"))
    #expect(try rig.purged(by: .pass("widget")) == [])
    try rig.write("app", insert(3))
    #expect(try rig.purged(by: .pass("widget")) == [])
  }

  @Test func `An unknown strategy is refused`() throws {
    let rig = try Rig(PublishedSystem(.kit2), launching: false) {
      $0.actors[0].strategy = "whenMerged"
    }
    let failure = #expect(throws: SystemFailure.self) { try rig.perform(.launch("app")) }
    #expect(
      failure?.message
        == "app uses the purge strategy \"whenMerged\", which this design does not support."
    )
    for word in TrackingDesign.strategyWords {
      #expect(TrackingDesign.knows(strategy: word))
    }
    #expect(!TrackingDesign.knows(strategy: "whenLargerThan/0.5"))
  }
}

extension EventKind {
  /// Whether it is the end of a pass that deleted no history.
  fileprivate var isRecord: Bool {
    if case .recorded(_?) = self { true } else { false }
  }
}
