import Foundation
import HistoryInspection
import HistoryStore
import Testing

@testable import Commands
@testable import FileCommands
@testable import HistoryLab

@Suite struct `Files of cursors` {
  private static let kit = KitCursors.standardPrefix
  private static let now = 1000.0 * 86400

  private static func json(_ text: String) throws(LabError) -> [Consumer] {
    try ConsumerFile(Data(text.utf8), path: "c.json").entries.map(\.consumer)
  }

  private static func list(
    _ values: [String: Any],
    _ format: PropertyListSerialization.PropertyListFormat = .xml,
    prefix: String = kit
  ) throws -> [Consumer] {
    let bytes = try PropertyListSerialization.data(
      fromPropertyList: values,
      format: format,
      options: 0
    )
    return try ConsumerFile(bytes, path: "c.plist", prefix: prefix).entries.map(\.consumer)
  }

  @Test func `A JSON list has dates, tokens and unknown positions`() throws {
    let text = """
       [{"name": "a", "date": "2001-01-02T12:00:00Z"}, {"name": "b", "token": 12},
        {"name": "c", "unknown": true}, {"name": "d", "date": "2001-01-02T14:00:00+02:00"},
        {"name": "e", "date": "2001-01-03"}, {"name": "f", "date": "2001-01-01T00:00:01.5Z"}]
      """
    let expected: [Consumer.Position] = [
      .date(129_600), .number(12), .unknown, .date(129_600), .date(172_800), .date(1.5),
    ]
    let found = try Self.json(text)
    #expect(found.map(\.position) == expected)
    #expect(found.map(\.name) == ["a", "b", "c", "d", "e", "f"])
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `A property list has the kit's dates by author`(
    format: PropertyListSerialization.PropertyListFormat
  ) throws {
    let date = Date(timeIntervalSinceReferenceDate: 86400)
    let values: [String: Any] = [Self.kit + "widget": date, Self.kit + "app": date, "other": "x"]
    let found = try Self.list(values, format)
    #expect(found.map(\.name) == ["app", "widget"])
    #expect(found.map(\.position) == [.date(86400), .date(86400)])
    let mine = try Self.list(["mine.app": date], format, prefix: "mine.")
    #expect(mine.map(\.name) == ["app"])
  }

  private static let shape =
    #" Give a list such as [{"name": "widget", "date": "2025-01-31T12:30:00Z"}, {"name": "app", "#
    + #""token": 512}, {"name": "watch", "unknown": true}]."#

  private static let wrong: [(text: String, sentence: String)] = [
    ("[]", #""c.json" lists no consumers."# + shape),
    ("{\"a\": 1}", #""c.json" is JSON, but not a list of objects."# + shape),
    ("[{", #""c.json" is not readable JSON."# + shape),
    ("[1]", #""c.json" has in object 1 a value of the wrong type."# + shape),
    (
      #"[{"name": "a", "unknown": true}, {"name": "b", "token": "x"}]"#,
      #""c.json" has in object 2, "token", a value of the wrong type."# + shape
    ),
    (#"[{"token": 1}]"#, #""c.json", object 1, has no name."# + shape),
    (
      #"[{"name": "a"}]"#,
      #""c.json", object 1, "a", needs exactly one of date, token, and unknown with the value true."#
    ),
    (
      #"[{"name": "a", "token": 1, "date": "2001-01-02"}]"#,
      #""c.json", object 1, "a", needs exactly one of date, token, and unknown with the value true."#
    ),
    (
      #"[{"name": "a", "unknown": false}]"#,
      #""c.json", object 1, "a", needs exactly one of date, token, and unknown with the value true."#
    ),
    (
      #"[{"name": "a", "date": "yesterday"}]"#,
      #""c.json", object 1, "a", has the date "yesterday", which is not an ISO 8601 date. Write it as "#
        + "2025-01-31T12:30:00Z."
    ),
    (
      #"[{"name": "a", "unknown": true, "store": "x"}]"#,
      #""c.json", object 1, "a", has a store without a token: leave out the key store, or add the token."#
    ),
    (
      #"[{"name": "a", "token": 1}, {"name": "a", "token": 2}]"#,
      #""c.json" names "a" twice. Keep one of the two."#
    ),
    (
      "text",
      #""c.json" is neither a JSON list nor a property list with a dictionary."# + shape
        + " Or give the file Library/Preferences/GROUP.plist of the app group."
    ),
    (
      "<plist><array/></plist>",
      #""c.json" is neither a JSON list nor a property list with a dictionary."# + shape
        + " Or give the file Library/Preferences/GROUP.plist of the app group."
    ),
    (
      "bplist00garbage",
      #""c.json" is neither a JSON list nor a property list with a dictionary."# + shape
        + " Or give the file Library/Preferences/GROUP.plist of the app group."
    ),
  ]

  @Test(arguments: wrong.indices)
  func `A wrong file gets a sentence that says what to give`(index: Int) {
    let (text, sentence) = Self.wrong[index]
    #expect(throws: LabError.usage("--cursors: " + sentence)) { try Self.json(text) }
  }

  @Test func `A property list without dates of the kit says which keys are expected`() {
    let none =
      #"--cursors: "c.plist" has no date of PersistentHistoryTrackingKit: none of its 1 key "#
      + #"starts with "PersistentHistoryTrackingKit.lastToken.". Give the defaults of the app group, or "#
      + "give the prefix of the keys with --prefix."
    #expect(throws: LabError.usage(none)) { try Self.list(["a": 1]) }
    let text =
      #"--cursors: "c.plist" has no date under the key "\#(Self.kit)app". Give the prefix of the "#
      + "keys of PersistentHistoryTrackingKit with --prefix."
    #expect(throws: LabError.usage(text)) { try Self.list([Self.kit + "app": "x"]) }
  }

  @Test func `An archived token is refused with what to give instead`() {
    let rest =
      #", such as one of an NSPersistentHistoryToken, which only Core Data can read. Give the "#
      + "transactionNumber of the last transaction that the consumer has merged in a JSON list: "
      + #"[{"name": "widget", "token": 512}]."#
    let key = Self.kit + "app"
    #expect(
      throws: LabError.usage(#"--cursors: "c.plist" has an archive under the key "\#(key)""# + rest)
    ) { try Self.list([key: Data([1, 2])]) }
    #expect(throws: LabError.usage(#"--cursors: "c.plist" is an archive"# + rest)) {
      try Self.list(["$archiver": "NSKeyedArchiver", "$version": 100_000], .binary)
    }
  }

  // MARK: Positions that a history cannot have

  private static func check(_ text: String) throws(LabError) -> [Consumer] {
    var outline = HistoryOutline.stated(AdviceFile.fortyDays)
    outline.store = AdviceFile.store
    outline.members = [CensusMember(name: "member", cursor: 1, seen: 0)]
    return try ConsumerFile(Data(text.utf8), path: "c.json").consumers(of: outline, now: now)
  }

  private static let impossible: [(object: String, sentence: String)] = [
    (
      #""name": "a", "token": 61"#,
      #""a", has the token 61, beyond the newest transaction, #60: it belongs to another store, or "#
        + "this file is an older copy. Give a token of this file."
    ),
    (
      #""name": "a", "token": -1"#,
      #""a", has the token -1. Give a transaction number, 0 for none."#
    ),
    (
      #""name": "a", "token": 3, "store": "11111111-2222-3333-4444-555555555555""#,
      #""a", has a token of the store 11111111-2222-3333-4444-555555555555, but the UUID of this file is "#
        + "\(AdviceFile.store). Inspect the file that issued the token, or give a token of this file."
    ),
    (
      #""name": "a", "date": "2999-01-01""#,
      #""a", has the date 2999-01-01T00:00:00.000Z, which is in the future. Give the time of the last "#
        + "transaction that it has merged, in UTC."
    ),
    (
      #""name": "member", "token": 3"#,
      #""member", is a registered member, whose own cursor is used. Leave it out."#
    ),
  ]

  @Test(arguments: impossible.indices)
  func `A position that the history cannot have is refused`(index: Int) {
    let (object, sentence) = Self.impossible[index]
    #expect(throws: LabError.usage(#"--cursors: "c.json", "# + sentence)) {
      try Self.check("[{\(object)}]")
    }
  }

  @Test func `Positions at both ends of the history are accepted`() throws {
    let ends = try Self.check(
      #"[{"name": "a", "token": 0}, {"name": "b", "token": 60, "store": "\#(AdviceFile.store.lowercased())"}, "#
        + #"{"name": "c", "date": "2001-01-01"}, {"name": "d", "date": "2003-01-01"}]"#
    )
    #expect(ends.count == 4)
  }
}
