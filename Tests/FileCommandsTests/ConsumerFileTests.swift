import Foundation
import HistoryInspection
import HistoryStore
import LabFixtures
import Testing

@testable import Commands
@testable import FileCommands

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
    (#"[{"token": 1}]"#, #"object 1 of "c.json" has no name."# + shape),
    (
      #"[{"name": "a"}]"#,
      #"object 1 of "c.json", "a", needs exactly one of the keys "date", "token", "archive" and "#
        + #""unknown". The value of "unknown" must be true."#
    ),
    (
      #"[{"name": "a", "token": 1, "date": "2001-01-02"}]"#,
      #"object 1 of "c.json", "a", needs exactly one of the keys "date", "token", "archive" and "#
        + #""unknown". The value of "unknown" must be true."#
    ),
    (
      #"[{"name": "a", "unknown": false}]"#,
      #"object 1 of "c.json", "a", needs exactly one of the keys "date", "token", "archive" and "#
        + #""unknown". The value of "unknown" must be true."#
    ),
    (
      #"[{"name": "a", "date": "yesterday"}]"#,
      #"object 1 of "c.json", "a", has the date "yesterday", which is not an ISO 8601 date. Write it as "#
        + "2025-01-31T12:30:00Z."
    ),
    (
      #"[{"name": "a", "unknown": true, "store": "x"}]"#,
      #"object 1 of "c.json", "a", has the key "store" without the key "token". Remove "store", or add "token"."#
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
  func `An invalid file is refused with the expected content`(index: Int) {
    let (text, sentence) = Self.wrong[index]
    #expect(throws: LabError.usage("--cursors: " + sentence)) { try Self.json(text) }
  }

  @Test func `A property list without dates of the kit says which keys are expected`() {
    let none =
      #"--cursors: "c.plist" contains no cursor: none of its 1 key starts with "#
      + #""PersistentHistoryTrackingKit.lastToken.", and no value is an archived token. Pass the "#
      + "property list of the app group's defaults, or give the prefix of the keys with --prefix."
    #expect(throws: LabError.usage(none)) { try Self.list(["a": 1]) }
    let text =
      #"--cursors: "c.plist" has a value under the key "\#(Self.kit)app" that is neither a date nor "#
      + "data, so it is not a cursor. If the file also contains settings that are not cursors, give the "
      + "prefix of the cursors' keys with --prefix."
    #expect(throws: LabError.usage(text)) { try Self.list([Self.kit + "app": "x"]) }
  }

  // MARK: Archived tokens

  /// Returns an archive whose class has a name of as many characters as that of Core Data's token.
  private static func otherArchive(_ numbers: [String: Int]) -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(Numbers(numbers), forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    return archiver.encodedData
  }

  /// Returns the same with the name of Core Data's class.
  ///
  /// `setClassName` has no effect in the Foundation of Linux.
  private static func archive(_ numbers: [String: Int]) -> Data {
    var data = otherArchive(numbers)
    let (own, name) = (
      Data("FileCommandsTests.Numbers".utf8), Data("_NSPersistentHistoryToken".utf8)
    )
    while let place = data.range(of: own) { data.replaceSubrange(place, with: name) }
    return data
  }

  private static func positions(_ file: ConsumerFile) throws -> [String: Consumer.Position] {
    var outline = HistoryOutline.stated(AdviceFile.fortyDays)
    outline.store = AdviceFile.store
    let consumers = try file.consumers(of: outline, now: now)
    return Dictionary(uniqueKeysWithValues: consumers.map { ($0.name, $0.position) })
  }

  @Test func `An archived token states the number of its store, in a file, a list or a JSON list`()
    async throws
  {
    let both = ["11111111-2222-3333-4444-555555555555": 7, AdviceFile.store.lowercased(): 12]
    let file = try ConsumerFile(Self.archive(both), path: "folder/widget.data")
    #expect(try Self.positions(file) == ["widget": .number(12)])
    let defaults: [String: Any] = [
      "lastToken": Self.archive([AdviceFile.store: 300]), Self.kit + "app": Self.archive(both),
      "other": Data([1, 2]), Self.kit + "share": Date(timeIntervalSinceReferenceDate: 86400),
    ]
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let bytes = try PropertyListSerialization.data(
        fromPropertyList: defaults.filter { $0.key != "lastToken" },
        format: format,
        options: 0
      )
      let list = try ConsumerFile(bytes, path: "c.plist")
      #expect(try Self.positions(list) == ["app": .number(12), "share": .date(86400)])
    }
    try await withFolder { folder in
      try Self.archive(both).write(to: URL(fileURLWithPath: folder + "/token.data"))
      let text = #"[{"name": "watch", "archive": "token.data"}]"#
      let json = try ConsumerFile(Data(text.utf8), path: folder + "/c.json")
      #expect(try Self.positions(json) == ["watch": .number(12)])
    }
  }

  @Test func `Archives of another store and other archives get a sentence`() throws {
    let other = "11111111-2222-3333-4444-555555555555"
    let foreign = try ConsumerFile(Self.archive([other: 7]), path: "widget.data")
    #expect(
      throws: LabError.usage(
        #"--cursors: "widget.data", "widget", has a token of the store \#(other), but the UUID of "#
          + "this store is \(AdviceFile.store). Pass the store that issued the token, or give a token of "
          + "this store."
      )
    ) { try Self.positions(foreign) }
    let late = try ConsumerFile(Self.archive([AdviceFile.store: 61]), path: "widget.data")
    #expect(throws: LabError.self) { try Self.positions(late) }
    let rest =
      " not an archived NSPersistentHistoryToken. In a JSON list, give the transactionNumber of the "
      + #"last transaction that the consumer has merged: [{"name": "widget", "token": 512}]."#
    let archives = [Self.otherArchive([other: 1]), Self.archive([:])]
    for archive in archives {
      #expect(throws: LabError.usage(#"--cursors: "c.plist" is an archive, but"# + rest)) {
        try ConsumerFile(archive, path: "c.plist")
      }
    }
    let key = Self.kit + "app"
    #expect(
      throws: LabError.usage(
        #"--cursors: "c.plist" has data under the key "\#(key)" that are"# + rest
      )
    ) { try Self.list([key: Data([1, 2])]) }
  }

  @Test func `Damaged archives are refused and never crash`() throws {
    let whole = Array(Self.archive([AdviceFile.store: 12]))
    #expect(ArchivedToken(whole)?.numbers == [AdviceFile.store: 12])
    for place in whole.indices {
      for flip in [UInt8(1), 0x80, 0xFF] {
        var damaged = whole
        damaged[place] ^= flip
        // A changed byte may change the number or the store's name, but not the shape.
        if let token = ArchivedToken(damaged) { #expect(token.numbers.count == 1) }
      }
      #expect(ArchivedToken(Array(whole.prefix(place))) == nil)
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
      #""a", has the token 61, beyond the newest transaction, #60: the token belongs to another store, "#
        + "or this store is an older copy. Give a token of this store."
    ),
    (
      #""name": "a", "token": -1"#,
      #""a", has the negative token -1. Give the number of the last merged transaction, or 0 if the "#
        + "consumer has merged none."
    ),
    (
      #""name": "a", "token": 3, "store": "11111111-2222-3333-4444-555555555555""#,
      #""a", has a token of the store 11111111-2222-3333-4444-555555555555, but the UUID of this "#
        + "store is \(AdviceFile.store). Pass the store that issued the token, or give a token of this "
        + "store."
    ),
    (
      #""name": "a", "date": "2999-01-01""#,
      #""a", has the date 2999-01-01T00:00:00.000Z, which is in the future. Give the time of the last "#
        + "transaction that the consumer has merged, in UTC."
    ),
    (
      #""name": "member", "token": 3"#,
      #""member", is a registered member, so its cursor is read from the store. Remove it from the "#
        + "--cursors file."
    ),
  ]

  @Test(arguments: impossible.indices)
  func `A position that the history cannot have is refused`(index: Int) {
    let (object, sentence) = Self.impossible[index]
    #expect(throws: LabError.usage(#"--cursors: "c.json", "# + sentence)) {
      try Self.check("[{\(object)}]")
    }
  }

  @Test func `A token that names a store is refused if the file has no UUID to compare`() throws {
    let outline = HistoryOutline.stated(AdviceFile.fortyDays)
    let text = #"[{"name": "a", "token": 3, "store": "\#(AdviceFile.store)"}]"#
    let error = #expect(throws: LabError.self) {
      try ConsumerFile(Data(text.utf8), path: "c.json").consumers(of: outline, now: Self.now)
    }
    #expect(
      error?.sentence.contains("of the store \(AdviceFile.store), but this store has no UUID.")
        == true
    )
  }

  @Test func `Positions at both ends of the history are accepted`() throws {
    let ends = try Self.check(
      #"[{"name": "a", "token": 0}, {"name": "b", "token": 60, "store": "\#(AdviceFile.store.lowercased())"}, "#
        + #"{"name": "c", "date": "2001-01-01"}, {"name": "d", "date": "2003-01-01"}]"#
    )
    #expect(ends.count == 4)
  }
}

/// An object that is archived as Core Data archives a token: a dictionary from a store to a number.
///
/// Only classes at the top level can be archived under another name.
final class Numbers: NSObject, NSCoding {
  private let numbers: [String: Int]

  init(_ numbers: [String: Int]) { self.numbers = numbers }

  required init?(coder: NSCoder) { nil }

  func encode(with coder: NSCoder) {
    let dictionary = NSMutableDictionary()
    for (store, number) in numbers {
      dictionary.setObject(NSNumber(value: number), forKey: NSString(string: store))
    }
    coder.encode(dictionary, forKey: "NSPersistentHistoryTokenDictionary")
  }
}
