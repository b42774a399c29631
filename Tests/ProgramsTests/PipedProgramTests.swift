import Foundation
import TestSupport
import Testing

@testable import Programs

@Suite(.blocksItsThread) struct `A program behind pipes` {
  private func program(
    _ command: String,
    timeout: Duration = .seconds(30),
    _ errors: StandardErrorText = StandardErrorText()
  ) throws -> PipedProgram {
    var program = ExternalProgram(command, timeout: timeout)
    program.lineByteCountMax = 1 << 18
    return try PipedProgram(program, errors: errors)
  }

  /// Returns why the program gives no response, after some valid ones.
  private func failure(_ command: String, timeout: Duration = .seconds(30)) throws -> String? {
    let program = try program(command, timeout: timeout)
    return #expect(throws: ProgramError.self) {
      for _ in 0..<3 { _ = try program.exchange("hello") }
    }?.clause
  }

  @Test func `Lines of any length are sent and received`() throws {
    let program = try program("cat")
    for length in [0, 1, 70_000, 200_000] {
      let line = String(repeating: "é", count: length / 2)
      #expect(try program.exchange(line) == line)
    }
  }

  @Test(arguments: [
    ("exit 3", "it ended with code 3"),
    ("kill -9 $$", "it was ended by signal 9"),
    ("read x; printf '{\"id\":'", "it ended with code 0, in the middle of a line"),
    ("no-such-program-anywhere", "it ended with code 127"),
    ("exec 0<&-; exit 4", "it ended with code 4"),
    ("printf 'a\\377b\\n'; cat", "it wrote a line that is not UTF-8: a\u{FFFD}b"),
    ("cat /dev/zero", "it wrote a line of more than 262144 bytes"),
  ])
  func `Every behaviour of a program is reported to the lab`(
    _ command: String,
    _ clause: String
  ) throws {
    #expect(try failure(command) == clause)
  }

  @Test(arguments: [
    ("cat > /dev/null", "it was silent for 0.1 seconds"),
    ("read x; printf abc; cat > /dev/null", "it was silent for 0.1 seconds after 3 bytes"),
    ("read x; printf a; cat > /dev/null", "it was silent for 0.1 seconds after 1 byte without"),
  ])
  func `A silent program times out`(_ command: String, _ clause: String) throws {
    let reason = try failure(command, timeout: .milliseconds(100))
    #expect(reason?.hasPrefix(clause) == true, "\(reason as Any)")
  }

  @Test func `A program that does not read blocks no caller`() throws {
    let program = try program("exec sleep 600", timeout: .milliseconds(100))
    let line = String(repeating: "x", count: 1 << 20)
    let error = #expect(throws: ProgramError.self) { try program.exchange(line) }
    #expect(error?.clause == "it did not read its standard input for 0.1 seconds")
  }

  @Test func `A program's standard error is kept and does not block it`() throws {
    let errors = StandardErrorText()
    let program = try program(
      "read x; head -c 3000000 /dev/zero | tr '\\0' e >&2; echo last >&2; echo done; cat",
      errors
    )
    #expect(try program.exchange("go") == "done")
    program.close()
    #expect(errors.tail.hasSuffix("eee" + "last\n"))
    let text = errors.text
    #expect(text.hasPrefix("eee") && text.utf8.count < 1_100_000)
    #expect(text.contains("more bytes]"))
  }

  @Test func `A program and its keeper inherit no file of the lab`() throws {
    let pipe = Pipe()
    let program = try program("cat")
    try pipe.fileHandleForWriting.close()
    var request = pollfd(
      fd: pipe.fileHandleForReading.fileDescriptor,
      events: Int16(POLLIN),
      revents: 0
    )
    #expect(poll(&request, 1, 20_000) == 1 && request.revents & Int16(POLLHUP) != 0)
    #expect(try program.exchange("still here") == "still here")
  }

  @Test func `A program ends with its channel, and so do its children`() throws {
    let orderly = StandardErrorText()
    try program("cat; echo bye >&2", orderly).close()
    #expect(orderly.text == "bye\n")
    // A program that ignores the end of its input is killed, together with an orphan in a separate
    // process group. A killed process may take a moment to disappear.
    let life = try LifePipe()
    var stubborn = ExternalProgram(
      "\(life.command); trap '' TERM; bash -c 'set -m; sleep 600 &' >/dev/null 2>&1; echo on; "
        + "exec sleep 600"
    )
    stubborn.grace = .milliseconds(50)
    let program = try PipedProgram(stubborn)
    #expect(try program.exchange("") == "on")
    program.close()
    #expect(life.ends(within: .seconds(10)))
    #expect(throws: ProgramError.self) { try program.exchange("again") }
  }

  /// The program ignores the end of its input and every signal that can be ignored.
  @Test func `A program ends when the lab is killed, whatever signals it ignores`() async throws {
    let life = try LifePipe()
    let result = await #expect(
      processExitsWith: .signal(SIGKILL),
      observing: [\.standardOutputContent]
    ) { [hold = life.command as String] in
      let stubborn =
        "\(hold); trap '' TERM HUP INT PIPE; bash -c 'set -m; sleep 600 &' >/dev/null 2>&1; "
        + "sleep 600 & read line; echo on; exec sleep 600"
      let program = try PipedProgram(ExternalProgram(stubborn))
      print(try program.exchange("go"))
      fflush(nil)
      kill(getpid(), SIGKILL)
      program.close()
    }
    let said = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(said.contains("on\n"))
    #expect(life.ends(within: .seconds(20)))
  }
}
