import Foundation
import HistoryStore
import HistoryTypes
import LabFixtures
import SQLiteStorage
import Testing

@testable import Commands
@testable import FileCommands

/// The questions of `inspect`, from the command line to the printed result.
@Suite struct `The verb inspect` {
  private static let secret: Value = "secret, \"quoted\""

  /// Creates a store with four transactions, the last of which deletes what the first inserted.
  private func makeStore(_ path: String) throws {
    let model = try Model([
      Entity(
        "Note",
        [
          Attribute("text", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("code", .data, preservesValueInHistoryOnDeletion: true),
        ]
      )
    ])
    var configuration = StoreConfiguration()
    configuration.clock = { Date(timeIntervalSinceReferenceDate: 86_400) }
    let store = try Store(path: path, model: model, configuration: configuration)
    for author in ["app", nil, "widget"] {
      let code = Value.data(Data([0, 255]))
      try store.batchInsert(
        into: "Note",
        [["text": author == "app" ? Self.secret : "kept", "code": code]],
        by: BatchAuthor(author)
      )
    }
    try store.batchDelete(
      "Note",
      where: .compare("text", .equal, Self.secret),
      by: BatchAuthor("app")
    )
  }

  private func inspect(
    _ file: String,
    _ words: String...
  ) async -> (
    code: ExitCode, output: String, errors: String
  ) {
    await run(["inspect", file] + words)
  }

  @Test func `A query prints text, JSON and CSV`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/store"
      try makeStore(file)
      let sql = """
        SELECT number AS n, author, type, x'0aff' AS b, 1.5 AS r FROM history_changes WHERE number < 3
        """
      let text = await inspect(file, "--sql", sql)
      #expect(text.code == .good && text.errors == "")
      #expect(
        text.output == """
          n  author  type    b        r
          1  app     insert  x'0aff'  1.5
          2  NULL    insert  x'0aff'  1.5

          """
      )
      #expect(
        await inspect(file, "--json", "--sql", sql).output == """
          {"author":"app","b":"Cv8=","n":1,"r":1.5,"type":"insert"}
          {"author":null,"b":"Cv8=","n":2,"r":1.5,"type":"insert"}

          """
      )
      #expect(
        await inspect(file, "--csv", "--sql", sql).output == """
          n,author,type,b,r
          1,app,insert,x'0aff',1.5
          2,,insert,x'0aff',1.5

          """
      )
    }
  }

  @Test func `Many rows are printed as they are read, with the widths of the first rows`() {
    var lines: [String] = []
    var rendering = QueryRendering(.text, print: { lines.append($0) })
    rendering.begin(["a", "b"])
    for number in 0..<2000 { rendering.addAsText([.int(Int64(number)), .string("x")]) }
    #expect(lines.count == 2001)
    rendering.end()
    #expect(lines.count == 2001)
    #expect(lines[0...1] == ["a    b", "  0  x"])
    #expect(lines[1100] == "1099  x")
    #expect(rendering.count == 2000)
  }

  @Test func `Tombstone values are shown only on request`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/store"
      try makeStore(file)
      for words in [[], ["--json"], ["--csv"]] {
        let hidden = await run(["inspect", file] + words)
        #expect(!hidden.output.contains("secret"))
        let shown = await run(["inspect", file, "--values"] + words)
        #expect(shown.output.contains("secret"))
      }
      let sql = "SELECT key, tombstone FROM history_changes WHERE type = 'delete'"
      let hidden = await inspect(file, "--sql", sql)
      #expect(hidden.output == "key  tombstone\n  1  NULL\n")
      #expect(
        hidden.errors == "Values of deleted objects are shown as null; --values shows them.\n"
      )
      let shown = await inspect(file, "--sql", sql, "--values")
      #expect(shown.output.contains(#"{"code":"AP8=","text":"secret, \"quoted\""}"#))
      #expect(shown.errors == "")
    }
  }

  @Test func `The newest tombstones are listed with their authors`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/store"
      try makeStore(file)
      let text = await inspect(file, "--values").output
      #expect(
        text.contains(
          "\ntombstones, the newest first\n#4  2001-01-02T00:00:00.000Z  app  Note/1  "
            + #"code: 2 bytes, text: "secret, "quoted"""#
        )
      )
      let json = await inspect(file, "--values", "--json").output
      let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      let samples = try #require(object?["tombstones"] as? [[String: Any]])
      #expect(samples.map { $0["object"] as? String } == ["Note/1"])
      #expect(
        samples.first?["values"] as? [String: String]
          == ["text": "secret, \"quoted\"", "code": "AP8="]
      )
    }
  }

  @Test func `The effect of a purge is reported in every format`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/store"
      try makeStore(file)
      let text = await inspect(file, "--before", "3").output
      #expect(
        text.contains(
          "\n\nA purge of transactions before #3 would delete\n  2 transactions (50.0 %) with 2 changes\n"
        )
      )
      #expect(
        text.contains("history-lab advise \(file) --measure\n")
      )
      let csv = await inspect(file, "--older-than", "1", "--csv").output
      #expect(
        csv.contains("\npurge,older than 1 day (before 2001-01-01T00:00:00.000Z),transactions,0\n")
      )
      let json = await inspect(file, "--before", "2020-01-01", "--json").output
      let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      let purge = try #require(object?["purge"] as? [String: Any])
      // The newest always stays.
      #expect(purge["transactions"] as? Int == 3)
      #expect(purge["heldBackTransactions"] as? Int == 1)
      #expect(purge["beforeDate"] as? String == "2020-01-01T00:00:00.000Z")
      #expect(purge["bytes"] as? Int ?? 0 > 0)
    }
  }

  @Test func `A purge of a Core Data file starts with the unknown facts`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/store"
      var configuration = StoreConfiguration()
      configuration.layout = .coreData
      let store = try Store(
        path: file,
        model: Model([Entity("Note", [Attribute("text", .string)])]),
        configuration: configuration
      )
      for author in ["app", "NSCloudKitMirroringDelegate.import", "widget"] {
        try store.batchInsert(into: "Note", [["text": "a"]], by: BatchAuthor(author))
      }
      let foreign = "\(folder)/foreign"
      try makeForeign(file, at: foreign)
      let text = await inspect(foreign, "--before", "4").output
      let risk = try #require(text.range(of: "This purge can lose data. Not known:\n"))
      let numbers = try #require(text.range(of: "A purge of transactions before #4 would delete\n"))
      #expect(risk.upperBound < numbers.lowerBound)
      #expect(text.contains("whether every consumer has merged these transactions"))
      #expect(text.contains("whether the CloudKit mirror has exported them"))
      #expect(text.contains("Every token before #3 (") && text.contains("(134301)"))
      #expect(
        text.contains("and leave 1: 1 by protected authors (NSCloudKitMirroringDelegate.import)")
      )
      #expect(text.contains("  authors (transactions): app 1, widget 1\n"))
      #expect(text.contains("  entities (changes): Note 2\n"))
      let json = await inspect(foreign, "--before", "4", "--json").output
      let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      let purge = try #require(object?["purge"] as? [String: Any])
      #expect((purge["notKnown"] as? [String])?.count == 2)
      #expect((purge["expiry"] as? String)?.contains("134301") == true)
      #expect(object?["members"] == nil && object?["isMirrored"] as? Bool == true)
      // A purge that deletes nothing has no risk.
      #expect(await !inspect(foreign, "--before", "1").output.contains("can lose data"))
      #expect(await !inspect(foreign).output.contains("can lose data"))
    }
  }

  /// Copies the tables of Core Data from a store of this library into a file that is foreign to it.
  private func makeForeign(_ path: String, at foreign: String) throws {
    let connection = try Connection(path: foreign)
    try connection.execute("ATTACH '\(path)' AS own")
    for table in ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"] {
      try connection.execute("CREATE TABLE \(table) AS SELECT * FROM own.\(table)")
    }
    try connection.execute(
      "CREATE TABLE Z_PRIMARYKEY(Z_ENT, Z_NAME); INSERT INTO Z_PRIMARYKEY VALUES(1, 'Note')"
    )
  }

  @Test func `Members are listed, and those that hold history back are reported`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/store"
      try makeStore(file)
      #expect(
        await inspect(file).output.contains(
          "\nmembers: none, so that a purge waits for no process\n"
        )
      )
      let store = try Store(path: file)
      let registration = try store.join("widget", author: "widget")
      try store.batchInsert(into: "Note", [["text": "new"]], by: BatchAuthor("app"))
      let text = await inspect(file, "--before", "6").output
      #expect(text.contains("\nwidget   tracker  active  #4      1 transaction"))
      #expect(text.contains("\nheld back by widget: every purge stops at #4\n"))
      #expect(text.contains("  and leave 1: 1 not merged by every member (widget)\n"))
      #expect(text.contains("whether a consumer keeps a token outside of the registry"))
      let csv = await inspect(file, "--csv").output
      #expect(
        csv.contains("\nmember,widget,cursor,4\n") && csv.contains("\nmember,widget,holdsBack,1\n")
      )
      let json = await inspect(file, "--json").output
      let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      let members = try #require(object?["members"] as? [[String: Any]])
      #expect(members.map { $0["name"] as? String } == ["widget"])
      #expect(members.map { $0["holdsBack"] as? Bool } == [true])
      withExtendedLifetime(registration) {}
    }
  }

  @Test func `A statement that is not a query is refused with a message`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/store"
      try makeStore(file)
      for sql in ["SELECT nme FROM history_changes", "DELETE FROM Note", "SELECT 1; SELECT 2"] {
        let answer = await inspect(file, "--sql", sql)
        #expect(answer.code == .usage && answer.output == "")
        #expect(answer.errors.contains("SQLite reports") && answer.errors.contains(sql))
      }
      try makeFile("\(folder)/text")
      #expect(await inspect("\(folder)/text", "--sql", "SELECT 1").code == .usage)
    }
  }
}

extension QueryRendering {
  /// Adds a row to a text, which never fails.
  fileprivate mutating func addAsText(_ row: [Value]) {
    do {
      try add(row)
    } catch {
      Issue.record("\(error)")
    }
  }
}
