import Foundation
import Testing

@testable import FirstBug
@testable import HistoryTesting

/// Compares the pages' code and output with the sources that are built and run.
@Suite struct PageTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static let pages = "Sources/HistoryTesting/HistoryTesting.docc/"
  private static let example = "Tests/Examples/FirstBug/"

  @Test func `The page contains the package unchanged`() throws {
    let page = try Self.text(Self.pages + "YourFirstBug.md")
    let manifest = try Self.text(Self.example + "Package.swift")
      .replacing("\"../../..\"", with: "\"../persistent-history-lab\"")
    for file in [
      manifest, try Self.text(Self.example + "Tests/FirstBugTests/MyLog.swift"),
      try Self.text(Self.example + "Tests/FirstBugTests/MyLogTests.swift"),
    ] {
      #expect(page.contains("```swift\n\(file)```"), "\(file)")
    }
  }

  @Test func `The fix that the page shows changes one word`() throws {
    let page = try Self.text(Self.pages + "YourFirstBug.md")
    let log = try Self.text(Self.example + "Tests/FirstBugTests/MyLog.swift")
    let line = try #require(log.split(separator: "\n").first { $0.contains("values.max()") })
    #expect(page.contains(line.replacing("max", with: "min")))
  }

  @Test func `The page shows the table of the test`() async throws {
    let page = try Self.text(Self.pages + "YourFirstBug.md")
    let found = try await issues { try await checkHistory(of: MyLog.self, plans: 20) }
    let table = try #require(found.first?.components(separatedBy: "\nReplay:").first)
    #expect(page.contains("```\n\(table.trimmingCharacters(in: .newlines))\n```"), "\(table)")
  }

  @Test func `The page's template is the example, and short`() throws {
    let page = try Self.text(Self.pages + "HistoryTesting.md")
    let example = "Tests/Examples/ActorTracker/Tests/ActorTrackerTests/"
    let source = try Self.text(example + "MyTracker.swift")
    #expect(page.contains("```swift\n\(source)```"))
    #expect(source.split(separator: "\n").count <= 40)
  }
}

/// The public declarations for other packages.
@Suite struct SurfaceTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Counts the lines that start with `public` in the product's rooms, imports excepted.
  ///
  /// Enum cases and protocol requirements are not counted.
  @Test func `The module has at most 120 public declarations`() throws {
    let count = try Self.declarations().count
    #expect(count > 80 && count <= 120, "\(count)")
  }

  /// An operator and an initializer have no name to look for.
  @Test func `Each public declaration is used in an example on a page`() throws {
    let pages = ["YourFirstBug", "HistoryTesting", "EveryDeclaration"]
    let code = try pages.flatMap { page in
      let file = "Sources/HistoryTesting/HistoryTesting.docc/\(page).md"
      let text = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
      return text.components(separatedBy: "```").enumerated().filter {
        !$0.offset.isMultiple(of: 2)
      }
      .map(\.element)
    }
    let words = Set(
      code.joined().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    )
    let names = try Self.declarations().compactMap { line in
      line.firstMatch(of: #/(?:struct|enum|protocol|func|var|let|typealias) (\w+)/#).map {
        String($0.1)
      }
    }
    #expect(names.count > 80)
    // The type of `.history(...)` and the members that Swift Testing calls are not written by users.
    let implied = ["HistoryTrait", "isRecursive", "provideScope"]
    let missing = names.filter { !words.contains($0) && !implied.contains($0) }
    #expect(missing == [])
  }

  /// Returns the lines that start with `public`, imports excepted.
  private static func declarations() throws -> [Substring] {
    var lines: [Substring] = []
    for room in ["HistoryTesting", "HistorySystems", "Traces", "Systems"] {
      let folder = root.appending(path: "Sources/\(room)")
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        lines += try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
          .map { $0.drop { $0 == " " } }
          .filter { $0.hasPrefix("public ") && !$0.hasPrefix("public import") }
      }
    }
    return lines
  }
}
