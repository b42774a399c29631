import Foundation
import LabFixtures
import TestSupport
import Testing
import Traces

@testable import Commands
@testable import HistoryLab

/// The Python demonstration of the article, actually run.
@Suite(.needs(.python3)) struct FirstSystemTests {
  /// The path of the file from the package's folder, as the page names it.
  private static let file = "Sources/Systems/Systems.docc/first-system.py"

  private static func system(_ words: String = "") -> String {
    "external:python3 '\(Repository.path(file))'\(words)"
  }

  private static func page() throws -> String {
    let path = Repository.path("Sources/Systems/Systems.docc/YourFirstSystem.md")
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  private func counterexample(in folder: String) throws -> (file: String, Counterexample) {
    let file = "\(folder)/latest/counterexample-external-PurgeSafety.jsonl"
    return (file, try CounterexampleCodec.decode(String(contentsOfFile: file, encoding: .utf8)))
  }

  @Test(arguments: ["", " --bug"])
  func `The page's first system responds correctly, with its bug and without`(_ words: String) async
  {
    let command = String(Self.system(words).dropFirst("external:".count))
    let kept = await run(["protocol", "check", command])
    #expect(kept.code == .good, "\(kept)")
    #expect(kept.output.contains("first-system 1"))
  }

  @Test func `The bug is found, shrunk and replayed as the page says`() async throws {
    try await withFolder { folder in
      // Fewer plans than on the page find the same one first.
      let check = await run([
        "check", "--system", Self.system(" --bug"), "--seed", "1", "--plans", "9", "--output",
        folder,
      ])
      #expect(check.code == .violation && check.errors == "")
      let (file, found) = try counterexample(in: folder)
      #expect(found.trace.header.plan.commands.count == 3)
      let page = try Self.page()
      #expect(page.contains(found.violation.because), "\(found.violation.because)")
      let first = check.output.split(separator: "\n").first {
        $0.hasPrefix("PurgeSafety broke first")
      }
      #expect(first.map { page.contains($0) } == true, "\(first as Any)")
      let picture = check.output.split(separator: "\n").filter {
        $0.contains("│") || $0.contains("─┼")
      }
      #expect(picture.count == 5 && picture.allSatisfy { page.contains($0) }, "\(picture)")

      let replay = await run(["replay", file, "--system", Self.system(" --bug")])
      #expect(replay.code == .violation)
      #expect(replay.output.contains("PurgeSafety: broken. \(found.violation.because)"))
      let mended = await run(["replay", file, "--system", Self.system()])
      #expect(mended.output.contains("PurgeSafety") && !mended.output.contains("broken"))
      #expect(mended.code == .good)
    }
  }

  @Test func `Without the bug every exercised invariant holds`() async throws {
    try await withFolder { folder in
      let kept = await run([
        "check", "--system", Self.system(), "--seed", "1", "--output", folder,
      ])
      #expect(kept.code == .good && kept.errors == "", "\(kept)")
      let sentence = kept.output.split(separator: "\n").first { $0.contains("exercised held") }
      let reported = sentence.map { $0.trimmingCharacters(in: .whitespaces) }
      let page = try Self.page()
      #expect(reported.map { page.contains($0) } == true, "\(reported as Any)")
    }
  }

  @Test func `The page's lines of code are in the program`() throws {
    let program = try String(contentsOfFile: Repository.path(Self.file), encoding: .utf8)
    let lines = Set(program.split(separator: "\n"))
    let blocks = try Self.page().split(separator: "```python\n").dropFirst()
    #expect(!blocks.isEmpty)
    for block in blocks {
      let code = block.prefix { $0 != "`" }.split(separator: "\n")
      for line in code { #expect(lines.contains(line), "\(line)") }
    }
    #expect(program.count { $0 == "\n" } <= 60)
  }

  @Test func `The program prints the wrong result that the page shows`() async throws {
    let file = Repository.path("Tests/Examples/python/mistakes.py")
    let kept = await run(["protocol", "check", "python3 '\(file)' insert-update"])
    #expect(kept.code == .violation)
    let lines = kept.output.split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("write: ") })
    #expect(try Self.page().contains(lines[start...(start + 3)].joined(separator: "\n")))
  }
}
