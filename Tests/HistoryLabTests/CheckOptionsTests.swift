import LabFixtures
import Testing

@testable import Commands
@testable import HistoryLab

@Suite struct `Check options` {
  private func options(_ line: String) throws -> CheckOptions {
    try CheckOptions(parse(line), in: .sample)
  }

  @Test func `Without arguments the defaults of the help apply`() throws {
    let options = try options("check")
    #expect(options.systems == ["tracker"])
    #expect(options.plans == 200)
    #expect(options.planOptions == PlanOptions(commands: 40, actors: nil, like: .photos))
    #expect(options.seed == 42)
    #expect(options.output == "Reports/runs")
    #expect(options.jobs == 3)
    #expect(options.timeLimit == nil)
    #expect(options.onDisk == nil)
    #expect(!options.json)
    #expect(!options.quick)
  }

  @Test func `Every option is parsed`() async throws {
    try await withFolder { folder in
      let options = try options(
        "check --system article --system tracker --system article --plans 7 --commands 9 --actors 2 "
          + "--seed 0x10 --like notes --output \(folder)/a/b --jobs 5 --json "
          + "--on-disk \(folder) --minutes 0.5 --quick"
      )
      #expect(options.systems == ["article", "tracker"])
      #expect(options.plans == 7)
      #expect(options.planOptions == PlanOptions(commands: 9, actors: 2, like: .notes))
      #expect(options.seed == 16)
      #expect(options.output == "\(folder)/a/b")
      #expect(options.jobs == 5)
      #expect(options.timeLimit == .seconds(30))
      #expect(options.onDisk == folder)
      #expect(options.json)
      #expect(options.quick)
    }
  }

  @Test func `Quick means fifty plans unless a number is given`() throws {
    #expect(try options("check --quick").plans == 50)
    #expect(try options("check --quick --plans 200").plans == 200)
  }

  @Test func `A file for --like must be readable`() async throws {
    try await withFolder { folder in
      try makeFile("\(folder)/photos")
      let options = try options("check --like \(folder)/photos")
      #expect(options.planOptions.like == .file("\(folder)/photos"))
      #expect(throws: LabError.usage(#"--like: "\#(folder)" is a folder, not a file."#)) {
        try self.options("check --like \(folder)")
      }
    }
  }

  @Test(arguments: ["1", "10000000"])
  func `The number of plans is from one to ten million`(text: String) throws {
    #expect(try options("check --plans \(text)").plans == Int(text))
  }

  @Test(arguments: ["0", "10000001", "1.0", "1e3", "ten"])
  func `A number of plans outside the range is refused`(text: String) {
    #expect(throws: LabError.self) { try options("check --plans \(text)") }
  }

  @Test func `The command that replays a plan names that plan`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/it's a store.sqlite"
      try makeFile(file)
      var options = try options("check --seed 1 --commands 9 --actors 2 --on-disk \(folder)")
      options.planOptions.like = .file(file)
      let command = options.replay(system: "article", plan: 17).line(typing: .plain)
      let quoted = "'\(folder)/it'\\''s a store.sqlite'"
      #expect(
        command == "history-lab replay --system article --seed 0x1 --plan 17 --like \(quoted) "
          + "--commands 9 --actors 2 --on-disk \(folder)"
      )
      let words = command.replacing(quoted, with: "FILE").split(separator: " ").dropFirst()
      let line = words.map { $0 == "FILE" ? file : String($0) }
      guard case .run(_, let arguments) = try Invocation.read(line, tool: .historyLab) else {
        throw LabError.lab("the command asks for help")
      }
      let replay = try ReplayOptions(arguments, in: .sample)
      #expect(replay.source == .seed(1, plan: 17, options.planOptions))
      #expect(replay.system == "article")
      #expect(replay.onDisk == folder)
    }
  }

  @Test func `A command with only defaults is short`() throws {
    let replay = try options("check --seed 255").replay(system: "tracker", plan: 1)
    let command = replay.line(typing: .plain)
    #expect(command == "history-lab replay --system tracker --seed 0xff --plan 1")
  }
}
