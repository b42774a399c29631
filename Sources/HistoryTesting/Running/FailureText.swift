internal import Checkers
internal import Foundation
internal import Reporting
internal import Testing
internal import Traces

extension HistoryFailure {
  /// Creates a failure with its text, its file and its page.
  init(
    _ counterexample: Counterexample,
    _ checkers: [any HistoryChecker.Type],
    note: String?,
    replay: String
  ) {
    let name = counterexample.violation.checker
    let own = checkers.first { $0.name == name }
      .map { "Verifies: \($0.verifies). Does not verify: \($0.doesNotVerify)." }
    let table = CounterexampleText().render(counterexample, replay: replay)
    checker = name
    commandCount = counterexample.trace.header.plan.commands.count
    text = [own, note].compactMap(\.self).reduce(table) { $0 + $1 + "\n" }
    jsonLines = CounterexampleCodec.encode(counterexample)
    let page = CounterexamplePage(
      counterexample,
      meaning: own ?? CheckerSuite.sentence(of: name),
      replay: replay,
      file: Self.file(counterexample.trace.header.system, name, "jsonl")
    )
    html = page.html()
  }

  /// Records the failure as an issue of a test, with its file and its page as attachments.
  ///
  /// Both are also left in the temporary folder: attachments are only kept if the tests are run
  /// with `--attachments-path`.
  func record(_ system: String, at place: SourceLocation) {
    let picture = Self.file(system, checker, "html")
    let lines = Self.file(system, checker, "jsonl")
    Attachment.record(jsonLines, named: lines, sourceLocation: place)
    Attachment.record(html, named: picture, sourceLocation: place)
    let folder = NSTemporaryDirectory() + "history-testing"
    var text = text
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try jsonLines.write(toFile: "\(folder)/\(lines)", atomically: true, encoding: .utf8)
      try html.write(toFile: "\(folder)/\(picture)", atomically: true, encoding: .utf8)
      text += "Picture: \(folder)/\(picture)"
    } catch {
      text += "The picture could not be written to \(folder): \(error.localizedDescription)"
    }
    Issue.record(Comment(rawValue: text), sourceLocation: place)
  }

  /// Returns a name for a file about a broken invariant.
  static func file(_ system: String, _ checker: String, _ ending: String) -> String {
    let plain = system.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    return "\(String(plain))-\(checker).\(ending)"
  }
}

/// The name of the running test.
enum TestName {
  /// The name, as `--filter` accepts it; `nil` outside of a test.
  static var current: String? {
    guard let test = Test.current else { return nil }
    let name = test.name.hasSuffix("()") ? String(test.name.dropLast(2)) : test.name
    return name.filter { $0 != "`" }
  }
}
