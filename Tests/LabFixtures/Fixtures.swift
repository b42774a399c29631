import BenchCommands
package import Commands
import Foundation
import HistoryLab
import Synchronization
import Systems
import TestSupport

/// Collects written text, and may refuse it.
package final class Recorder: Sendable {
  private let written = Mutex("")
  package let refusal: String?

  package init(refusing refusal: String? = nil) { self.refusal = refusal }

  package var text: String { written.withLock { $0 } }

  package func take(_ text: String) -> String? {
    guard refusal == nil else { return refusal }
    written.withLock { $0 += text }
    return nil
  }
}

/// A clock that a test moves.
package final class TestClock: Sendable {
  private let time = Mutex(Duration.zero)

  package init() {}

  package var now: Duration { time.withLock { $0 } }

  package func move(by duration: Duration) { time.withLock { $0 += duration } }
}

/// A terminal whose outputs are kept.
package struct TestTerminal {
  package let output: Recorder
  package let errors = Recorder()
  package let clock = TestClock()
  package let terminal: Terminal

  /// With keys, they are pressed one after another.
  package init(
    _ traits: Terminal.Traits = Terminal.Traits(),
    output: Recorder = Recorder(),
    keys: [UInt8]? = nil,
    command: ShellCommand = .plain
  ) {
    self.output = output
    let key: (@Sendable () -> UInt8?)? = keys.map { Pressed($0).press }
    terminal = Terminal(
      traits,
      now: { [clock] in clock.now },
      output: output.take,
      errors: errors.take,
      key: key,
      command: command
    )
  }
}

/// Keys that are pressed one after another.
private final class Pressed: Sendable {
  private let keys: Mutex<[UInt8]>

  package init(_ keys: [UInt8]) { self.keys = Mutex(keys.reversed()) }

  @Sendable func press() -> UInt8? { keys.withLock { $0.popLast() } }
}

extension Composition {
  /// A composition with systems and benchmarks, whose seed is always 42 and whose pages have no charts.
  package static var sample: Composition {
    var composition = Composition()
    composition.processors = 3
    composition.drawSeed = { 42 }
    composition.catalogue[.systems] = [
      Catalogue.Entry("tracker", "Ours."),
      Catalogue.Entry("article", "The article's protocol."),
      Catalogue.Entry("mutant/purge-by-greatest-cursor", "A seeded bug."),
    ]
    composition[MutantTrials.self].mutants = [
      "fetch-at-cursor", "record-before-merge", "purge-to-head", "clock-raw", "clock-ties",
    ]
    .enumerated().map { Mutant($1, number: Int32($0 + 1), least: 1, "Something is wrong.") }
    composition.catalogue[.benchmarks] = [
      Catalogue.Entry("fetch newest", "What is new is fetched."),
      Catalogue.Entry("fetch all", "Everything is fetched."),
      Catalogue.Entry("Merge", "What was fetched is merged."),
    ]
    composition.catalogue[.axes] = [Catalogue.Entry("cold", "Nothing is in memory.")]
    composition.catalogue[.conditions] = Catalogue.conditions
    composition[ChartSettings.self].toolsFolder = noTools
    return composition
  }

  /// A folder without a chart tool: to draw the charts of a page takes longer than most tests.
  private static let noTools = "/there/are/no/tools"

  /// This build with histories so small that they are built at once, and without charts.
  package static var small: Composition {
    var composition = Composition.current
    composition[BenchmarkSizes.self].quick = [100]
    composition[BenchmarkSizes.self].all = [100, 200]
    // The noise of the machine during tests does not matter for the command.
    composition[BenchmarkSizes.self].checksNoise = false
    composition[ChartSettings.self].toolsFolder = noTools
    return composition
  }
}

/// Parses a command line without the tool's path; double quotes make one word.
package func parse(_ line: String) throws -> ParsedArguments {
  let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
  let words = parts.enumerated().flatMap { index, part in
    index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
  }
  guard case .run(_, let arguments) = try Invocation.read(words, tool: .historyLab) else {
    throw LabError.lab("the line asks for help")
  }
  return arguments
}

/// Runs a command line on a recorded terminal, on a separate thread as the command does.
package func run(
  _ words: [String],
  composition: Composition = .sample,
  on kept: TestTerminal = TestTerminal()
) async -> (code: ExitCode, output: String, errors: String) {
  let lab = Lab(tool: .historyLab, composition: composition, terminal: kept.terminal)
  let code = await onOwnThread { await lab.run(words) }
  return (code, kept.output.text, kept.errors.text)
}

/// The command that was built with the tests.
package enum BuiltCommand {
  /// Its path; `nil` if only the tests were built.
  package static var path: String? {
    guard let tests = Bundle.main.executablePath else { return nil }
    let places =
      [URL(fileURLWithPath: tests).deletingLastPathComponent()]
      + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    return places.map { $0.appendingPathComponent("history-lab").path }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

/// Passes a new folder to a closure, and removes it afterwards.
package func withFolder<Answer>(_ body: (String) async throws -> Answer) async throws -> Answer {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("history-lab-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let answer: Result<Answer, any Error>
  do { answer = .success(try await body(folder.path)) } catch { answer = .failure(error) }
  try FileManager.default.removeItem(at: folder)
  return try answer.get()
}

/// Creates a file with a text.
package func makeFile(_ path: String, _ text: String = "text") throws {
  try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}
