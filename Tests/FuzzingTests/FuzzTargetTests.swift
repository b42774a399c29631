import Foundation
import TestSupport
import Testing

@testable import Fuzzing

/// Every input of the corpus, and damaged copies of some, pass every target.
@Suite struct FuzzTargetTests {
  @Test(arguments: FuzzTarget.all.map(\.name))
  func `Every committed corpus input passes`(name: String) throws {
    let attempt = try #require(FuzzTarget.named(name)).attempt()
    let inputs = try Corpus.inputs(of: name)
    #expect(!inputs.isEmpty)
    for (file, bytes) in inputs {
      do {
        try attempt(bytes)
      } catch {
        Issue.record("\(name)/\(file): \(error)")
      }
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name))
  func `Damaged inputs pass`(name: String) throws {
    let attempt = try #require(FuzzTarget.named(name)).attempt()
    let inputs = try Corpus.inputs(of: name).map(\.bytes)
    var random = SeededRandom(seed: 11)
    for _ in 0..<100 {
      var bytes = inputs[Int(random.next() % UInt64(inputs.count))]
      for _ in 0...random.next() % 4 where !bytes.isEmpty {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      do {
        try attempt(bytes)
      } catch {
        Issue.record("\(name), \(Data(bytes).base64EncodedString()): \(error)")
      }
    }
  }

  @Test func `A failed property is a finding`() {
    #expect(throws: FuzzFinding.self) { try expect(1 == 2, "one is two") }
    #expect(throws: Never.self) { try expect(true, "all is well") }
  }

  @Test func `Each corpus folder has a fuzz target`() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Corpus.folder.path)
    #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
  }
}

/// The committed inputs, in `Tests/Fuzzing/Corpus/TARGET`.
private enum Corpus {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fuzzing/Corpus", isDirectory: true)

  static func inputs(of target: String) throws -> [(file: String, bytes: [UInt8])] {
    let folder = folder.appendingPathComponent(target, isDirectory: true)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      ($0, [UInt8](try Data(contentsOf: folder.appendingPathComponent($0))))
    }
  }
}
