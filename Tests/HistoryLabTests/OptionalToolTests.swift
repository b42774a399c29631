import Foundation
import LabFixtures
import TestSupport
import Testing

@Suite struct `Optional tools` {
  @Test(arguments: OptionalTool.allCases)
  func `A hidden tool is absent, and the reason names how to enable its tests`(
    _ tool: OptionalTool
  ) {
    for names in ["all", tool.rawValue, "other,\(tool.rawValue)"] {
      #expect(!tool.isPresent(hiding: names))
    }
    #expect(tool.isPresent(hiding: "") == tool.isPresent(hiding: "other"))
    #expect(tool.reason == "needs \(tool.rawValue): \(tool.command)")
    #expect(!tool.command.isEmpty && !tool.rawValue.contains(" "))
  }

  @Test func `Every optional tool is needed by a test`() throws {
    let tests = URL(fileURLWithPath: Repository.path("Tests"))
    let files = try #require(
      FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    )
    var text = ""
    for case let file as URL in files where file.pathExtension == "swift" {
      text += try String(contentsOf: file, encoding: .utf8)
    }
    for tool in OptionalTool.allCases {
      #expect(text.contains(".needs(.\(tool.rawValue)"), "\(tool)")
    }
  }

  /// Returns the output of `scripts/test-results` for a run with one passed test and the given
  /// lines.
  private static func results(
    of tests: String,
    declared: Int = 2,
    exitCode: Int = 0,
    events: String = ""
  ) async throws -> ProcessAnswer {
    let folder = try TemporaryFolder()
    try """
    <testsuites>
      <testcase classname="RoomTests.`A suite`" name="`It passes`()" time="0.5" />
    \(tests)
    </testsuites>
    """.write(toFile: folder.path("results.xml"), atomically: true, encoding: .utf8)
    let lines = String(repeating: "RoomTests.`A suite`/`A test`()\n", count: declared)
    try lines.write(toFile: folder.path("declared.txt"), atomically: true, encoding: .utf8)
    try events.write(toFile: folder.path("events.jsonl"), atomically: true, encoding: .utf8)
    let files = ["results.xml", "declared.txt"] + (events.isEmpty ? [] : ["events.jsonl"])
    return try await ProcessAnswer(
      of: Repository.path("scripts/test-results"),
      files.map(folder.path),
      environment: ["TEST_EXIT_CODE": String(exitCode)]
    )
  }

  private static func event(_ kind: String, _ test: Int, at seconds: Double) -> String {
    #"{"kind":"event","payload":{"instant":{"absolute":\#(seconds),"since1970":1},"kind":"\#(kind)","#
      + #""testID":"RoomTests.A\/`Test \#(test)`()\/A.swift:\#(test):1"}}"# + "\n"
  }

  /// The line that declares a test without arguments.
  private static func declaration(_ test: Int) -> String {
    #"{"kind":"test","payload":{"id":"RoomTests.A\/`Test \#(test)`()\/A.swift:\#(test):1","#
      + #""isParameterized":false,"kind":"function"},"version":0}"# + "\n"
  }

  /// The events of one run of a test with arguments, whose cases take so many seconds.
  private static func events(_ test: Int, cases: [Double], from start: Double) -> String {
    var (text, now) = (event("testStarted", test, at: start), start)
    for seconds in cases {
      text += event("testCaseStarted", test, at: now)
      now += seconds
      text += event("testCaseEnded", test, at: now)
    }
    return text + event("testEnded", test, at: now)
  }

  @Test func `Of three thousand tests the slowest ten are named, and shared time is divided`()
    async throws
  {
    // Sequential tests with arguments, each a millisecond longer, and at the end two without arguments
    // that run at the same time.
    var events = ""
    for test in 1...3000 {
      events += Self.events(test, cases: [Double(test) / 1000], from: Double(test) * 10)
    }
    for test in 3001...3002 { events += Self.declaration(test) }
    for (kind, second) in [("testStarted", 40_000.0), ("testEnded", 40_008.0)] {
      for test in 3001...3002 { events += Self.event(kind, test, at: second) }
    }
    let answer = try await Self.results(of: Self.skipped("needs jemalloc: x"), events: events)
    #expect(answer.code == 0, "\(answer.said)")
    let lines = answer.said.split(separator: "\n").filter { $0.contains(" s  RoomTests") }
    #expect(lines.count == 10)
    for (place, start) in [(0, "4.00 s"), (1, "4.00 s"), (2, "3.00 s")] {
      #expect(lines[place].contains(start), "\(lines)")
    }
    #expect(lines[2].contains("Test 3000"))
  }

  @Test func `A test is above its budget if a case is in every run, and its best run is shown`()
    async throws
  {
    var events = Self.declaration(4)
    events += Self.events(1, cases: [2, 6, 1], from: 0) + Self.events(1, cases: [7, 2], from: 100)
    events += Self.events(2, cases: [4, 4, 4], from: 200)
    events += Self.events(3, cases: [6], from: 300) + Self.events(3, cases: [3], from: 400)
    events += Self.event("testStarted", 4, at: 500) + Self.event("testEnded", 4, at: 508)
    let folder = try TemporaryFolder()
    let file = folder.path("events.jsonl")
    try events.write(toFile: file, atomically: true, encoding: .utf8)
    let script = ". '\(Repository.path("scripts/lib.sh"))'; tests_above 5 '\(file)'"
    let answer = try await ProcessAnswer(of: "/usr/bin/env", ["bash", "-c", script])
    let lines = answer.said.split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    #expect(
      lines == [
        "8.0 s  RoomTests.A/`Test 4`()/A.swift:4:1", "6.0 s  RoomTests.A/`Test 1`()/A.swift:1:1",
      ]
    )
  }

  private static func skipped(_ reason: String) -> String {
    """
      <testcase classname="RoomTests.`A suite`" name="`It is skipped`()">
        <skipped>\(reason)</skipped>
      </testcase>
    """
  }

  @Test(arguments: OptionalTool.allCases)
  func `A run without a tool passes and names the tool and its command at the end`(
    _ tool: OptionalTool
  ) async throws {
    let answer = try await Self.results(of: Self.skipped(tool.reason))
    #expect(answer.code == 0, "\(answer.said)")
    let lines = answer.said.split(separator: "\n")
    #expect(lines.last == "1 passed, 0 failed, 1 skipped")
    let sentence = "Skipped: 1 test needs \(tool.rawValue). To run it: \(tool.command)"
    #expect(lines.dropLast().last.map(String.init) == sentence)
  }

  @Test func `A failed, missing or unexpectedly skipped test fails the run and is named last`()
    async throws
  {
    let failure = """
        <testcase classname="RoomTests.`A suite`" name="`It &lt;fails&gt;`()" time="1">
          <failure message="no" />
          <failure message="no again" />
        </testcase>
      """
    let cases = [
      (failure, 2, 1, "  It <fails>", "1 passed, 1 failed, 0 skipped"),
      (
        Self.skipped("it is slow"), 2, 0, "  It is skipped (it is slow)",
        "1 passed, 0 failed, 1 skipped"
      ),
      (
        "", 2, 0,
        "The results hold 1 of the 2 tests that `swift test list` declares: some did not run.",
        "1 passed, 0 failed, 0 skipped"
      ),
      (
        "", 1, 139,
        "swift test ended with exit code 139, although no test failed; its log says why.",
        "1 passed, 0 failed, 0 skipped"
      ),
    ]
    for (tests, declared, exitCode, reason, counts) in cases {
      let answer = try await Self.results(of: tests, declared: declared, exitCode: exitCode)
      #expect(answer.code == 1)
      let lines = answer.said.split(separator: "\n").map(String.init)
      #expect(Array(lines.suffix(2)) == [reason, counts], "\(answer.said)")
    }
  }

  @Test func `The time limit ends a run and names the tests still running`() async throws {
    let folder = try TemporaryFolder()
    let (event, events) = (folder.path("event"), folder.path("events.jsonl"))
    try Self.event("testStarted", 7, at: 1).write(toFile: event, atomically: true, encoding: .utf8)
    let answer = try await ProcessAnswer(
      of: Repository.path("scripts/limited"),
      ["2", events, "/bin/sh", "-c", "cp '\(event)' '\(events)'; exec sleep 600"]
    )
    #expect(answer.code == 124)
    let sentence = "Still running after 2 s: RoomTests.A/`Test 7`()/A.swift:7:1, for "
    #expect(answer.said.contains(sentence), "\(answer.said)")
  }

  @Test func `Tasks on their own threads may block until all of them have started`() async {
    let all = NSCondition()
    nonisolated(unsafe) var missing = 64
    await onOwnThread {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<missing {
          group.addTask {
            all.withLock {
              missing -= 1
              all.broadcast()
              while missing > 0 { all.wait() }
            }
          }
        }
      }
    }
    #expect(missing == 0)
  }
}
