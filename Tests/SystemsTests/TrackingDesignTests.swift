import HistoryTypes
import Testing
import Traces

@testable import Systems

@Suite struct `Designs as values` {
  @Test(arguments: (TrackingDesign.all + [.corner]).map(\.name))
  func `A design survives its file`(_ name: String) throws {
    let design = try #require((TrackingDesign.all + [.corner]).first { $0.name == name })
    #expect(try DesignCodec.decode(DesignCodec.encode(design)) == design)
  }

  @Test func `Every choice of every decision can be made and read again`() {
    for decision in DesignDecision.all {
      #expect(Set(decision.choices.map(\.word)).count == decision.choices.count)
      for choice in decision.choices {
        var design = TrackingDesign.kit2Manual
        decision.set(choice.word, in: &design)
        #expect(decision.choice(of: design) == choice.word)
        #expect(!choice.sentence.isEmpty)
      }
    }
  }

  @Test func `A file contains only the differences from its base design`() throws {
    let design = try DesignCodec.decode(
      #"{"design": 1, "name": "my-app", "like": "kit-2-readme", "position": "number"}"#
    )
    var expected = TrackingDesign.kit2Readme
    expected.position = .number
    #expect(design == expected.named("my-app", "A design like kit-2-readme."))
  }

  @Test func `A change of the bound is one of every cleaner that the design has`() throws {
    let bound = try #require(DesignDecision.named("bound"))
    var manual = TrackingDesign.kit2Manual
    #expect(bound.choice(of: manual) == "known")
    bound.set("everyone", in: &manual)
    #expect(manual.boundByCommand == .everyone)
    var automatic = TrackingDesign.kit13
    bound.set("everyone", in: &automatic)
    #expect(automatic.bound == .everyone && automatic.boundByCommand == nil)
  }

  @Test(arguments: [
    (
      #"{"design": 1, "name": "a", "like": "kit-2", "postion": "number"}"#,
      "Did you mean \"position\"?"
    ),
    (
      #"{"design": 1, "name": "a", "like": "kit-2", "position": "numbr"}"#,
      "Did you mean \"number\"?"
    ),
    (#"{"design": 1, "name": "a", "like": "kit2"}"#, "Did you mean \"kit-2\"?"),
    (#"{"design": 1, "name": "a", "position": "number"}"#, "neither \"like\" nor \"comparison\""),
    (#"{"design": 1, "like": "kit-2"}"#, "has no \"name\""),
    (#"{"design": 2, "name": "a", "like": "kit-2"}"#, "design"),
    (#"{"design": 1, "name": "a", "like": "kit-2", "strategy": "daily"}"#, "no strategy \"daily\""),
    (#"{"design": 1, "name": "a", "like": "kit-2", "position": true}"#, "Make it a string"),
    (#"{"design": 1,"#, "this is not JSON"),
  ])
  func `A bad file is an error with a suggestion`(_ text: String, _ part: String) {
    let error = #expect(throws: FormatError.self) { try DesignCodec.decode(text) }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
  }
}

@Suite struct `The choices of designs` {
  private func rig(
    _ design: TrackingDesign,
    _ change: (inout TrackingDesign) -> Void
  ) throws -> Rig {
    try Rig(design.named("test", "A design of a test.", change))
  }

  @Test func `A position by number survives two writes at the same time, one by date does not`()
    throws
  {
    for (position, expected) in [(PositionKind.date, []), (.number, ["2"])] {
      let rig = try rig(.kit2) { $0.position = position }
      try rig.write("app", insert(1))
      try rig.perform(.pass("widget"))
      try rig.write("app", insert(2), after: 0)
      #expect(try rig.perform(.fetch("widget")) == [.fetched(expected)])
    }
  }

  @Test func `A fetch at the position reads its transaction again`() throws {
    for position in [PositionKind.date, .number] {
      let rig = try rig(.kit2) { ($0.position, $0.comparison) = (position, .at) }
      try rig.write("app", insert(1))
      try rig.perform(.pass("widget"))
      #expect(try rig.perform(.fetch("widget")) == [.fetched(["1"])])
    }
  }

  @Test func `A design that reads everything reads its own transactions too`() throws {
    for (reads, expected) in [
      (Reading.everything, ["1", "2", "3"]), (.allButOwnView, ["1", "3"]),
    ] {
      let rig = try rig(.kit2) { $0.reads = reads }
      try rig.write("app", insert(1), context: "background")
      try rig.write("app", insert(2))
      try rig.write("widget", insert(3))
      #expect(try rig.perform(.fetch("app")) == [.fetched(expected)])
    }
  }

  @Test func `A process that starts at the newest transaction does not read it`() throws {
    let rig = try rig(.kit2) { ($0.startsAt, $0.positionOf) = (.newest, .process) }
    try rig.write("app", insert(1))
    try rig.perform(.retire("widget"))
    #expect(try rig.perform(.launch("widget")) == [.registered(cursor: "1")])
    #expect(try rig.perform(.fetch("widget")) == [.fetched([])])
  }

  @Test func `A purge waits for a registered process with an empty list`() throws {
    for (waits, purged) in [(Waiting.listedReaders, ["1"]), (.registered, [])] {
      let rig = try Rig(
        TrackingDesign.kit2Manual.named("test", "A design of a test.") {
          ($0.waitsFor, $0.boundByCommand) = (waits, .everyone)
        }
      ) { $0.actors[0].allAuthors = ["app"] }
      try rig.write("app", insert(1))
      try rig.write("app", insert(2))
      try rig.perform(.pass("app"))
      #expect(try rig.purged(by: .purge("app")) == purged)
    }
  }

  @Test func `A design that reloads reports that its history is gone`() throws {
    for (response, isLoud) in [(Expiry.readsOn, false), (.reloads, true)] {
      let rig = try rig(.sevenDayPurge) { ($0.position, $0.ifExpired) = (.number, response) }
      try rig.write("app", insert(1))
      try rig.perform(.pass("widget"))
      try rig.write("app", insert(2))
      try rig.write("app", insert(3), after: 8 * 86_400)
      #expect(try rig.purged(by: .purge("app")) == ["1", "2"])
      let events = try rig.perform(.fetch("widget"))
      #expect(events == (isLoud ? [.expired, .resynced(cursor: "3")] : [.fetched(["3"])]))
    }
  }

  @Test func `A purge that spares protected authors leaves a mirror's imports`() throws {
    let rig = try rig(.sevenDayPurge) { $0.deletes = .allButProtected }
    try rig.write("app", insert(1), author: .other(mirror))
    try rig.write("app", insert(2), author: .absent)
    try rig.write("app", insert(3), after: 8 * 86_400)
    #expect(try rig.purged(by: .purge("app")) == ["2"])
  }
}
