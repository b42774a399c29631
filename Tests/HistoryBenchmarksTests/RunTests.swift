import Foundation
import Measuring
import TestSupport
import Testing

@testable import HistoryBenchmarks

@Suite(.serialized, .blocksItsThread) struct `A run of the benchmarks` {
  /// The folder for the stores of one test's runs.
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// All benchmarks in the nightly run (`BENCHMARKS=all`), otherwise every eighth.
  private static func sample(_ subjects: [BenchmarkSubject]) -> [BenchmarkSubject] {
    guard ProcessInfo.processInfo.environment["BENCHMARKS"] != "all" else { return subjects }
    return subjects.indices.filter { $0 % 8 == 3 }.map { subjects[$0] }
  }

  @Test func `Each contender does the same work as its floor and leaves rows`() throws {
    var measured: [String: [BenchmarkRow]] = [:]
    var transactionCount = 0
    let subjects = Self.sample(Subjects.all)
    try run(subjects).run { event in
      if case .measured(let subject, let rows) = event { measured[subject.name] = rows }
      if case .built(let transactions) = event { transactionCount += transactions }
    }
    // Stores of both layouts are built if a benchmark compares them.
    #expect(transactionCount == (subjects.contains(where: \.comparesLayouts) ? 2000 : 1000))
    #expect(measured.count == subjects.count)
    for subject in subjects {
      let rows = try #require(measured[subject.name])
      #expect(
        rows.allSatisfy { $0.sizeUnit != nil || [1000, 100].contains($0.historySize) },
        "\(subject.name)"
      )
      if let floor = subject.floor {
        check(rows, beside: floor)
        #expect(rows.count { $0.metric == .vmSteps } == rows.count { $0.metric == .wall })
      } else {
        check(sampled: rows)
      }
      check(goalsAbout: rows)
    }
    #expect(try leftOvers().isEmpty)
    #expect(wholeRunRowCount(measured.values.flatMap(\.self)) <= 1_200)
  }

  /// Returns the number of rows of a whole run in which each benchmark has these contenders.
  ///
  /// A row is one contender of one benchmark at one size, with all its metrics.
  private func wholeRunRowCount(_ rows: [BenchmarkRow]) -> Int {
    var whole = run(Subjects.usual)
    whole.historySizes = BenchmarkRun.allSizes
    let varied = Subjects.measured(Subjects.usual, at: BenchmarkAxis.allCases)
    // Our contender, and the same at the base point.
    let inOtherConditions = varied.reduce(0) { $0 + 2 * whole.sizes(of: $1).count }
    return Subjects.usual.reduce(inOtherConditions) { sum, subject in
      let mine = rows.filter { $0.title.hasPrefix(subject.title + ", warm") }
      return sum + Set(mine.map(\.contender)).count * whole.sizes(of: subject).count
    }
  }

  @Test(arguments: BenchmarkAxis.allCases)
  func `Other conditions are measured next to the base point and have no goals`(
    _ axis: BenchmarkAxis
  ) throws {
    var measured: [(BenchmarkSubject, [BenchmarkRow])] = []
    let varied = Self.sample(Subjects.measured(Subjects.all, at: [axis]))
    var plan = run(varied)
    plan.countsWork = false
    try plan.run { event in
      if case .measured(let subject, let rows) = event { measured.append((subject, rows)) }
    }
    #expect(measured.count == varied.count)
    for (subject, rows) in measured {
      #expect(subject.axis == axis)
      #expect(rows.allSatisfy { $0.axis == axis.name && $0.condition.contains(axis.condition) })
      #expect(!Goals.all.contains { goal in rows.contains(where: goal.isAbout) })
      guard rows.allSatisfy({ $0.notMeasured == nil }) else { continue }
      check(rows, beside: axis.base)
      #expect(Set(rows.map(\.contender)) == [MeasuredWork.store, axis.base])
    }
    #expect(try leftOvers().isEmpty)
  }

  /// Checks that each goal of a benchmark refers to existing rows and compares them with others of
  /// it.
  private func check(goalsAbout rows: [BenchmarkRow]) {
    for goal in Goals.all where rows.contains(where: goal.isAbout) {
      let mine = rows.filter { $0.contender == goal.contender }
      #expect(!mine.isEmpty, "\(goal.measure)")
      switch goal.figure {
      case .ratio(let other, let metric):
        #expect(mine.contains { $0.metric == metric }, "\(goal.measure)")
        #expect(rows.contains { $0.contender == other && $0.metric == metric }, "\(goal.measure)")
      case .ratioToFastest(let others):
        let compared = Set(rows.filter { $0.metric == .wall }.map(\.contender))
        #expect(compared.isSuperset(of: others), "\(goal.measure)")
      case .growth: #expect(mine.contains { $0.metric == .wall }, "\(goal.measure)")
      case .quantile(_, let metric):
        // Metrics measured in separate processes are not measured here.
        let isMissing = mine.contains { $0.notMeasured != nil }
        #expect(isMissing || mine.contains { $0.metric == metric }, "\(goal.measure)")
      }
    }
  }

  @Test func `A benchmark that builds its own store reports progress`() throws {
    var done: [LongWork: Int] = [:]
    var rows: [BenchmarkRow] = []
    var hasBuilt = false
    try run(Large.all).run { event in
      switch event {
      case .built: hasBuilt = true
      case .advanced(let work, let count): done[work, default: 0] += count
      case .measured(_, let some): rows = some
      case .began, .measures, .checkedNoise: break
      }
    }
    #expect(!hasBuilt)
    #expect(done.count == 1)
    for (work, count) in done { #expect(count == work.total) }
    #expect(rows.filter { $0.metric == .wall }.map(\.contender) == ["building", "inspecting"])
    #expect(rows.filter { $0.metric == .peakMemory }.allSatisfy { $0.notMeasured != nil })
    #expect(try leftOvers().isEmpty)
  }

  @Test func `An error of a store observer ends the benchmark`() throws {
    struct Enough: Error {}
    #expect(throws: Enough.self) {
      try run(Large.all).run { event in
        if case .advanced = event { throw Enough() }
      }
    }
    #expect(try leftOvers().isEmpty)
  }

  /// Every contender has a sample for each turn of the one round, and all except the floor a ratio.
  private func check(_ rows: [BenchmarkRow], beside floor: String) {
    let timed = rows.filter { $0.metric.kind != .exact }
    #expect(timed.count >= 4)
    for row in timed {
      #expect(row.samples.count == 2, "\(row.title) \(row.contender)")
      #expect((row.ratio == nil) == (row.contender == floor), "\(row.title)")
    }
  }

  /// Every contender has samples or a reason; this process cannot start itself again.
  private func check(sampled rows: [BenchmarkRow]) {
    #expect(rows.count >= 2)
    for row in rows {
      #expect(row.samples.isEmpty == (row.notMeasured != nil), "\(row.title) \(row.contender)")
      #expect(row.ratio == nil)
    }
  }

  @Test func `A contender whose work differs from the floor's ends the run`() throws {
    let subject = BenchmarkSubject("odd", part: "Odd", operation: "one", "One, the floor none.") {
      _ in [Self.work(MeasuredWork.store, does: 1), Self.work(MeasuredWork.floor, does: 0)]
    }
    let error = try #require(throws: BenchmarkDisagreement.self) {
      try run([subject]).run { _ in }
    }
    #expect(
      error.description.hasPrefix(
        "odd at 1000 transactions: Store and the floor (raw C) did different work, so their times are "
          + "not compared. Store: 1 item with the sum 1; the floor: 0 items with the sum 0."
      )
    )
    #expect(try leftOvers().isEmpty)
  }

  @Test func `An observer's error ends the run`() throws {
    struct Enough: Error {}
    var began: [String] = []
    #expect(throws: Enough.self) {
      try run(Subjects.all).run { event in
        if case .began(let subject) = event { began.append(subject.name) }
        if case .measures = event { throw Enough() }
      }
    }
    #expect(began == [Subjects.all[0].name])
    #expect(try leftOvers().isEmpty)
  }

  @Test func `All sizes share the rounds, and each has its own rows`() throws {
    let subject = BenchmarkSubject("even", part: "Even", operation: "one", "One, the floor too.") {
      setting in
      [MeasuredWork.store, MeasuredWork.floor].map {
        Self.work($0, does: Int64(setting.historySize))
      }
    }
    var plan = run([subject])
    plan.historySizes = [20, 10]
    var rows: [BenchmarkRow] = []
    try plan.run { if case .measured(_, let some) = $0 { rows = some } }
    #expect(
      rows.filter { $0.metric == .wall }.map { "\($0.contender) \($0.historySize)" }
        == ["Store 10", "SQLite 10", "Store 20", "SQLite 20"]
    )
    #expect(rows.first?.title.hasPrefix("Even one, warm, ") == true)
  }

  @Test func `The noise floor is measured before everything else`() throws {
    var plan = run([])
    plan.checksNoise = true
    var rows: [BenchmarkRow] = []
    try plan.run { if case .checkedNoise(let some) = $0 { rows = some } }
    #expect(NoiseFloor(rows) != nil)
    #expect(rows.allSatisfy { $0.subject == NoiseFloor.subject })
  }

  private func run(_ subjects: [BenchmarkSubject]) -> BenchmarkRun {
    var run = BenchmarkRun(
      subjects: subjects,
      historySizes: [1000],
      seed: 7,
      budget: RoundBudget(minimum: 1, maximum: 1, warmUp: 0)
    )
    run.repetitionDivisor = 100
    run.checksNoise = false
    run.scratchParent = folder.url.path
    return run
  }

  private static func work(_ contender: String, does count: Int64) -> MeasuredWork {
    MeasuredWork(contender: contender, operations: 1) { watch in
      watch.time { _ = SampleData.items(100) }
      return WorkTally(count: count, sum: count)
    }
  }

  /// Returns the files that a run has left in its folder.
  private func leftOvers() throws -> [String] { Array(try folder.contents().keys) }
}
