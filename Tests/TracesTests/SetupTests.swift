import HistoryTypes
import Testing
import Traces

@Suite struct `A configuration of one's own` {
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

  @Test func `Every key is read`() throws {
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

  @Test func `A few keys are enough`() throws {
    let setup = try SetupCodec.decode(#"{"config":1,"actors":[{"id":"app"}]}"#)
    #expect(setup == PlanSetup(actors: [PlannedActor("app", author: nil)]))
  }

  @Test(arguments: [
    (
      #""strategy""#, #""stratgy""#,
      #"line 6: actor 2 of the configuration has no key "stratgy". Did you mean "strategy"?"#
    ),
    (
      #""consumers""#, #""consumer""#,
      #"line 8: the configuration has no key "consumer". Did you mean "consumers"?"#
    ),
    (
      #""signals""#, #""signal""#,
      #"line 12: "drive" of the configuration cannot be "signal". Did you mean "signals"?"#
    ),
    (
      "604800", #""a week""#,
      #"line 11: "age" of the retention is "a week". It must be a number."#
    ),
    (
      #""config": 1"#, #""config": 2"#,
      "the config is of version 2, and this lab reads version 1. Use a newer history-lab."
    ),
    (
      #"["index"]"#, #"["app"]"#,
      #"line 4: two actors or consumers are named "app". Each needs a name of its own."#
    ),
    (
      #"[{"name": "text", "type": "string"}]"#, "[]",
      #"line 3: the entity "Note" has no attributes, so that nothing can be written to it. "#
        + #"Give it one: {"name":"title","type":"string"}."#
    ),
  ])
  func `What is wrong is reported with its line`(
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
  func `What is no configuration is refused`(_ text: String) {
    #expect(throws: FormatError.self) { try SetupCodec.decode(text) }
  }

  @Test(arguments: [
    ("", 1), ("{\n  \"config\": 1,\n  \"actors\": [\n    {\"id\": \"app\",}\n  ]\n}", 4),
    ("{\n  \"config\": 1\n  \"actors\": []\n}", 3), ("{\n  \"config\": 1,\n  'actors': []\n}", 3),
    ("{\"config\":1,\n\"actors\":[]", 2), ("{\"config\":1}\n\n}", 3),
    ("{\n\"config\": 1,\n\"actors\": [\n{\"id\": \"app\n\"}]}", 4),
    ("{\n\"config\": 01x}", 2), ("{\n\"config\": tru}", 2),
  ])
  func `What is not JSON is refused with the line where it stops to be`(
    _ text: String,
    _ line: Int
  ) {
    let error = #expect(throws: FormatError.self) { try SetupCodec.decode(text) }
    #expect(error?.line == line)
    #expect(error?.description.hasPrefix("line \(line): this is not JSON") == true)
  }
}
