import Foundation
import Testing

@testable import HistoryBenchmarks

@Suite struct `The list of benchmarks` {
  @Test func `Every file beside the list is in it, and nothing else`() throws {
    let folder = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Benchmarks")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") && $0 != "Subjects.swift" }
    #expect(files.sorted() == Subjects.files.map { $0.name + ".swift" }.sorted())
  }

  @Test func `Names and titles are unique`() {
    #expect(Set(Subjects.all.map(\.name)).count == Subjects.all.count)
    #expect(Set(Subjects.all.map(\.title)).count == Subjects.all.count)
  }

  @Test func `No name is the beginning of another but for a number`() {
    for subject in Subjects.all {
      for other in Subjects.all where other.name != subject.name {
        let rest = other.name.dropFirst(subject.name.count)
        #expect(!other.name.hasPrefix(subject.name) || rest.allSatisfy(\.isNumber))
      }
    }
  }

  @Test func `Every benchmark has a sentence`() {
    for subject in Subjects.all {
      #expect(subject.sentence.hasSuffix("."))
      #expect(subject.sentence.contains("the floor"), "\(subject.name) has no floor")
    }
  }

  @Test func `Write, fetch, merge and purge are measured`() {
    for word in ["write", "fetch", "merge", "purge"] {
      #expect(Subjects.all.contains { $0.name.hasPrefix(word + " ") })
    }
  }
}
