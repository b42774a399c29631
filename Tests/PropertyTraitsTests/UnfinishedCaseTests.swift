import Foundation
import PropertyTesting
import Testing

@testable import PropertyTraits

@Suite struct UnfinishedCaseTests {
  /// Runs a body with a folder that is removed afterwards.
  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "unfinished-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  private func left(in folder: String) throws -> String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    guard let name = names.first(where: { $0.hasSuffix(".running") }) else { return nil }
    return RunningCase.left(in: URL(filePath: folder).appending(path: name))
  }

  @Test func `A case that traps is saved with its values and runs first the next time`()
    async throws
  {
    try await withFolder { folder in
      await #expect(processExitsWith: .failure) { [folder = folder as String] in
        try await withSettings(PropertySettings(seed: 1, corpus: folder)) {
          try await property(Generator<Int>.ints().array()) { numbers in
            _ = numbers.reduce(0) { $0 + $1 + (numbers.count > 3 ? Int.max : 0) }
          }
        }
      }
      let text = try #require(try left(in: folder))
      #expect(text.hasPrefix("["), "\(text)")
      let line = try #require(text.firstMatch(of: /PROPERTY_REPLAY='([^']*)'/)?.output.1)
      let sequence = try #require(ChoiceSequence(String(line)))
      let corpus = Corpus(folder: folder, property: "a property")
      let file = corpus.file.appendingPathExtension("running")
      try text.write(to: file, atomically: true, encoding: .utf8)
      try UnfinishedCase("a property", seed: 1, corpus).reportEarlier()
      #expect(try corpus.examples() == [sequence])
    }
  }

  @Test func `A run that finishes leaves no file`() async throws {
    try await withFolder { folder in
      try await withSettings(PropertySettings(cases: 5, seed: 1, corpus: folder)) {
        try await property(Generator<Int>.ints()) { _ in
          let text = try left(in: folder)
          #expect(text?.contains("Replay: PROPERTY_REPLAY=") == true)
        }
      }
      #expect(try left(in: folder) == nil)
    }
  }

  @Test func `A file that cannot be written is reported with the seed`() async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true
      )
      let blocked = folder + "/file"
      try "".write(toFile: blocked, atomically: true, encoding: .utf8)
      var warnings: [String] = []
      let unfinished = UnfinishedCase("p", seed: 7, Corpus(folder: blocked, property: "p"))
      #expect(unfinished.begin { warnings.append($0) } == nil)
      #expect(warnings.count == 1)
      #expect(warnings.first?.contains("cannot be written") == true)
      #expect(warnings.first?.contains("PROPERTY_SEED=7") == true)
    }
  }

  @Test func `A long case is truncated`() throws {
    let file = URL(filePath: NSTemporaryDirectory() + "running-\(UUID().uuidString)")
    let running = try #require(RunningCase(file))
    running.note(String(repeating: "x", count: 100_000))
    #expect(RunningCase.left(in: file)?.count == (1 << 16) - 1)
    running.note("short")
    #expect(RunningCase.left(in: file) == "short")
    running.remove()
    #expect(RunningCase.left(in: file) == nil)
  }
}

/// Runs a body with settings, as a trait does.
private func withSettings(
  _ settings: PropertySettings,
  _ body: () async throws -> Void
) async throws {
  try await PropertySettings.$current.withValue(settings) { try await body() }
}
