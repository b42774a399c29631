import Foundation
import LabFixtures
import TestSupport
import Testing

@testable import Commands
@testable import HistoryLab

/// However the command ends, it leaves only a readable run folder.
@Suite(.serialized, .blocksItsThread, .needs(.processFiles))
struct `Interrupted commands` {
  /// Command lines that run long enough to be interrupted, and the signal for each.
  private static let lines: [(String, Int32)] = [
    ("check --plans 10000000 --conditions all", SIGINT),
    ("check --plans 10000000 --conditions power-off --on-disk STORES", SIGTERM),
    ("explore --actors 2 --depth 12 --conditions crash", SIGINT),
    ("bench run --only fetch", SIGINT), ("stress --seconds 600 --disk failing", SIGTERM),
  ]

  @Test(arguments: lines)
  func `A signal leaves only a readable run folder`(
    _ line: String,
    _ signal: Int32
  ) async throws {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let words = line.replacing("STORES", with: folder + "/stores").split(separator: " ")
      let run = try RealRun(command, words.map(String.init), in: folder + "/runs-of-it")
      // Not before the start, and at a different moment in each.
      #expect(run.waits { run.has("run.json") })
      for _ in 0..<(signal == SIGINT ? 0 : 20_000) { sched_yield() }
      let children = try run.children()
      #expect(run.end(by: signal) == ExitCode.undecided.rawValue)
      #expect(try RealRun.livingInTheEnd(of: children) == [])
      let latest = folder + "/runs-of-it/latest"
      let record = try Data(contentsOf: URL(fileURLWithPath: latest + "/run.json"))
      let document = try JSONDecoder().decode(Document.self, from: record)
      let found = try Self.counterexamples(in: latest)
      #expect(document.verdict == "unknown", "\(document)\n\(found)")
      #expect(!FileManager.default.fileExists(atPath: latest + "/scratch"))
      let left = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(Set(left).isSubset(of: ["runs-of-it", "stores"]), "\(left)")
      // The run was asked to keep its stores' folders; the stores in them are gone.
      if left.contains("stores") {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder + "/stores")
        #expect(paths.filter { $0.contains(".store") } == [])
      }
    }
  }

  /// Returns the counterexamples in the folder of a run, which is removed after the test.
  private static func counterexamples(in folder: String) throws -> String {
    try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasPrefix("counterexample") && $0.hasSuffix(".jsonl") }
      .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }.joined()
  }

  private struct Document: Decodable {
    let verdict: String
    let because: String
  }

  @Test func `After SIGKILL the children end, even suspended ones`() async throws {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let words = "stress --seconds 600 --processes 3 --kills-per-second 0".split(separator: " ")
      let run = try RealRun(command, words.map(String.init), in: folder)
      // The writer of the trace follows the store. The fourth process is the keeper.
      let hasBegun = try run.waits {
        try run.has("scratch/traces/run.jsonl") && run.children().count == 4
      }
      #expect(hasBegun)
      let children = try run.children()
      // The child that was started first: the keeper came after it.
      try RealRun.stop(try #require(children.min()))
      run.send(SIGKILL)
      #expect(try RealRun.livingInTheEnd(of: children) == [])
      #expect(run.end(by: SIGKILL) == nil)
      // Its unfinished work stays there until the next run.
      let scratch = try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/latest")
      let path = "\(folder)/\(scratch)/scratch"
      #expect(FileManager.default.fileExists(atPath: path))
      _ = await LabFixtures.run(
        ["check", "--plans", "1", "--seed", "1", "--output", folder],
        composition: .current
      )
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `After SIGKILL a program under test ends too`() async throws {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let words = ["check", "--system", "external:trap '' HUP TERM; sleep 600 & exec sleep 600"]
      let run = try RealRun(command, words, in: folder)
      // The program and its keeper.
      #expect(try run.waits { try run.children().count == 2 })
      let children = try run.children()
      run.send(SIGKILL)
      #expect(try RealRun.livingInTheEnd(of: children) == [])
      #expect(run.end(by: SIGKILL) == nil)
    }
  }

  @Test func `A benchmark's helper process ends with its parent`() async throws {
    let command = try #require(BuiltCommand.path)
    try await withFolder { folder in
      let (helper, life) = (Process(), Pipe())
      helper.executableURL = URL(fileURLWithPath: command)
      helper.arguments = ["_build", folder + "/large", "500000", "1"]
      helper.standardInput = life
      helper.standardOutput = FileHandle.nullDevice
      helper.standardError = FileHandle.nullDevice
      try helper.run()
      while helper.isRunning, !FileManager.default.fileExists(atPath: folder + "/large") {
        sched_yield()
      }
      try life.fileHandleForWriting.close()
      helper.waitUntilExit()
      #expect(helper.terminationStatus == 70)
    }
  }
}
