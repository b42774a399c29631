import HistoryStore
import HistoryTypes
import Measuring
import TestSupport
import Testing

@testable import HistoryBenchmarks

@Suite(.serialized, .blocksItsThread) struct `Probes of memory, size and locks` {
  @Test func `A stream reads every change once`() throws {
    try withTemplates([2500]) { templates, _ in
      var lines: [[Int64]] = []
      try StreamProbe.run([templates[0].path]) { lines.append($0) }
      let line = try #require(lines.first)
      #expect(lines.count == 1)
      #expect(Array(line.prefix(2)) == [2500, 25_000])
      #expect(line[2] > 0)
    }
  }

  @Test func `A store is built in parts that add up, and every change is inspected`() throws {
    try withTemplates([]) { _, scratch in
      let path = scratch.path + "/built.sqlite"
      var lines: [[Int64]] = []
      try BuildProbe.run([path, "2100", "7"]) { lines.append($0) }
      #expect(lines.dropLast() == [[1000], [1000], [100]])
      #expect(lines.last?.count == 2)
      lines = []
      try InspectProbe.run([path]) { lines.append($0) }
      #expect(lines.map { Array($0.dropFirst(2)) } == [[2100, 21_000]])
    }
  }

  @Test func `A helper process refuses wrong arguments`() {
    #expect(throws: HelperProcess.WrongArguments.self) { try StreamProbe.run([]) { _ in } }
    #expect(throws: HelperProcess.WrongArguments.self) {
      try BuildProbe.run(["x", "y", "z"]) { _ in }
    }
    #expect(throws: HelperProcess.WrongArguments.self) { try InspectProbe.run([]) { _ in } }
    #expect(throws: HelperProcess.WrongArguments.self) { try CommitPeer.run(["x"]) { _ in } }
    #expect(HelperProcess.run(["check", "_stream"]) == nil)
    #expect(HelperProcess.run([]) == nil)
  }

  @Test func `The packed layout is smaller than Core Data's for the same changes`() throws {
    try withSetting(1000) { setting in
      let subject = try #require(Subjects.all.first { $0.name == "history bytes" })
      guard case .samples(let sample) = subject.method else { return }
      let bytes = try sample(setting).map { row -> Double in
        if case .samples(let samples) = row.outcome { samples[0] } else { 0 }
      }
      #expect(bytes.count == 2)
      #expect(bytes[0] > 5)
      #expect(bytes[0] < bytes[1])
    }
  }

  @Test func `The write lock is held as long as the write`() throws {
    try withSetting(20) { setting in
      let path = try setting.copy()
      let store = try Store(path: path, configuration: try LockWatch.configuration())
      let clock = NanosecondClock.wall
      var times: [UInt64] = []
      let holds = try LockWatch.holds {
        _ = try store.batchInsert(into: SampleData.slip, by: BatchAuthor(nil)) { row in
          times.append(clock.now())
          guard times.count <= 2000 else { return false }
          row.set(SampleItem(1))
          return true
        }
      }
      let inside = Double(try #require(times.last) - times[0])
      #expect(holds.count >= 1)
      #expect(try #require(holds.max()) >= inside)
    }
  }

  @Test func `A read takes no write lock, and other connections' locks are not recorded`() throws {
    try withSetting(20) { setting in
      let path = try setting.copy()
      let watched = try Store(path: path, configuration: try LockWatch.configuration())
      let other = try Store(path: path, configuration: StoreTemplate.quietConfiguration)
      let holds = try LockWatch.holds {
        _ = try watched.fetch(HistoryRequest(after: nil))
        try other.insertSlip()
      }
      #expect(holds.isEmpty)
    }
  }
}
