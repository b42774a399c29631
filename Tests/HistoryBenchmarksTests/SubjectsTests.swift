import Foundation
import HistoryStore
import Measuring
import Testing

@testable import HistoryBenchmarks

@Suite struct `The list of benchmarks` {
  @Test func `Every benchmark file is in the list, and no others`() throws {
    let folder = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Benchmarks")
    let others = ["Goals.swift", "Obstacles.swift", "Subjects.swift"]
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") && !others.contains($0) }
    #expect(files.sorted() == Subjects.files.map { $0.name + ".swift" }.sorted())
  }

  @Test func `Names and titles are unique`() {
    #expect(Set(Subjects.all.map(\.name)).count == Subjects.all.count)
    #expect(Set(Subjects.all.map(\.title)).count == Subjects.all.count)
  }

  @Test func `No benchmark name is the prefix of another, except before a number`() {
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

  @Test func `Slow benchmarks run only when they are named`() {
    let slow = Subjects.all.filter(\.isNamedOnly).map(\.name)
    #expect(slow == ["large"] + Subjects.all.map(\.name).filter { $0.hasPrefix("growth ") })
    #expect(slow.count == 8)
    #expect(Subjects.usual.map(\.name) == Subjects.all.map(\.name).filter { !slow.contains($0) })
  }

  @Test func `A run builds only the stores that its benchmarks need`() {
    func stores(_ names: [String], _ axes: [BenchmarkAxis?] = [nil]) -> [StoreShape: Set<Int>] {
      run(names, axes, [10, 30_000, 1000, 200_000]).neededStores
    }
    let coreData = StoreShape(layout: .coreData)
    #expect(stores(["large"]) == [:])
    #expect(stores(["large", "history stream"]) == [.base: [200_000]])
    #expect(stores(["history stream", "fetch newest 10"])[.base]?.count == 4)
    #expect(stores(["published pass"])[coreData] == [10, 1000, 30_000])
    #expect(stores(["open store"], [.coreData]) == [.base: [1000], coreData: [1000]])
    #expect(stores(["open store"], [.cold]) == [.base: [1000]])
    #expect(run(["open store", "published pass"], [nil], [10, 1000]).transactionCount == 2000)
  }

  @Test func `Benchmarks whose costs hardly depend on history are measured at three sizes`() {
    let all = run([], [], BenchmarkRun.allSizes)
    func sizes(_ name: String) -> [Int] {
      Subjects.all.first { $0.name == name }.map(all.sizes) ?? []
    }
    #expect(sizes("write insert 10") == BenchmarkRun.allSizes)
    #expect(sizes("write insert 100") == [1_000, 50_000, 1_000_000])
    #expect(sizes("purge nearly all") == BenchmarkRun.allSizes.filter { $0 <= 100_000 })
    #expect(sizes("history stream") == [1_000_000])
    var quick = run([], [], BenchmarkRun.quickSizes)
    quick.isQuick = true
    let published = Subjects.all.filter(\.comparesLayouts)
    #expect(published.map(quick.sizes) == [[1_000, 10_000], [1_000, 10_000]])
  }

  @Test func `Each condition has a benchmark that reads and one that writes or opens`() {
    for axis in BenchmarkAxis.allCases {
      let varied = Subjects.measured(Subjects.all, at: [axis])
      #expect(varied.contains { $0.name.hasPrefix("fetch ") }, "\(axis)")
      #expect(varied.count >= 3, "\(axis)")
      for subject in varied {
        #expect(subject.axis == axis && subject.sizes == .axis)
        #expect(subject.title.hasSuffix(axis.condition))
        #expect(subject.name.hasSuffix(" at \(axis.name)"))
      }
    }
    #expect(Subjects.measured(Subjects.all, at: [nil]).map(\.name) == Subjects.all.map(\.name))
  }

  @Test func `Names and titles of benchmarks in other conditions are unique too`() {
    let all = Subjects.measured(Subjects.all, at: [nil] + BenchmarkAxis.allCases)
    #expect(Set(all.map(\.name)).count == all.count)
    #expect(Set(all.map(\.title)).count == all.count)
  }

  private func run(
    _ names: [String],
    _ axes: [BenchmarkAxis?],
    _ sizes: [Int]
  ) -> BenchmarkRun {
    BenchmarkRun(
      subjects: Subjects.measured(Subjects.all.filter { names.contains($0.name) }, at: axes),
      historySizes: sizes,
      seed: 1,
      budget: .rounds(1)
    )
  }

  @Test func `Write, fetch, merge and purge are measured`() {
    for word in ["write", "fetch", "merge", "purge"] {
      #expect(Subjects.all.contains { $0.name.hasPrefix(word + " ") })
    }
  }
}
