import Foundation
import PropertyTesting

/// The child process's side of a ``CaseWorker``: runs the cases that the parent process sends.
struct CaseServer {
  /// The first line of output, which reports that the test has reached the call of `property`.
  static let greeting = "ready"

  /// The file descriptor to which the answers are written.
  private static let output: Int32 = 3

  /// The call of `property` for which this child process runs cases; `nil` in all other processes.
  static let place = ProcessInfo.processInfo.environment[PropertyCall.variable]

  let body: IsolatedBody

  /// Runs cases until the input ends, and then ends this process.
  func run(on isolation: isolated (any Actor)?) async throws -> Never {
    let recorder = IssueRecorder()
    try await recorder.collect {
      Self.say(Self.greeting)
      while let line = readLine() {
        let request = try JSONDecoder().decode(CaseRequest.self, from: Data(line.utf8))
        try await answer(request, recorder, on: isolation)
      }
      _exit(0)
    }
    _exit(1)
  }

  private func answer(
    _ request: CaseRequest,
    _ recorder: IssueRecorder,
    on isolation: isolated (any Actor)?
  ) async throws {
    var source = request.source { Self.say($0.line) }
    if request.wantsValues {
      return try say(JSONEncoder().encode([body.values(source.replayed ?? ChoiceSequence())]))
    }
    let (result, _) = await body.run(&source, recorder, on: isolation)
    try say(JSONEncoder().encode(CaseReport(result, source)))
  }

  private func say(_ data: Data) { Self.say(String(decoding: data, as: UTF8.self)) }

  /// Writes a line without buffering, because a trap would discard buffered lines.
  private static func say(_ line: String) {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { _exit(0) }
      bytes.removeFirst(max(count, 0))
    }
  }
}
