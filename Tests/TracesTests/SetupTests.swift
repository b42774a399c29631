import HistoryTypes
import Testing
import Traces

@Suite struct `Custom configurations` {
  private static let whole = """
    {
      "config": 1,
      "model": [{"entity": "Note", "attributes": [{"name": "text", "type": "string"}]}],
      "actors": [
        {"id": "app", "author": "app", "contexts": 2},
        {"id": "widget", "author": "widget", "launched": false, "strategy": "none"}
      ],
      "consumers": ["index"],
      "batchAuthors": ["import"],
      "protectedAuthors": ["NSCloudKitMirroringDelegate.*"],
      "retention": {"age": 604800, "transactions": 100},
      "drive": "signals"
    }
    """

  @Test func `Every key of a configuration is read`() throws {
    let setup = try SetupCodec.decode(Self.whole)
    #expect(setup.actors.map(\.id) == ["app", "widget"])
    #expect(setup.actors[0].contextNames == ["view", "view-2"])
    #expect(setup.actors[1].strategy == "none" && !setup.actors[1].launched)
    #expect(setup.consumers == ["index"] && setup.batchAuthors == ["import"])
    #expect(setup.retention == PlannedRetention(age: 604_800, transactions: 100))
    #expect(setup.drive == .signals)
    let header = setup.header(model: try Model([Entity("Item", [Attribute("title", .string)])]))
    #expect(header.model.entities.map(\.name) == ["Note"])
    #expect(header.protectedAuthors == ["NSCloudKitMirroringDelegate.*"])
  }

  @Test func `Parameters of the kit are read, with its defaults`() throws {
    let setup = try SetupCodec.decode(
      """
      {
        "config": 2,
        "actors": [
          {"currentAuthor": "app", "allAuthors": ["app", "widget"], "batchAuthors": ["job"],
           "cleanStrategy": ".byDuration(seconds: 60 * 60 * 24 * 7)", "maximumDuration": 0.5},
          {"id": "w", "currentAuthor": "widget", "cleanStrategy": ".byNotification(times: 2)",
           "maximumDuration": "60 * 60 * 24"},
          {"id": "nameless", "cleanStrategy": ".none"},
          {"currentAuthor": "share"}
        ],
        "protectedAuthors": ["NSCloudKitMirroringDelegate.*"]
      }
      """
    )
    #expect(setup.actors.map(\.id) == ["app", "w", "nameless", "share"])
    #expect(setup.actors.map(\.author) == ["app", "widget", nil, "share"])
    #expect(
      setup.actors.map(\.strategy) == ["byDuration/604800", "byNotification/2", "none", nil]
    )
    #expect(setup.actors.map(\.maximumDuration) == [0.5, 86_400, nil, nil])
    #expect(setup.hasKitDefaults)
    #expect(setup.actors[0].allAuthors == ["app", "widget"])
    #expect(setup.actors[0].batchAuthors == ["job"] && setup.actors[1].batchAuthors == nil)
    // The kit does not merge a mirror's imports by default; version 1 did.
    let mirror = "NSCloudKitMirroringDelegate.import"
    #expect(setup.actors.allSatisfy { $0.ignores == [mirror] })
    let old = try SetupCodec.decode(
      #"{"config":1,"actors":[{"id":"app"}],"protectedAuthors":["NSCloudKitMirroringDelegate.*"]}"#
    )
    #expect(old.actors[0].ignores == nil && !old.hasKitDefaults)
  }

  @Test func `A mirror exists if a process includes it, and other processes ignore it`() throws {
    let mirror = "NSCloudKitMirroringDelegate.import"
    let setup = try SetupCodec.decode(
      """
      {"config":2,"actors":[{"currentAuthor":"app","includingCloudKitMirroring":true},
        {"currentAuthor":"widget","ignores":["app"]}]}
      """
    )
    #expect(setup.protectedAuthors == ["NSCloudKitMirroringDelegate.*"])
    #expect(setup.actors.map(\.ignores) == [nil, ["app", mirror]])
    let without = try SetupCodec.decode(#"{"config":2,"actors":[{"currentAuthor":"app"}]}"#)
    #expect(without.protectedAuthors.isEmpty && without.actors[0].ignores == nil)
  }

  @Test func `A background context may have its own author`() throws {
    let setup = try SetupCodec.decode(
      """
      {"config":2,"actors":[{"currentAuthor":"app","backgroundAuthor":"app.job"},
        {"currentAuthor":"widget","allAuthors":["app","widget"]}]}
      """
    )
    #expect(setup.backgroundAuthors == ["app": "app.job"])
    #expect(setup.actors.map(\.allAuthors) == [["app", "widget", "app.job"], ["app", "widget"]])
  }

  @Test(arguments: [
    (
      #"{"config":2,"actors":[{"id":"app","author":"app"}]}"#,
      #"line 1: actor 1 of the configuration has the key "author", which only version 1 has. Write "#
        + #""currentAuthor", as in PersistentHistoryTrackingKit."#
    ),
    (
      #"{"config":2,"actors":[{"currentAuthor":"app","strategy":"none"}]}"#,
      #"line 1: actor 1 of the configuration has the key "strategy", which only version 1 has. Write "#
        + #""cleanStrategy", as in PersistentHistoryTrackingKit."#
    ),
    (
      #"{"config":2,"actors":[{"currentAuthor":"app","maximumDuration":-60}]}"#,
      #"line 1: "maximumDuration" of actor 1 of the configuration is -60. Make it a number of seconds, "#
        + #"0 or more, such as 604800 or "60 * 60 * 24 * 7"."#
    ),
    (
      #"{"config":2,"actors":[{"currentAuthor":"app","logLevel":2}]}"#,
      #"line 1: actor 1 of the configuration has the key "logLevel", which the lab does not support. "#
        + "Remove the key: the lab tests only the default of PersistentHistoryTrackingKit."
    ),
    (
      #"{"config":2,"actors":[{"launched":true}]}"#,
      #"actor 1 of the configuration has neither "currentAuthor" nor "id". Write "#
        + #"{"currentAuthor":"app"}."#
    ),
    (
      #"{"config":2,"actors":[{"currentAuthor":"app","cleanStrategy":".byDuration(days: 7)"}]}"#,
      #"line 1: "cleanStrategy" of actor 1 of the configuration is ".byDuration(days: 7)". Make "#
        + #"it a strategy of PersistentHistoryTrackingKit such as ".none", ".byNotification(times: 1)" or "#
        + #"".byDuration(seconds: 604800)", or a word of the system such as "whenMerged"."#
    ),
    (
      #"{"config":1,"actors":[{"id":"app","includingCloudKitMirroring":true}]}"#,
      #"line 1: actor 1 of the configuration has the key "includingCloudKitMirroring", but the "#
        + #"configuration has version 1. Write "config": 2, and use the parameter names of version 2 in all "#
        + "actors."
    ),
  ])
  func `Keys of the other version are refused with a suggestion`(
    _ text: String,
    _ reported: String
  ) throws {
    let error = try #require(throws: FormatError.self) { try SetupCodec.decode(text) }
    #expect(error.description == reported)
  }

  @Test func `A configuration with few keys is valid`() throws {
    let setup = try SetupCodec.decode(#"{"config":1,"actors":[{"id":"app"}]}"#)
    #expect(setup == PlanSetup(actors: [PlannedActor("app", author: nil)]))
  }

  @Test(arguments: [
    (
      #""strategy""#, #""stratgy""#,
      #"line 6: actor 2 of the configuration has the unknown key "stratgy". Did you mean "strategy"?"#
    ),
    (
      #""consumers""#, #""consumer""#,
      #"line 8: the configuration has the unknown key "consumer". Did you mean "consumers"?"#
    ),
    (
      #""signals""#, #""signal""#,
      #"line 12: "drive" of the configuration cannot be "signal". Did you mean "signals"?"#
    ),
    (
      "604800", #""a week""#,
      #"line 11: "age" of the retention is "a week". Make it a number."#
    ),
    (
      #""config": 1"#, #""config": 3"#,
      "the config is of version 3, and this lab reads version 2. Use a newer history-lab."
    ),
    (
      #"["index"]"#, #"["app"]"#,
      #"line 4: two actors or consumers are named "app". Give each a name of its own."#
    ),
    (
      #"[{"name": "text", "type": "string"}]"#, "[]",
      #"line 3: the entity "Note" has no attributes, so a plan cannot write its objects. "#
        + #"Give it one: {"name":"title","type":"string"}."#
    ),
  ])
  func `An error is reported with its line`(
    _ right: String,
    _ wrong: String,
    _ reported: String
  ) throws {
    let text = Self.whole.replacing(right, with: wrong)
    #expect(text != Self.whole)
    let error = try #require(throws: FormatError.self) { try SetupCodec.decode(text) }
    #expect(error.description == reported)
  }

  @Test(arguments: ["", "{", "hello", "[1]", "{}", #"{"config":1,"actors":[]}"#])
  func `Text that is not a configuration is refused`(_ text: String) {
    #expect(throws: FormatError.self) { try SetupCodec.decode(text) }
  }

  @Test(arguments: [
    ("", 1), ("{\n  \"config\": 1,\n  \"actors\": [\n    {\"id\": \"app\",}\n  ]\n}", 4),
    ("{\n  \"config\": 1\n  \"actors\": []\n}", 3), ("{\n  \"config\": 1,\n  'actors': []\n}", 3),
    ("{\"config\":1,\n\"actors\":[]", 2), ("{\"config\":1}\n\n}", 3),
    ("{\n\"config\": 1,\n\"actors\": [\n{\"id\": \"app\n\"}]}", 4),
    ("{\n\"config\": 01x}", 2), ("{\n\"config\": tru}", 2),
  ])
  func `Invalid JSON is refused with the line of the error`(
    _ text: String,
    _ line: Int
  ) {
    let error = #expect(throws: FormatError.self) { try SetupCodec.decode(text) }
    #expect(error?.line == line)
    #expect(error?.description.hasPrefix("line \(line): this is not JSON") == true)
  }
}
