import Foundation
import TestSupport
import Testing

@testable import Programs

@Suite(.blocksItsThread) struct `Kept commands` {
  private func run(
    _ command: String,
    whileWanted isWanted: () -> Bool = { true }
  ) throws -> (code: Int32?, said: String) {
    let output = Pipe()
    let descriptor = output.fileHandleForWriting.fileDescriptor
    let code = try KeptCommand.run(command, output: descriptor, whileWanted: isWanted)
    try output.fileHandleForWriting.close()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    return (code, String(decoding: said, as: UTF8.self))
  }

  @Test func `Output passes through, and the exit code is returned`() throws {
    #expect(try run("echo 'two words'; exit 3") == (3, "two words\n"))
    #expect(try run("read line; echo $?") == (0, "1\n"))
    #expect(try run("kill -s TERM $$").code == 128 + SIGTERM)
    #expect(try run("no-such-command-here 2>/dev/null").code == 127)
  }

  /// Programs that leave their group or session, or lose their parents, as compilers and servers
  /// do.
  ///
  /// Each creates `$started` once its descendants run.
  static let programs = [
    // In a separate group, as the compilers that swift build starts are.
    "bash -c 'set -m; sleep 600 & >\"$started\"; wait'",
    // The same without its parent.
    "bash -c 'set -m; sleep 600 & >\"$started\"'; sleep 600",
    // Its name has spaces and parentheses, as those of threads and scripts may.
    "cp /bin/sh \"$folder/) S 1 (a b\"; \"$folder/) S 1 (a b\" -c 'sleep 600 & >\"$started\"; wait'",
  ]

  @Test(arguments: programs)
  func `A cancelled command ends with all its descendants`(
    _ program: String
  ) throws {
    let life = try LifePipe()
    let started = life.path("started")
    let command = """
      \(life.command); trap '' TERM HUP; export folder='\(life.path(""))' started='\(started)'
      { \(program); } >/dev/null 2>&1 &
      wait
      """
    let answer = try run(command) { !FileManager.default.fileExists(atPath: started) }
    #expect(answer.code == nil)
    #expect(life.ends(within: .seconds(10)))
  }

  #if os(Linux)
  @Test func `A descendant in its own session ends while its parent lives`() throws {
    let life = try LifePipe()
    let started = life.path("started")
    let command = "\(life.command); setsid sh -c '>\"\(started)\"; exec sleep 600' & wait"
    #expect(try run(command) { !FileManager.default.fileExists(atPath: started) }.code == nil)
    #expect(life.ends(within: .seconds(10)))
  }

  @Test(arguments: [true, false])
  func `A command with a gate runs once that is opened, and never otherwise`(opens: Bool) throws {
    let folder = try TemporaryFolder()
    let silence = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(silence) }
    var gate = ChildPipes()
    try gate.add()
    let id = try ChildProcess.spawn(
      "echo ran > '\(folder.path("trace"))'; [ ! -e /proc/$$/fd/9 ]",
      input: silence,
      output: silence,
      errors: silence,
      gate: gate[0].read
    )
    var newline = UInt8(ascii: "\n")
    if opens { #expect(write(gate[0].write, &newline, 1) == 1) }
    // As if this process ended.
    gate.closeAll()
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    #expect((status >> 8) & 0xff == (opens ? 0 : 125))
    #expect(FileManager.default.fileExists(atPath: folder.path("trace")) == opens)
  }

  @Test func `Where processes cannot be listed, the group ends and the error names the rest`()
    async throws
  {
    let result = await #expect(
      processExitsWith: .exitCode(7),
      observing: [\.standardErrorContent]
    ) {
      let silence = open("/dev/null", O_RDWR)
      let id = try ChildProcess.spawn("sleep 600", input: silence, output: silence, errors: silence)
      guard !RunningProcess.endAll(of: id, in: "/nowhere") else { exit(1) }
      var status: Int32 = 0
      guard waitpid(id, &status, 0) == id, status & 0x7f == SIGKILL else { exit(2) }
      exit(7)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("/nowhere cannot be read, so only process group "), "\(said)")
  }

  /// The keeper that this process has started: its child whose command line is the script.
  private static func keeper() throws -> pid_t? {
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
      guard let id = pid_t(name),
        let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
        let fields = stat.split(separator: ")").last?.split(separator: " "),
        fields.count > 1, pid_t(fields[1]) == getpid(),
        let line = try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)
      else { continue }
      if line.contains("read -r verb leader") { return id }
    }
    return nil
  }

  @Test(.needs(.processFiles))
  func `A new keeper also ends the programs of a killed one`() async throws {
    let lives = [try LifePipe(), try LifePipe()]
    let started = lives.map { $0.path("started") }
    let commands = zip(lives, started).map { "\($0.command); >'\($1)'; exec sleep 600" }
    await #expect(processExitsWith: .exitCode(7)) {
      [commands = commands as [String], started = started as [String]] in
      let silence = open("/dev/null", O_RDWR)
      for (command, file) in zip(commands, started) {
        _ = try ChildProcess.spawnKept(command, input: silence, output: silence, errors: silence)
        while access(file, F_OK) != 0 { sched_yield() }
        guard let keeper = try Self.keeper() else { exit(1) }
        if command == commands[0] {
          kill(keeper, SIGKILL)
          var status: Int32 = 0
          while waitpid(keeper, &status, 0) < 0 && errno == EINTR {}
        }
      }
      exit(7)
    }
    #expect(lives[0].ends(within: .seconds(10)))
    #expect(lives[1].ends(within: .seconds(10)))
  }

  @Test(.timeLimit(.minutes(1)))
  func `A keeper ignores the end of programs that it does not know`() async throws {
    let life = try LifePipe()
    let keeper = life.path("keeper")
    try Data(ChildKeeper.script("/nowhere").utf8).write(to: URL(fileURLWithPath: keeper))
    // No process has such a number (PID_MAX_LIMIT of the kernel is 2^22).
    let lines =
      "keep 5000001\\nforget 5000001\\nkeep 5000002\\n"
      + String(repeating: "forget 5000001\\n", count: 40)
    let answer = try await ProcessAnswer(
      of: "/bin/sh",
      ["-c", "printf '\(lines)' | sh '\(keeper)'"]
    )
    #expect(answer.said.contains("only process group 5000002 was ended"), "\(answer.said)")
    #expect(!answer.said.contains("5000001"))
  }

  @Test func `The keeper reports the same for each program that it ends`() async throws {
    let life = try LifePipe()
    let keeper = life.path("keeper")
    try Data(ChildKeeper.script("/nowhere").utf8).write(to: URL(fileURLWithPath: keeper))
    // No process has such a number (PID_MAX_LIMIT of the kernel is 2^22).
    let lines = "keep 5000001\\nkeep 5000002\\nkeep 5000003\\nforget 5000002\\n"
    let answer = try await ProcessAnswer(
      of: "/bin/sh",
      ["-c", "printf '\(lines)' | sh '\(keeper)'"]
    )
    #expect(answer.said.contains("only process group 5000001 was ended"), "\(answer.said)")
    #expect(answer.said.contains("only process group 5000003 was ended"))
    #expect(!answer.said.contains("5000002"))
  }
  #endif
}
