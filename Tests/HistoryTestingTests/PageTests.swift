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

  @Test func `The page's fix is one word`() throws {
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
    var count = 0
    for room in ["HistoryTesting", "HistorySystems", "Traces", "Systems"] {
      let folder = Self.root.appending(path: "Sources/\(room)")
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        count += try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count {
          let line = $0.drop { $0 == " " }
          return line.hasPrefix("public ") && !line.hasPrefix("public import")
        }
      }
    }
    #expect(count > 80 && count <= 120, "\(count)")
  }
}
