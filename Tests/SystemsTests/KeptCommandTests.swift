import Foundation
import TestSupport
import Testing

@testable import Systems

@Suite struct `Commands that are kept` {
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

  @Test func `Their words come through, and their exit code is told`() throws {
    #expect(try run("echo 'two words'; exit 3") == (3, "two words\n"))
    #expect(try run("read line; echo $?") == (0, "1\n"))
    #expect(try run("kill -s TERM $$").code == 128 + SIGTERM)
    #expect(try run("no-such-command-here 2>/dev/null").code == 127)
  }

  @Test func `One that is not wanted any more ends with all that it has started`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("children")
    // The child is in a group of its own, as the compilers that swift build starts are.
    let sleeper = "perl -e 'setpgrp; exec \"sleep\", 600' >/dev/null 2>&1"
    let line = "trap '' TERM HUP; \(sleeper) & echo $! >\(file).new; mv \(file).new \(file); wait"
    let answer = try run(line) { !FileManager.default.fileExists(atPath: file) }
    #expect(answer.code == nil)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Of one that has ended at most its entry in the table of processes is left.
    let state = try ProcessAnswer(of: "/bin/ps", ["-o", "stat=", "-p", String(child)]).said
    #expect(state.isEmpty || state.hasPrefix("Z"), "\(state)")
  }
}
