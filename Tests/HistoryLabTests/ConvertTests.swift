import Foundation
import HistoryStore
import PersistentHistory
import Testing

@testable import HistoryLab

@Suite struct `Convert and verify` {
  /// Makes a store with three transactions.
  private func makeStore(_ path: String) throws {
    let model = try Model([Entity("Note", [Attribute("text", .string)])])
    let store = try Store(path: path, model: model)
    for _ in 0..<3 {
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

  @Test func `Convert makes a store that holds the history, and says how much`() async throws {
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

  @Test func `Convert wants two files, one of which is there`() async throws {
    try await withFolder { folder in
      try makeFile("\(folder)/text")
      #expect(await runs("convert \(folder)/text").code == .usage)
      #expect(await runs("convert \(folder)/none \(folder)/new").code == .usage)
      #expect(await runs("convert \(folder)/text \(folder)/new").code == .usage)
      #expect(FilePath.state(of: "\(folder)/new") == .absent)
    }
  }

  @Test func `Verify tells a sound history from a damaged one by its exit code`() async throws {
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

  @Test func `A store with torn pages is named by whoever cannot read it`() async throws {
    try await withFolder { folder in
      let path = "\(folder)/torn"
      try makeStore(path)
      var bytes = try Data(contentsOf: URL(filePath: path))
      // The first two pages hold the schema and where everything lies.
      bytes.replaceSubrange(8192..., with: repeatElement(0xFF, count: bytes.count - 8192))
      try bytes.write(to: URL(filePath: path))
      for line in ["inspect \(path)", "inspect --verify \(path)", "convert \(path) \(folder)/new"] {
        let told = await run(line.split(separator: " ").map(String.init))
        #expect(told.code == .usage, "\(line)")
        #expect(told.errors.contains(path), "\(line): \(told.errors)")
      }
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
        note   1,200 numbers that are not there, the first at #4
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
}
