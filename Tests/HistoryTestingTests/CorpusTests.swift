import Foundation
import Testing

@testable import FirstBug
@testable import HistoryTesting

@Suite struct CorpusTests {
  /// Runs a body with a folder that is removed afterwards.
  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "corpus-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  @Test func `A failure is kept, replayed on the next run, and holds once it is fixed`()
    async throws
  {
    try await withFolder { folder in
      let first = try await issues {
        try await checkHistory(of: MyLog.self, plans: 20, corpus: folder)
      }
      let saved = try counterexamples(in: folder)
      #expect(saved.count == first.count && !saved.isEmpty)
      #expect(saved[0].testDescription.hasSuffix(".jsonl"))
      let again = try await issues {
        try await checkHistory(of: MyLog.self, plans: 1, corpus: folder)
      }
      #expect(again.filter { $0.contains("Saved counterexample: ") }.count == saved.count)
      for one in saved { try await replayHistory(one, on: FixedLog.self) }
      let broken = try await issues { try await replayHistory(saved[0], on: MyLog.self) }
      #expect(broken.count == 1 && broken[0].contains("MyLog violates "), "\(broken)")
    }
  }

  @Test func `The corpus folder has the command that repeats a plan which crashed`() async throws {
    try await withFolder { folder in
      let corpus = CorpusFolder(folder, from: #filePath)
      let mark = try corpus.mark("A test")
      mark.write("HISTORY_SEED=1 HISTORY_PLAN=8 swift test")
      #expect(corpus.unfinished("A test") == "HISTORY_SEED=1 HISTORY_PLAN=8 swift test")
      #expect(corpus.unfinished("Another") == nil)
      mark.remove()
      #expect(corpus.unfinished("A test") == nil)
      let blocked = folder + "/file"
      try "".write(toFile: blocked, atomically: true, encoding: .utf8)
      #expect(throws: (any Error).self) {
        try CorpusFolder(blocked, from: #filePath).mark("A test")
      }
      try FileManager.default.removeItem(atPath: blocked)
      try await checkHistory(of: FixedLog.self, plans: 3, corpus: folder)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test func `A missing folder is reported`() {
    #expect {
      _ = try counterexamples(in: "Nowhere")
    } throws: { error in
      "\(error)".contains("HistoryTestingTests/Nowhere. Create it")
    }
  }

  @Test func `An invalid file is refused with the line`() async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try "nonsense\n".write(toFile: folder + "/a.jsonl", atomically: true, encoding: .utf8)
      let saved = try #require(try counterexamples(in: folder).first)
      await #expect(throws: HistorySettingsError.self) {
        try await replayHistory(saved, on: MyLog.self)
      }
    }
  }
}

@Suite struct HistorySettingsTests {
  @Test func `The environment is read, and a wrong value is reported`() throws {
    let settings = try HistorySettings(environment: [
      "HISTORY_PLANS": "7", "HISTORY_SEED": "9", "HISTORY_PLAN": "3", "HISTORY_TIME": "0.5",
      "HISTORY_CORPUS": "Found",
    ])
    #expect(settings.plans == 7 && settings.seed == 9 && settings.plan == 3)
    #expect(settings.time == .seconds(0.5) && settings.corpus == "Found")
    #expect(try HistorySettings(environment: ["HISTORY_SEED": "random"]).seed != nil)
    for (name, value) in [
      ("HISTORY_PLANS", "0"), ("HISTORY_SEED", "x"), ("HISTORY_PLAN", "-1"), ("HISTORY_TIME", "0"),
    ] {
      #expect {
        _ = try HistorySettings(environment: [name: value])
      } throws: { error in
        "\(error)".hasPrefix("\(name) is \"\(value)\"; give ")
      }
    }
  }

  @Test(.history(plans: 5, seed: 3)) func `A trait sets the options that the call omits`()
    async throws
  {
    let report = try await checkHistory(of: FixedLog.self)
    #expect(report.planCount == 5 && report.seed == 3)
    #expect(try await checkHistory(of: FixedLog.self, plans: 6).planCount == 6)
  }
}
