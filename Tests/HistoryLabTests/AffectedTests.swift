import Foundation
import LabFixtures
import Reporting
import TestSupport
import Testing

/// The script that chooses the tests for `scripts/test --changed`.
@Suite(.needs(.git), .needs(.python3)) struct `Tests that a change can reach` {
  private static let script =
    URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path + "/scripts/affected.py"

  /// Two rooms of which `Above` depends on `Below`, with their tests, as `swift package dump-package` lists them.
  private static let manifest = """
    {"targets": [
      {"name": "Below", "type": "regular", "dependencies": []},
      {"name": "Above", "type": "regular", "path": "Other/Above",
       "dependencies": [{"byName": ["Below", null]}]},
      {"name": "BelowTests", "type": "test", "dependencies": [{"target": ["Below", null]}]},
      {"name": "AboveTests", "type": "test", "dependencies": [{"target": ["Above", null]}]},
      {"name": "OtherTests", "type": "test", "dependencies": []},
      {"name": "Program", "type": "executable", "dependencies": [{"byName": ["Above", null]}]}
    ]}
    """

  private func run(_ command: String, in folder: String) async throws -> String {
    let outcome = try await ProgramOutput.text(
      of: "/bin/sh",
      ["-c", #"cd "$0" && \#(command)"#, folder, Self.script]
    )
    try #require(outcome.code == 0, "\(outcome.text)")
    return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test(arguments: [
    (
      "Sources/Below/Code.swift",
      #"^(BelowTests\.|AboveTests\.|OtherTests\.`Pages of code`/|OtherTests\.Reader/)"#
    ),
    (
      "Other/Above/Code.swift", #"^(AboveTests\.|OtherTests\.`Pages of code`/|OtherTests\.Reader/)"#
    ),
    ("Tests/OtherTests/Plain.swift", #"^(OtherTests\.)"#),
    ("Other/Above/New.swift", #"^(AboveTests\.|OtherTests\.`Pages of code`/|OtherTests\.Reader/)"#),
    ("Sources/Below/page.json", "."), ("README.md", "."), ("New.swift", "."),
    ("Sources/Program/main.swift", "."),
  ])
  func `A change reaches the tests of its room, of rooms above and of readers of files`(
    _ file: String,
    _ expected: String
  ) async throws {
    try await withFolder { folder in
      let files = [
        "Sources/Below/Code.swift": "let a = 1", "Other/Above/Code.swift": "let b = 1",
        "Tests/BelowTests/Code.swift": "struct BelowSuite {}",
        "Tests/OtherTests/Plain.swift": "struct Plain {}",
        "Tests/OtherTests/Reading.swift":
          "// no struct Mentioned\n@Suite struct `Pages of code` {}\nstruct Reader { let f = #filePath }",
        "Sources/Program/main.swift": "", "README.md": "Read me", "Sources/Below/page.json": "{}",
        "dump.json": Self.manifest,
        ".gitignore": ".build/",
      ]
      for (name, text) in files {
        let place = URL(filePath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(
          at: place.deletingLastPathComponent(),
          withIntermediateDirectories: true
        )
        try text.write(to: place, atomically: true, encoding: .utf8)
      }
      let choose = #"python3 "$1" .build/tests/tested.json <dump.json"#
      #expect(
        try await run("git init --quiet && mkdir -p .build/tests && \(choose)", in: folder) == "."
      )
      _ = try await run("mv .build/tests/tested.json .build/tests/passed.json", in: folder)
      let readers = #"^(OtherTests\.`Pages of code`/|OtherTests\.Reader/)"#
      #expect(try await run(choose, in: folder) == readers)
      #expect(try await run("echo ' ' >>\(file) && \(choose)", in: folder) == expected)
    }
  }
}
