import HistoryTypes
import Testing
import Traces

@testable import Systems

private let day = 86_400.0

@Suite struct `The cleaners of the published systems` {
  @Test func `Version 1.0 does not delete while a date is missing and the earliest is recent`()
    throws
  {
    let rig = try Rig(.kit10)
    try rig.write("app", insert(1))
    try rig.write("app", insert(2), after: 7 * day)
    #expect(try rig.purged(by: .pass("widget")) == [])
    // The earliest date is now exactly seven days old, which is not older.
    rig.clock.now += 7 * day - 1
    try rig.write("app", insert(3))
    #expect(try rig.purged(by: .pass("widget")) == [])
    #expect(try rig.held() == ["1", "2", "3"])
  }

  @Test func `Version 1.0 deletes history over seven days old once the earliest date is`() throws {
    let rig = try Rig(.kit10Manual, actors: ["app", "widget", "share"])
    try rig.write("app", insert(1))
    try rig.perform(.pass("widget"))
    try rig.write("widget", insert(2))
    try rig.write("app", insert(3), after: day)
    rig.clock.now += 7 * day - 1
    // No actor has merged the second.
    #expect(try rig.purged(by: .purge("app")) == ["1", "2"])
    #expect(try rig.held() == ["3"])
  }

  @Test(arguments: ["kit-1.0", "kit-1.3", "kit-2"])
  func
    `When every actor has a date a pass deletes strictly before the earliest, and keeps the dates`(
      _ name: String
    ) throws
  {
    let rig = try Rig(published(name))
    try rig.perform(.stop("app"))
    try rig.write("widget", insert(1))
    try rig.perform(.launch("app"))
    try rig.write("app", insert(2))
    try rig.write("widget", insert(3), after: 0)
    let first = try rig.purged(by: .pass("app"))
    // The app's date is the third's; the widget's, at the same time, is the second's.
    let early = name == "kit-1.3" ? first : []
    #expect(first == early)
    #expect(try early + rig.purged(by: .pass("widget")) == ["1"])
    #expect(try rig.held() == ["2", "3"])
    #expect(try rig.perform(.fetch("app")) == [.fetched([])])
    #expect(try rig.perform(.fetch("widget")) == [.fetched([])])
  }

  @Test(arguments: [("kit-1.3", Action.pass("widget")), ("kit-1.3-manual", .purge("widget"))])
  func `Version 1.3 considers only actors with a date`(_ name: String, _ action: Action) throws {
    let rig = try Rig(published(name), actors: ["app", "widget", "share"])
    try rig.write("app", insert(1))
    try rig.write("app", insert(2))
    if action.word == "purge" { try rig.perform(.pass("widget")) }
    // The share extension has not merged the first, and never will.
    #expect(try rig.purged(by: action) == ["1"])
    #expect(try rig.perform(.fetch("share")) == [.fetched(["2"])])
  }

  @Test func `Version 1.3 deletes history over seven days old if no actor has a date`() throws {
    let rig = try Rig(.kit13Manual)
    try rig.write("app", insert(1))
    try rig.write("app", insert(2))
    rig.clock.now += 7 * day
    #expect(try rig.purged(by: .purge("app")) == ["1"])
    #expect(try rig.held() == ["2"])
  }

  @Test func `A maximum duration replaces the seven days in the actor that has it`() throws {
    let rig = try Rig(.kit13Manual) { $0.actors[0].maximumDuration = day }
    try rig.write("app", insert(1))
    try rig.write("app", insert(2))
    rig.clock.now += day
    #expect(try rig.purged(by: .purge("widget")) == [])
    #expect(try rig.purged(by: .purge("app")) == ["1"])
    #expect(try rig.held() == ["2"])
  }

  @Test func `Version 2 does not delete while a required author has no date, however long ago`()
    throws
  {
    let rig = try Rig(.kit2, actors: ["app", "widget", "share"])
    try rig.write("app", insert(1))
    try rig.write("app", insert(2))
    #expect(try rig.purged(by: .pass("widget")) == [])
    try rig.write("share", insert(3), after: 100 * day)
    #expect(try rig.purged(by: .pass("widget")) == [])
    #expect(try rig.purged(by: .pass("app")) == [])
    // Now it has a date: the earliest is the widget's and the app's, of the third.
    #expect(try rig.purged(by: .pass("share")) == ["1"])
    #expect(try rig.held() == ["2", "3"])
  }

  @Test func `The manual cleaner of version 2 considers only actors with a date`() throws {
    let rig = try Rig(.kit2Manual, actors: ["app", "widget", "share"])
    try rig.write("app", insert(1))
    try rig.write("app", insert(2))
    #expect(try rig.purged(by: .purge("app")) == [])
    rig.clock.now += 100 * day
    #expect(try rig.purged(by: .purge("app")) == [])
    try rig.perform(.pass("widget"))
    #expect(try rig.purged(by: .purge("app")) == ["1"])
    #expect(try rig.perform(.fetch("share")) == [.fetched(["2"])])
  }

  @Test(arguments: ["kit-1.0", "kit-2"])
  func `No pass waits for a batch author, whose transactions are deleted too`(
    _ name: String
  ) throws {
    let rig = try Rig(published(name)) { $0.batchAuthors = ["import"] }
    try rig.write("app", insert(1), author: .other("import"))
    try rig.write("app", insert(2))
    try rig.write("widget", insert(3))
    try rig.perform(.pass("app"))
    #expect(try rig.purged(by: .pass("widget")) == ["1"])
  }

  @Test func `The manual cleaner of version 1.0 gets no batch authors, and waits for them`()
    throws
  {
    let rig = try Rig(.kit10Manual) { $0.batchAuthors = ["import"] }
    try rig.write("app", insert(1))
    try rig.write("app", insert(2))
    try rig.write("widget", insert(3))
    try rig.perform(.pass("app"))
    try rig.perform(.pass("widget"))
    #expect(try rig.purged(by: .purge("app")) == [])
    rig.clock.now += 8 * day
    #expect(try rig.purged(by: .purge("app")) == ["1", "2", "3"])
  }

  @Test func `Authors outside the list are never deleted, except by seven-day-purge`() throws {
    for (name, gone) in [
      ("kit-1.0-manual", ["3"]), ("kit-1.3-manual", ["3"]), ("kit-2-manual", ["3"]),
      ("seven-day-purge", ["1", "2", "3", "4", "5"]),
    ] {
      let rig = try Rig(published(name))
      try rig.write("app", insert(1), author: .absent)
      try rig.write("app", insert(2), author: .other(mirror))
      try rig.write("app", insert(3))
      try rig.write("widget", insert(4))
      try rig.write("app", insert(5))
      try rig.perform(.pass("app"))
      try rig.perform(.pass("widget"))
      rig.clock.now += name == "seven-day-purge" ? 8 * day : 1
      #expect(try rig.purged(by: .purge("app")) == gone, "\(name)")
    }
  }

  @Test func `Version 1 keeps a mirror's imports that it merges, and does not wait for the mirror`()
    throws
  {
    for system in [TrackingDesign.kit10, .kit13] {
      let rig = try Rig(system) { $0.protectedAuthors = [mirror] }
      try rig.write("app", insert(1), author: .other(mirror))
      try rig.write("app", insert(2))
      try rig.write("widget", insert(3))
      let early = try rig.purged(by: .pass("app"))
      try rig.write("app", insert(4))
      #expect(try early + rig.purged(by: .pass("widget")) == ["2"])
      #expect(try rig.held() == ["1", "3", "4"])
    }
  }

  @Test func `Version 2 waits for a mirror that it merges, and would delete its imports`() throws {
    let rig = try Rig(.kit2, actors: ["app", "widget", "cloud"]) {
      $0.protectedAuthors = [mirror]
      $0.actors[0].allAuthors = ["app", "widget"]
      $0.actors[1].allAuthors = ["app", "widget"]
      $0.actors[2].author = mirror
      $0.actors[2].strategy = "none"
    }
    try rig.write("cloud", insert(1))
    try rig.write("app", insert(2))
    try rig.write("app", insert(3))
    try rig.write("widget", insert(4))
    try rig.perform(.pass("app"))
    #expect(try rig.purged(by: .pass("widget")) == [])
    // Only a date under the mirror's author unblocks it.
    try rig.perform(.pass("cloud"))
    try rig.write("app", insert(5))
    #expect(try rig.purged(by: .pass("widget")) == ["1", "2", "3"])
  }

  @Test func `The manual cleaner of version 2 ignores mirrors`() throws {
    let rig = try Rig(.kit2Manual) { $0.protectedAuthors = [mirror] }
    try rig.write("app", insert(1), author: .other(mirror))
    try rig.write("app", insert(2))
    try rig.write("app", insert(3))
    try rig.perform(.pass("widget"))
    #expect(try rig.purged(by: .purge("widget")) == ["2"])
    #expect(try rig.held() == ["1", "3"])
  }

  @Test func `Seven-day-purge deletes strictly before seven days ago, merged or not`() throws {
    let rig = try Rig(.sevenDayPurge)
    try rig.write("app", insert(1))
    try rig.write("app", insert(2))
    rig.clock.now += 7 * day
    #expect(try rig.purged(by: .purge("app")) == ["1"])
    #expect(try rig.held() == ["2"])
    #expect(try rig.purged(by: .pass("widget")) == [])
  }

  @Test(arguments: ["kit-1.0", "kit-1.3", "kit-2", "kit-2-readme"])
  func `A system that cleans after its passes has no cleaner command`(_ name: String) throws {
    let rig = try Rig(published(name))
    let failure = #expect(throws: SystemFailure.self) { try rig.perform(.purge("app")) }
    #expect(failure?.code == .unsupported)
    #expect(!rig.system.capabilities.contains(.purge))
  }

  @Test(arguments: ["kit-1.0-manual", "kit-1.3-manual", "kit-2-manual", "seven-day-purge"])
  func `A system with a cleaner command does not delete after a pass`(_ name: String) throws {
    let rig = try Rig(published(name))
    try rig.write("app", insert(1))
    try rig.write("widget", insert(2), after: 9 * day)
    try rig.perform(.pass("app"))
    #expect(try rig.purged(by: .pass("widget")) == [])
    #expect(rig.system.capabilities.contains(.purge))
  }
}
