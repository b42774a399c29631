import Foundation
import Measuring
import Testing

@testable import HistoryBenchmarks

@Suite struct `The list of benchmarks` {
  @Test func `Every file beside the list is in it, and nothing else`() throws {
    let folder = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Benchmarks")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") && !["Goals.swift", "Subjects.swift"].contains($0) }
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

  @Test func `What takes long is measured only when it is named`() {
    #expect(Subjects.all.filter(\.isNamedOnly).map(\.name) == ["large"])
    #expect(!Subjects.usual.contains { $0.name == "large" })
    #expect(Subjects.usual.count == Subjects.all.count - 1)
  }

  @Test func `A run builds only the stores that its benchmarks begin with`() {
    func sizes(_ names: [String]) -> [Int] {
      BenchmarkRun(
        subjects: Subjects.all.filter { names.contains($0.name) },
        historySizes: [10, 30, 20],
        seed: 1,
        budget: .rounds(1)
      ).neededSizes
    }
    #expect(sizes(["large"]) == [])
    #expect(sizes(["large", "history stream"]) == [30])
    #expect(sizes(["history stream", "fetch newest 10"]) == [10, 30, 20])
  }

  @Test func `Write, fetch, merge and purge are measured`() {
    for word in ["write", "fetch", "merge", "purge"] {
      #expect(Subjects.all.contains { $0.name.hasPrefix(word + " ") })
    }
  }
}
