import LabFixtures
import Testing

@testable import Commands
@testable import HistoryLab

@Suite struct `The command` {
  @Test func `Exit codes are the documented ones`() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 64, 70])
    #expect(LabError.usage("").exitCode == .usage)
    #expect(LabError.lab("").exitCode == .lab)
  }

  @Test func `The version is printed on one line`() async {
    let result = await run(["--version"])
    #expect(result.output == "history-lab \(ToolSpec.version)\n")
    #expect(result.code == .good)
  }

  @Test func `Every documented verb is implemented`() async throws {
    try await withFolder { folder in
      try makeFile("\(folder)/file")
      let more = [
        "replay": "--seed 1 --plan 1", "inspect": "\(folder)/file",
        "advise": "\(folder)/file", "why": "\(folder)/file",
        "convert": "\(folder)/file \(folder)/new", "report": "--output \(folder)",
        "report trend": "--history \(folder)/file", "history add": folder, "report nights": folder,
        "report merge": folder, "report export": "--output \(folder)",
        "history list": "--history \(folder)/file",
        "protocol check": "cat", "bench compare": "\(folder)/file",
        "bench baseline save": "before", "bench baseline compare": "before",
        "campaign add": "\(folder)/campaign check", "campaign work": folder,
        "campaign status": folder, "campaign drain": folder,
        "bisect": "\(folder)/file --good HEAD",
      ]
      for verb in ToolSpec.historyLab.leaves {
        let arguments = try parse("\(verb.name) \(more[verb.name] ?? "")")
        let start = try #require(verb.start)
        #expect(throws: Never.self) { try start(arguments, .sample, TestTerminal().terminal) }
      }
    }
  }

  @Test func `A message with its own hint gets no second hint`() {
    #expect(LabError.usage("No.").hinting("a") == .usage("No.", try: "a"))
    #expect(LabError.usage("No. Try: b").hinting("a") == .usage("No. Try: b"))
    #expect(LabError.lab("No.").hinting("a") == .lab("No."))
  }
}
