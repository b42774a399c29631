import Foundation
import HistoryStore
import HistoryTypes
import LabFixtures
import PropertyTesting
import SQLiteStorage
import Testing
import Traces

@testable import Commands
@testable import HistoryLab
@testable import Workloads

@Suite struct `The option --history` {
  /// Runs a check of plans that repeat a Core Data file of forty days.
  private func check(
    _ words: String...
  ) async throws -> (code: ExitCode, output: String, errors: String) {
    try await withFolder { folder in
      try AdviceFile.make(AdviceFile.fortyDays, at: folder + "/store")
      let given = [
        "check", "--output", folder + "/runs", "--seed", "1", "--history", folder + "/store",
      ]
      return await run(given + words, composition: .current)
    }
  }

  @Test func `Our tracker holds on a real history`() async throws {
    let kept = try await check("--system", "tracker", "--plans", "60")
    #expect(kept.code == .good, "\(kept.output)\(kept.errors)")
  }

  @Test func `The article's design loses real transactions, which the counterexample names`()
    async throws
  {
    let kept = try await check("--system", "article", "--plans", "40")
    #expect(kept.code == .violation)
    #expect(kept.output.contains("update Note/1"))
    #expect(kept.output.contains("objects from before:"))
    let words = kept.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.firstMatch(of: /, transaction \d+ of the file, was written by/) != nil)
  }

  @Test func `A file without a history is refused, and so is --anonymous without a file`()
    async throws
  {
    try await withFolder { folder in
      try makeFile(folder + "/text")
      let foreign = await run(["check", "--history", folder + "/text"], composition: .current)
      #expect(foreign.code == .usage)
      #expect(foreign.errors.contains("--history: "))
      let missing = await run(["check", "--history", folder + "/none"], composition: .current)
      #expect(missing.code == .usage)
      #expect(missing.errors.contains("none"))
    }
    let alone = await run(["check", "--anonymous"], composition: .current)
    #expect(alone.code == .usage)
    #expect(alone.errors.contains("pass a file with --history too"))
  }

  /// Makes a store whose first note is changed twice, and whose second one is deleted.
  private func makeNotes(_ path: String) throws {
    let title = Attribute("title", .string, preservesValueInHistoryOnDeletion: true)
    let model = try Model([Entity("Note", [title, Attribute("count", .int)])])
    let store = try Store(path: path, model: model)
    let writer = BatchAuthor("app")
    try store.batchInsert(into: "Note", [["title": "Milk", "count": 1]], by: writer)
    try store.batchUpdate("Note", set: ["title": "Bread"], by: writer)
    try store.batchInsert(into: "Note", [["title": "Salt", "count": 2]], by: writer)
    try store.batchDelete("Note", where: .compare("title", .equal, "Salt"), by: writer)
  }

  private func texts(_ path: String, _ values: PastValueChoice) throws -> [String?] {
    let history = try PastHistoryFile.read(path, isAnonymous: false, values: values)
    return history.transactions.flatMap(\.changes).map { $0.values?.text }
  }

  @Test func `Values are those of rows and tombstones, at the last change of each object`()
    async throws
  {
    try await withFolder { folder in
      try makeNotes(folder + "/store")
      #expect(try texts(folder + "/store", .kept) == [nil, "Bread", "Salt", nil])
      #expect(try texts(folder + "/store", .none) == [nil, nil, nil, nil])
      let hashed = try texts(folder + "/store", .hashed)
      #expect(hashed.map { $0 == nil } == [true, false, false, true])
      #expect(!hashed.contains("Bread") && !hashed.contains("Salt") && hashed[1] != hashed[2])
      #expect(try texts(folder + "/store", .hashed) == hashed)
    }
  }

  @Test func `Values of a Core Data file are those of the table of the entity's root`() async throws
  {
    try await withFolder { folder in
      let file = folder + "/store"
      try AdviceFile.make([StatedTransaction("app", 1), StatedTransaction("app", 2)], at: file)
      #expect(try texts(file, .kept) == [nil, nil])
      try Connection(path: file).execute(
        """
        INSERT INTO Z_PRIMARYKEY VALUES(3,'Thing',0,2);
        UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 WHERE Z_NAME = 'Note';
        CREATE TABLE ZTHING(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZCREATED TIMESTAMP, ZTITLE VARCHAR);
        INSERT INTO ZTHING VALUES(1, 1, 4.5, 'Milk'), (2, 1, 5.5, 'Bread');
        """
      )
      #expect(try texts(file, .kept) == [nil, "Milk"])
    }
  }

  @Test func `Plans contain values only if they are kept, and names only if they are not hidden`()
    async throws
  {
    try await withFolder { folder in
      try makeNotes(folder + "/store")
      let system = try #require(LabSystem.named("article"))
      func plans(_ values: PastValueChoice?, isAnonymous: Bool = false) throws -> String {
        var options = PlanOptions()
        options.history = folder + "/store"
        options.anonymous = isAnonymous
        options.values = values
        let generator = PlanGenerator(try options.style(for: system))
        return (1...20 as ClosedRange<UInt64>).map { seed in
          var source = ChoiceSource(seed: seed)
          return PlanCodec.encode(generator.plan(from: &source, seed: seed))
        }.joined()
      }
      func hasValues(_ text: String) -> Bool { text.contains("Bread") || text.contains("Salt") }
      #expect(try !hasValues(plans(nil)) && plans(nil) == plans(PastValueChoice.none))
      #expect(try hasValues(plans(.kept)))
      #expect(try !hasValues(plans(.hashed)) && plans(.hashed) != plans(nil))
      let anonymous = try plans(nil, isAnonymous: true)
      #expect(!hasValues(anonymous) && !anonymous.contains("Note"))
      #expect(try anonymous == plans(.hashed, isAnonymous: true))
    }
  }

  @Test func `Windows of an exploration contain values only if they are kept`() async throws {
    try await withFolder { folder in
      try makeNotes(folder + "/store")
      func window(_ values: PastValueChoice?, isAnonymous: Bool = false) throws -> String {
        var options = ExploreOptions()
        options.history = folder + "/store"
        options.anonymous = isAnonymous
        options.values = values
        let past = try #require(try options.past()).history
        let header = PlanHeader(model: past.model, actors: [PlannedActor("app", author: "app")])
        let commands = PastWindow(past, from: 0, commands: 4, header).commands
        return PlanCodec.encode(Plan(header: header, commands: commands))
      }
      func hasValues(_ text: String) -> Bool { text.contains("Bread") && text.contains("Salt") }
      #expect(try hasValues(window(.kept)))
      let numbered = try window(nil)
      #expect(try !hasValues(numbered) && numbered == window(PastValueChoice.none))
      let hashed = try window(.hashed)
      #expect(!hasValues(hashed) && hashed != numbered)
      let anonymous = try window(nil, isAnonymous: true)
      #expect(!hasValues(anonymous) && !anonymous.contains("Note"))
      #expect(try anonymous == window(.hashed, isAnonymous: true))
    }
  }

  @Test(arguments: ["check", "explore"])
  func `Values are not taken over under hidden names, nor without a file`(
    _ verb: String
  ) async throws {
    try await withFolder { folder in
      let file = folder + "/store"
      try makeNotes(file)
      let both = await run(
        [verb, "--history", file, "--anonymous", "--object-values", "kept"],
        composition: .current
      )
      #expect(both.code == .usage && both.errors.contains("exclude each other"))
    }
    let alone = await run([verb, "--object-values", "kept"], composition: .current)
    #expect(alone.code == .usage && alone.errors.contains("--object-values "))
    #expect(alone.errors.contains("pass a file with --history too"))
  }
}
