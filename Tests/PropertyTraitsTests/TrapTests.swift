import Foundation
import PropertyTesting
import Testing

@testable import PropertyTraits

@Suite struct TrapTests {
  /// Runs a body with a folder that is removed afterwards.
  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "traps-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  /// Runs a body with settings, as a trait does, and returns the texts of its issues.
  private func texts(
    _ settings: PropertySettings,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> [String] {
    try await PropertySettings.$current.withValue(settings) {
      try await recordedIssues(body).map { $0.comments.map(\.rawValue).joined(separator: "\n") }
    }
  }

  /// Traps for arrays of more than three numbers, the first of which is above 4.
  private static func trap(_ numbers: [Int]) {
    if numbers.count > 3, numbers[0] > 4 { fatalError("too long: \(numbers.count)") }
  }

  private func files(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  @Test func `A trap is an issue with the signal and the simplest case`() async throws {
    let found = try await texts(PropertySettings(seed: 1, catchesTraps: true)) {
      try await property(Generator<Int>.ints(in: 0...99).array()) { Self.trap($0) }
    }
    let text = try #require(found.first)
    #expect(text.contains("failing case found:\n[5, 0, 0, 0]\nThe process was ended by signal"))
    #expect(text.contains("Fatal error: too long: 4"), "\(text)")
    #expect(text.contains("Replay: PROPERTY_REPLAY='1:1,5,1,0,1,0,1,2x0'"), "\(text)")
    #expect(found.count == 1)
  }

  /// A machine that traps at the third command after two equal ones.
  private struct Trapping: CommandMachine {
    static let rules = [CommandRule<Trapping>("add") { _, source in source.int(in: 1...3) }]
    var numbers: [Int] = []
    mutating func perform(_ command: Int) {
      numbers.append(command)
      let last = numbers.suffix(3)
      if last.count == 3, Set(last) == [2] { fatalError("three") }
    }
  }

  @Test func `A trap in a machine shows its commands`() async throws {
    let found = try await texts(PropertySettings(seed: 1, catchesTraps: true)) {
      try await property { source in
        var machine = Trapping()
        try source.perform(on: &machine)
      }
    }
    let text = try #require(found.first)
    #expect(text.contains("1. 2\n2. 2\n3. 2\nThe process was ended by signal"), "\(text)")
  }

  @Test func `Cases in a child process pass, fail and are counted like others`() async throws {
    let settings = PropertySettings(cases: 60, seed: 1, catchesTraps: true)
    let found = try await texts(settings) {
      let result = try await property(Generator<Int>.ints(in: 0...9)) { number in
        if number > 4 { throw Rejection("large") }
      }
      #expect(result.counts.discarded > 0 && result.counts.total == 60)
      #expect(result.statistics.rejections["large"] == result.counts.discarded)
      try await property(Generator<Int>.ints(in: 0...99)) { #expect($0 < 10) }
    }
    #expect(
      found.count == 1 && found.first?.contains("\n10\nExpectation failed") == true,
      "\(found)"
    )
  }

  @Test func `A process that a trap ends leaves its case in the corpus folder`() async throws {
    try await withFolder { folder in
      await #expect(processExitsWith: .failure) { [folder = folder as String] in
        let settings = PropertySettings(seed: 1, corpus: folder)
        try await PropertySettings.$current.withValue(settings) {
          try await property(Generator<Int>.ints(in: 0...99).array()) { Self.trap($0) }
        }
      }
      let file = try #require(files(in: folder).first { $0.hasSuffix("running") })
      let left = RunningCase.takeLeft(in: URL(filePath: folder + "/" + file))
      var source = try #require(left?.source)
      let numbers = try source.draw(Generator<Int>.ints(in: 0...99).array())
      #expect(numbers.count > 3 && numbers[0] > 4)
    }
  }

  // A child process runs the beginning of the test, too.
  @Test func `The case that trapped is shrunk by the next runs, until it no longer traps`()
    async throws
  {
    try await withFolder { folder in
      let name = "The case that trapped is shrunk by the next runs, until it no longer traps"
      let corpus = Corpus(folder: folder, property: name)
      let traps = TrappedCases(corpus, suffix: "")
      RunningCase(traps.running, footer: "")?.note(ChoiceSequence("1:1,7,1,8,1,3,1,9,1,2,0"))

      // The process of this test goes on only because a child runs the case.
      for _ in 0..<2 {
        let found = try await texts(PropertySettings(cases: 0, seed: 2, corpus: folder)) {
          try await property(Generator<Int>.ints(in: 0...99).array()) { Self.trap($0) }
        }
        #expect(found.first?.contains("[5, 0, 0, 0]") == true, "\(found)")
        #expect(try traps.take().map(\.description) == ["1:1,5,1,0,1,0,1,2x0"])
      }
      let fixed = try await texts(PropertySettings(cases: 5, seed: 2, corpus: folder)) {
        try await property(Generator<Int>.ints(in: 0...99).array()) { _ in }
      }
      #expect(fixed.isEmpty && files(in: folder) == [corpus.file.lastPathComponent])
      #expect(try corpus.examples().map(\.description) == ["1:1,5,1,0,1,0,1,2x0"])
    }
  }

  @Test func `A run that finishes leaves no file`() async throws {
    try await withFolder { folder in
      let settings = PropertySettings(cases: 5, seed: 1, corpus: folder)
      try await PropertySettings.$current.withValue(settings) {
        try await property(Generator<Int>.ints()) { _ in
          #expect(files(in: folder).contains { $0.hasSuffix(".running") })
        }
      }
      #expect(files(in: folder).isEmpty)
    }
  }

  @Test func `A file that cannot be written is reported with the seed`() async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true
      )
      let blocked = URL(filePath: folder + "/file")
      try "".write(to: blocked, atomically: true, encoding: .utf8)
      var warnings: [String] = []
      let note = SeedNote(name: "p", seed: 7)
      #expect(note.file(blocked.appending(path: "case"), warn: { warnings.append($0) }) == nil)
      #expect(warnings.count == 1)
      #expect(warnings.first?.contains("cannot be written") == true)
      #expect(warnings.first?.contains("PROPERTY_SEED=7") == true)
    }
  }

  @Test func `The case of a process that is running is left alone`() throws {
    let file = URL(filePath: NSTemporaryDirectory() + "running-\(UUID().uuidString)")
    var running = RunningCase(file, footer: "")
    running?.note(UInt64.max)
    #expect(RunningCase.takeLeft(in: file) == nil)
    running?.note(ChoiceSequence("1:1,2"))
    running?.note(7)
    running = nil
    #expect(RunningCase.takeLeft(in: file) == .seed(7))
    #expect(RunningCase.takeLeft(in: file) == nil)
  }
}
