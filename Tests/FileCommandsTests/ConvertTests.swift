import Foundation
import HistoryStore
import HistoryTypes
import LabFixtures
import SQLiteStorage
import TestSupport
import Testing

@testable import Commands
@testable import FileCommands

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct `Convert and verify` {
  /// Makes a store with three transactions.
  func makeStore(_ path: String, transactions: Int = 3) throws {
    let model = try Model([Entity("Note", [Attribute("text", .string)])])
    let store = try Store(path: path, model: model)
    for _ in 0..<transactions {
      var rest = 2
      _ = try store.batchInsert(into: "Note", by: BatchAuthor("app")) { _ in
        rest -= 1
        return rest >= 0
      }
    }
  }

  private func runs(_ line: String) async -> (code: ExitCode, output: String) {
    let result = await run(line.split(separator: " ").map(String.init))
    return (result.code, result.output)
  }

  @Test func `Convert writes a store with the whole history and reports its size`() async throws {
    try await withFolder { folder in
      try makeStore("\(folder)/old")
      let result = await runs("convert \(folder)/old \(folder)/new --layout coreData")
      #expect(result.code == .good)
      #expect(result.output == "\(folder)/new: 3 transactions, 6 changes (coreData)\n")
      let made = try Store(path: "\(folder)/new")
      #expect(try made.heldNumbers() == [1, 2, 3])
      let shown = await runs("inspect \(folder)/new")
      #expect(shown.output.contains("a store of this library, coreData layout"))
      let again = await runs("convert \(folder)/old \(folder)/new")
      #expect(again.code == .usage)
      #expect(try made.heldNumbers() == [1, 2, 3])
    }
  }

  @Test func `Convert requires two files, and the source must exist`() async throws {
    try await withFolder { folder in
      try makeFile("\(folder)/text")
      #expect(await runs("convert \(folder)/text").code == .usage)
      #expect(await runs("convert \(folder)/none \(folder)/new").code == .usage)
      #expect(await runs("convert \(folder)/text \(folder)/new").code == .usage)
      #expect(FilePath.state(of: "\(folder)/new") == .absent)
    }
  }

  @Test func `Verify reports sound and damaged history by its exit code`() async throws {
    try await withFolder { folder in
      try makeStore("\(folder)/old")
      let sound = await runs("inspect --verify \(folder)/old")
      #expect(sound.code == .good)
      #expect(sound.output == "\(folder)/old: the history is sound\n")
      #expect(
        await runs("inspect --verify --json \(folder)/old").output
          == #"{"findings":[],"sound":true}"# + "\n"
      )
      try makeFile("\(folder)/text")
      #expect(await runs("inspect --verify \(folder)/text").code == .usage)
    }
  }

  @Test func `Every verb names a store with torn pages`() async throws {
    try await withFolder { folder in
      let path = "\(folder)/torn"
      try makeStore(path)
      var bytes = try Data(contentsOf: URL(filePath: path))
      // The first two pages contain the schema and the root pages.
      bytes.replaceSubrange(8192..., with: repeatElement(0xFF, count: bytes.count - 8192))
      try bytes.write(to: URL(filePath: path))
      for line in ["inspect \(path)", "inspect --verify \(path)", "convert \(path) \(folder)/new"] {
        let reported = await run(line.split(separator: " ").map(String.init))
        #expect(reported.code == .usage, "\(line)")
        #expect(reported.errors.contains(path), "\(line): \(reported.errors)")
      }
    }
  }

  @Test func `One of anything is reported in the singular`() async throws {
    try await withFolder { folder in
      let store = try Store(
        path: "\(folder)/old",
        model: try Model([Entity("Note", [Attribute("text", .string)])])
      )
      try store.batchInsert(into: "Note", [["text": "a"]], by: BatchAuthor("app"))
      let result = await runs("convert \(folder)/old \(folder)/new")
      #expect(result.output == "\(folder)/new: 1 transaction, 1 change (packed)\n")
    }
  }

  @Test(arguments: [
    "convert OLD NEW", "inspect OLD", "inspect OLD --verify", "inspect OLD --sql Q",
  ])
  func `An interrupted conversion is undecided and leaves no file`(line: String) async {
    // In a separate process that was asked to end before it reads.
    await #expect(processExitsWith: .success) { [line] in
      try await withFolder { folder in
        // Enough rows for SQLite to call the progress handler.
        try `Convert and verify`().makeStore("\(folder)/old", transactions: 300)
        Interruption.install()
        raiseHere(SIGINT)
        let words = line.split(separator: " ").map { word in
          word == "OLD" ? "\(folder)/old" : word == "NEW" ? "\(folder)/new" : String(word)
        }
        let sql =
          "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) "
          + "SELECT max(i) FROM n"
        let result = await run(words.map { $0 == "Q" ? sql : $0 })
        try #require(result.code == .undecided, "\(result)")
        try #require(result.errors == "history-lab: Interrupted; nothing was changed.\n")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder)
        try #require(left.allSatisfy { $0.hasPrefix("old") }, "\(left)")
      }
    }
  }

  @Test func `A full disk is not an argument error`() async {
    // In a separate process with a limit on file sizes.
    await #expect(processExitsWith: .success) {
      try await withFolder { folder in
        try `Convert and verify`().makeStore("\(folder)/old")
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 16_384, rlim_max: 16_384)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        let result = await run(["convert", "\(folder)/old", "\(folder)/new"])
        try #require(result.code == .lab, "\(result)")
        try #require(result.errors.contains("\(folder)/new"))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder)
        try #require(left.allSatisfy { $0.hasPrefix("old") }, "\(left)")
      }
    }
  }

  @Test func `Disk and memory errors are failures of the lab`() {
    for code in [13, 10, 7] as [Int32] {
      let error = HistoryError.sqlite(SQLiteError(code: code, message: "no", sql: "INSERT"))
      #expect(LabError.store(error, naming: "a.store").exitCode == .lab)
      #expect(LabError.store(error, naming: "a.store").sentence.hasPrefix("\"a.store\": "))
    }
    let copy = HistoryError.cannotCopy(path: "a", folder: "/tmp", reason: "No space left on device")
    #expect(LabError.store(copy, naming: "a").exitCode == .lab)
    let noCopy = InspectionError.cannotCopy(path: "a", folder: "/tmp", reason: "No space left")
    #expect(LabError.inspection(noCopy).exitCode == .lab)
    #expect(LabError.store(.unreadable("No."), naming: "a").exitCode == .usage)
  }

  @Test(.needs(.processFiles))
  func `An unwritable folder is not reported as missing`() async throws {
    try await withFolder { folder in
      try makeStore("\(folder)/old")
      let result = await run(["convert", "\(folder)/old", "/proc/history-lab-new"])
      #expect(result.code == .usage)
      // For an ordinary user, the folder's permissions refuse access before the file is opened.
      let sentence =
        geteuid() == 0
        ? "/proc/history-lab-new cannot be created" : "the folder \"/proc\" cannot be written"
      #expect(result.errors.contains(sentence), "\(result.errors)")
      #expect(!result.errors.contains("No such file"), "\(result.errors)")
      let check = await run(["check", "--plans", "1", "--output", "/proc/history-lab-runs"])
      #expect(check.code == .usage)
      #expect(check.errors.contains("cannot"), "\(check.errors)")
      #expect(!check.errors.contains("does not exist"), "\(check.errors)")
    }
  }

  @Test func `Findings are shown as text, JSON and CSV`() {
    let rendering = VerificationRendering(
      path: "a.db",
      findings: [
        HistoryFinding(kind: .gaps, count: 1200, first: 4, isWrong: false),
        HistoryFinding(kind: .orphans, count: 2, first: 9, isWrong: true),
      ]
    )
    #expect(rendering.isWrong)
    #expect(
      rendering.text() == """
        note   1,200 numbers missing, the first at #4
        wrong  2 changes without a transaction, the first at #9
        a.db: the history is damaged
        """
    )
    #expect(
      rendering.json()
        == #"{"findings":[{"count":1200,"first":4,"kind":"gaps","wrong":false},"#
        + #"{"count":2,"first":9,"kind":"orphans","wrong":true}],"sound":false}"#
    )
    #expect(rendering.csv() == "kind,count,first,wrong\ngaps,1200,4,false\norphans,2,9,true")
  }

  @Test
  func `Dangling references are shown with the first object, apart from damage of the history`() {
    let finding = HistoryFinding(
      kind: .danglingReferences,
      count: 2,
      first: 3,
      object: "Item/3",
      isWrong: true
    )
    let rendering = VerificationRendering(path: "a.db", findings: [finding])
    #expect(rendering.isWrong)
    #expect(
      rendering.text() == """
        wrong  2 references to a missing object, the first in Item/3
        a.db: the history is sound, but objects are missing
        """
    )
    #expect(
      rendering.json()
        == #"{"findings":[{"count":2,"first":3,"kind":"danglingReferences","object":"Item/3","#
        + #""wrong":true}],"sound":false}"#
    )
  }
}
