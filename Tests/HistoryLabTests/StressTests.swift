import Foundation
import Testing

@testable import HistoryLab

@Suite(.serialized) struct `Real processes on one store` {
  // MARK: Options

  @Test func `Three processes write for a minute unless told otherwise`() throws {
    let options = try StressOptions(parse("stress"), in: .sample)
    #expect(options.processes == 3)
    #expect(options.duration == .seconds(60))
    #expect(options.seed == 42)
    #expect(options.output == "Reports/runs")
    #expect(!options.json)
  }

  @Test func `The time is given in minutes or in seconds`() throws {
    let minutes = try StressOptions(parse("stress --minutes 0.5 --processes 8"), in: .sample)
    #expect(minutes.duration == .seconds(30))
    #expect(minutes.processes == 8)
    let seconds = try StressOptions(parse("stress --seconds 1.5 --json"), in: .sample)
    #expect(seconds.duration == .seconds(1.5))
    #expect(seconds.json)
  }

  @Test(arguments: [
    ("--processes 0", "--processes takes a whole number from 1 to 64"),
    ("--minutes 1 --seconds 1", "--minutes and --seconds cannot be given together."),
    ("--seconds 0", "--seconds takes a number from 0.1 to 604,800"),
  ])
  func `What cannot be run is refused`(_ words: String, _ sentence: String) async {
    let result = await run(["stress"] + words.split(separator: " ").map(String.init))
    #expect(result.code == .usage)
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }

  @Test func `Without the command there is nothing to start`() async {
    let result = await run(["stress", "--seconds", "0.1"])
    #expect(result.code == .lab)
    #expect(result.errors.contains("this process is not the command history-lab"))
  }

  // MARK: Judging

  @Test func `Views that equal the data and an empty history are good`() {
    let result = StressResult.good
    #expect(result.verdict == "valid")
    #expect(
      result.because
        == "all 2 views equal the store's data, history held 40 of 100 transactions at most and "
        + "1 at the end, and no error reached a caller."
    )
  }

  @Test func `Whatever is not as it must be is told`() {
    let breaks: [((inout StressResult) -> Void, String)] = [
      ({ $0.participants[1].report?.view = nil }, "the view of b differs from the store's data"),
      ({ $0.data = StressView(objectCount: 3, digest: "f") }, "the view of a differs"),
      ({ $0.participants[0].report?.busyErrors = 2 }, "a met 2 errors, 2 of them a busy store"),
      ({ $0.participants[0].report?.otherErrors = 1 }, "a met 1 errors, 0 of them a busy store"),
      ({ $0.heldAtEnd = 2 }, "history still holds 2 transactions that everybody merged"),
      ({ $0.heldMax = 10_001 }, "history grew to 10,001 of 100 transactions"),
      (
        { $0.committed = 99 },
        "the processes wrote 100 transactions, and the store has committed 99"
      ),
      (
        {
          $0.participants[1].report = nil
          $0.participants[1].trouble = "did not answer"
        }, "b did not answer."
      ),
    ]
    for (change, sentence) in breaks {
      var result = StressResult.good
      change(&result)
      #expect(result.verdict == "invalid", "\(sentence)")
      #expect(result.because.contains(sentence), "\(result.because)")
    }
  }

  @Test func `A process that merged nothing shows nothing`() {
    var result = StressResult.good
    result.participants[1].report?.merged = 0
    #expect(result.verdict == "unknown")
    #expect(result.because == "b had nothing to write or to merge. Try a longer run.")
  }

  // MARK: Running

  /// The command lies beside the tests.
  private static var command: String? {
    guard let tests = Bundle.main.executablePath else { return nil }
    let url = URL(fileURLWithPath: tests)
    let places =
      [url.deletingLastPathComponent()]
      + Bundle.allBundles.map {
        $0.bundleURL.deletingLastPathComponent()
      }
    return places.map { $0.appendingPathComponent("history-lab").path }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  @Test func `Three processes agree with the store after a second of writes`() async throws {
    var composition = Composition.sample
    let command = try #require(Self.command)
    composition.command = command
    try await withFolder { folder in
      let words = ["stress", "--seconds", "1", "--seed", "7", "--json", "--output", folder]
      let kept = await run(words, composition: composition)
      #expect(kept.code == .good, "\(kept.output) \(kept.errors)")
      let file = try String(contentsOfFile: "\(folder)/latest/stress.json", encoding: .utf8)
      #expect(kept.output == file)
      let document = try JSONDecoder().decode(Document.self, from: Data(file.utf8))
      #expect(document.verdict == "valid")
      #expect(document.result.participants.map(\.name) == ["process-1", "process-2", "process-3"])
      #expect(document.result.participants.allSatisfy { ($0.report?.written ?? 0) > 0 })
      #expect(document.result.sampleCount > 0)
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/latest/scratch"))
    }
  }

  @Test func `A program that is none of ours is a process that ended`() async throws {
    var composition = Composition.sample
    composition.command = "/usr/bin/false"
    try await withFolder { folder in
      let words = ["stress", "--seconds", "0.1", "--processes", "2", "--output", folder]
      let kept = await run(words, composition: composition)
      #expect(kept.code == .violation)
      #expect(kept.output.contains("Process-1 ended too early with code 1; process-2 ended"))
      let file = try #require(kept.errors.split(separator: " ").last).dropLast()
      #expect(FileManager.default.fileExists(atPath: String(file)))
    }
  }

  private struct Document: Decodable {
    let verdict: String
    let result: StressResult
  }
}

extension StressResult {
  /// What came of a run of two processes in which everything was as it must be.
  fileprivate static var good: StressResult {
    let view = StressView(objectCount: 3, digest: "e")
    let report = StressReport(written: 50, passes: 9, merged: 50, purged: 50, view: view)
    var result = StressResult(seed: "0x1")
    result.participants = [.init(name: "a", report: report), .init(name: "b", report: report)]
    result.data = view
    result.committed = 100
    result.heldMax = 40
    result.heldAtEnd = 1
    return result
  }
}
