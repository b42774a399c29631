import Foundation
import Testing

@testable import Measuring

@Suite struct `Results` {
  @Test func `Results are read back from JSON unchanged`() throws {
    let results = sample()
    let data = try JSONEncoder().encode(results)
    #expect(try JSONDecoder().decode(BenchmarkResults.self, from: data) == results)
  }

  @Test func `The JSON has its version, and seeds as strings`() throws {
    let text = String(decoding: try JSONEncoder().encode(sample()), as: UTF8.self)
    #expect(text.contains(#""results":1"#))
    #expect(text.contains(#""seed":"0xffffffffffffffff""#))
    #expect(text.contains(#""time":"2026-02-03T04:05:06Z""#))
  }

  @Test func `A newer version is refused with a message`() throws {
    let text = #"{"results":2,"environment":{},"rows":[]}"#
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(BenchmarkResults.self, from: Data(text.utf8))
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(context.debugDescription == "results of version 2; this program reads version 1")
  }

  @Test func `Values that were not measured have no number`() throws {
    let row = BenchmarkRow(
      subject: "fetch",
      operation: "",
      condition: "",
      contender: "ours",
      historySize: 10,
      metric: Metric(name: "allocations", kind: .exact, unit: "calls"),
      notMeasured: "jemalloc is not installed",
      seed: 1
    )
    #expect(row.summary == nil)
    #expect(row.samples.isEmpty)
    let decoded = try JSONDecoder().decode(
      BenchmarkRow.self,
      from: try JSONEncoder().encode(row)
    )
    #expect(decoded.notMeasured == "jemalloc is not installed")
  }

  @Test func `Curves are found by title, contender and metric`() {
    let results = sample()
    #expect(results.titles == ["fetch newest 100, warm"])
    #expect(results.historySizes == [1_000, 10_000])
    var mixed = results
    mixed.rows[1].axis = "cold"
    mixed.rows[1].condition = "cold cache"
    #expect(mixed.titles == ["fetch newest 100, warm", "fetch newest 100, cold cache"])
    #expect(mixed.baseTitles == ["fetch newest 100, warm"])
    mixed.rows.removeFirst()
    #expect(mixed.baseTitles == ["fetch newest 100, cold cache"])
    let curve = results.curve(title: "fetch newest 100, warm", contender: "ours", metric: .wall)
    #expect(curve?.points.map(\.size) == [1_000, 10_000])
    #expect(results.curve(title: "fetch", contender: "ours", metric: .wall) == nil)
    let cpu = results.curve(title: "fetch newest 100, warm", contender: "ours", metric: .cpu)
    #expect(cpu == nil)
  }

  @Test(arguments: [
    (seconds: 0, text: "1970-01-01T00:00:00Z"),
    (seconds: -1, text: "1969-12-31T23:59:59Z"),
    (seconds: 951_782_400, text: "2000-02-29T00:00:00Z"),
    (seconds: 978_307_200, text: "2001-01-01T00:00:00Z"),
    (seconds: 1_770_091_506, text: "2026-02-03T04:05:06Z"),
    (seconds: 4_107_542_399, text: "2100-02-28T23:59:59Z"),
    (seconds: 4_107_542_400, text: "2100-03-01T00:00:00Z"),
  ])
  func `Times are written and read in UTC`(seconds: Int64, text: String) {
    #expect(UTCTime(secondsSince1970: seconds).description == text)
    #expect(UTCTime(text)?.secondsSince1970 == seconds)
  }

  @Test func `Each day of four centuries has the date after the previous one`() {
    var expected = (year: Int64(1900), month: Int64(1), day: Int64(1))
    for number in UTCTime.days(
      year: 1_900,
      month: 1,
      day: 1
    )..<UTCTime.days(
      year: 2_300,
      month: 1,
      day: 1
    ) {
      guard UTCTime.date(ofDay: number) == expected else {
        Issue.record("day \(number) is not \(expected)")
        return
      }
      expected = following(expected)
    }
  }

  @Test(arguments: ["", "2026-02-30T00:00:00Z", "2026-02-03 04:05:06Z", "2026-02-03T24:00:00Z"])
  func `Text that is not a time is refused`(text: String) {
    #expect(UTCTime(text) == nil)
  }

  @Test func `Folder names sort by time`() {
    #expect(UTCTime(secondsSince1970: 1_770_091_506).compact == "20260203T040506Z")
  }

  @Test func `The environment of this process is known`() {
    let environment = RunEnvironment.current(
      sqlite: "3.40.1",
      commit: nil,
      time: UTCTime(secondsSince1970: 0),
      seed: 5
    )
    #expect(!environment.machine.isEmpty)
    #expect(!environment.system.isEmpty)
    #expect(environment.swift.hasPrefix("6."))
    #expect(environment.processors >= 1)
    #expect(environment.memory > 1_000_000)
  }

  private func following(
    _ date: (year: Int64, month: Int64, day: Int64)
  ) -> (year: Int64, month: Int64, day: Int64) {
    let isLeap =
      date.year.isMultiple(of: 4)
      && (!date.year.isMultiple(of: 100) || date.year.isMultiple(of: 400))
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if date.day < lengths[Int(date.month) - 1] { return (date.year, date.month, date.day + 1) }
    return date.month < 12 ? (date.year, date.month + 1, 1) : (date.year + 1, 1, 1)
  }

  private func sample() -> BenchmarkResults {
    let environment = RunEnvironment(
      machine: "a machine",
      system: "a system",
      processors: 2,
      memory: 4_096,
      swift: "6.3.1",
      sqlite: "3.40.1",
      commit: "abc",
      time: UTCTime(secondsSince1970: 1_770_091_506),
      seed: .max,
      optimized: true
    )
    let rows = [1_000, 10_000].map { size in
      BenchmarkRow(
        subject: "fetch",
        operation: "newest 100",
        condition: "warm",
        contender: "ours",
        historySize: size,
        metric: .wall,
        samples: [1, 2, 3],
        median: Interval(estimate: 2, lower: 1, upper: 3, confidence: 0.95),
        ratio: RatioEstimate(to: "floor", logRatios: [0, 0.1], bootstrap: Bootstrap(seed: 4)),
        seed: 9
      )
    }
    return BenchmarkResults(environment: environment, rows: rows)
  }
}
