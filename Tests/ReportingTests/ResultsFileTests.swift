import Foundation
import Measuring
import TestSupport
import Testing

@testable import Reporting

@Suite struct `Results files` {
  @Test func `Results are read back as they were written`() throws {
    let folder = try TemporaryFolder()
    let results = try Sample.results()
    let path = folder.path + "/results.json"
    try Data(try ResultsFile.json(results).utf8).write(to: URL(fileURLWithPath: path))
    #expect(try ResultsFile.read(path: path) == results)
  }

  @Test(arguments: [
    (text: "{", reason: "it is not JSON"),
    (text: "{}", reason: "the key results is missing"),
    (
      text: #"{"results":9,"environment":{},"rows":[]}"#,
      reason: "results of version 9; this program reads version 1"
    ),
    (text: #"{"results":1,"environment":{},"rows":[]}"#, reason: "the key environment"),
    (text: #"{"results":"1"}"#, reason: "the value at results is of another type"),
  ])
  func `A file without results is refused with a message`(
    text: String,
    reason: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x.json"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: ResultsFileError.self) { try ResultsFile.read(path: path) }
    let said = String(describing: try #require(error))
    #expect(said.hasPrefix("\(path) cannot be read as benchmark results: \(reason)"))
    #expect(said.hasSuffix("pass a results.json that bench run wrote"))
  }

  /// A file as the first version wrote it; every later version reads it.
  private static let firstVersion = #"""
    {"environment": {"commit": "abc", "load": 0.5, "machine": "M", "memory": 1024, "optimized": true,
      "processors": 2, "seed": "0x2a", "sqlite": "3.40.1", "swift": "6.3.1", "system": "Debian",
      "time": "2026-02-03T04:05:06Z"}, "results": 1, "rows": [
      {"axis": "cold", "condition": "cold cache", "contender": "Store", "historySize": 1000,
        "median": {"confidence": 0.95, "estimate": 11, "lower": 10, "upper": 12},
        "metric": {"kind": "wall", "name": "wall", "unit": "ns"}, "operation": "newest 100",
        "ratio": {"blocks": 1, "interval": {"confidence": 0.95, "estimate": 1.1, "lower": 1, "upper": 1.2},
          "resamples": 2000, "seed": "0x1", "to": "SQLite"},
        "samples": [10, 12], "seed": "0xffffffffffffffff", "subject": "fetch",
        "summary": {"count": 2, "max": 12, "mean": 11, "min": 10, "outliers": {"mild": 0, "severe": 0},
          "p25": 10.5, "p5": 10.1, "p50": 11, "p75": 11.5, "p90": 11.8, "p95": 11.9, "p99": 11.98}},
      {"condition": "", "contender": "Store", "historySize": 1000,
        "metric": {"kind": "exact", "name": "allocations", "unit": "allocations"},
        "notMeasured": "no jemalloc", "operation": "newest 100", "samples": [], "seed": "0x1",
        "subject": "fetch"},
      {"condition": "", "contender": "Store", "historySize": 1000,
        "metric": {"kind": "exact", "name": "resident growth", "unit": "B"}, "operation": "newest 100",
        "samples": [4096], "seed": "0x1", "subject": "fetch", "varies": "the system shares it out",
        "summary": {"count": 1, "max": 4096, "mean": 4096, "min": 4096,
          "outliers": {"mild": 0, "severe": 0}, "p25": 4096, "p5": 4096, "p50": 4096, "p75": 4096,
          "p90": 4096, "p95": 4096, "p99": 4096}}]}
    """#

  @Test func `A file of version 1 is read by every version`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/results.json"
    try Data(Self.firstVersion.utf8).write(to: URL(fileURLWithPath: path))
    let results = try ResultsFile.read(path: path)
    #expect(results.environment.seed == 42 && results.environment.load == 0.5)
    #expect(results.rows.map(\.samples) == [[10, 12], [], [4096]])
    #expect(results.rows[0].ratio?.interval.upper == 1.2 && results.rows[0].axis == "cold")
    #expect(results.rows[0].seed == .max && results.rows[0].median?.upper == 12)
    #expect(results.rows[1].notMeasured == "no jemalloc" && results.rows[1].summary == nil)
    #expect(results.rows[2].varies != nil && !results.rows[2].isExact)
  }

  @Test func `A missing file is reported`() {
    let error = #expect(throws: ResultsFileError.self) { try ResultsFile.read(path: "/no/file") }
    #expect(error?.reason == "the file cannot be read")
  }

  @Test func `The CSV has every column in every row`() throws {
    var results = try Sample.results()
    results.rows.append(
      BenchmarkRow(
        subject: "fetch",
        operation: "all, newest",
        condition: "",
        contender: "ours",
        historySize: 10,
        metric: Metric(name: "allocations", kind: .exact, unit: "calls"),
        notMeasured: "no jemalloc",
        seed: 1
      )
    )
    let lines = results.csv(run: "r1").split(separator: "\n")
    #expect(lines.count == 14)
    #expect(
      lines[0].hasPrefix(
        "run,commit,time,bench,peer,size,metric,unit,n,min,p5,p25,p50,p75,p90,p95,p99,max,mean,"
          + "ci_lo,ci_hi"
      )
    )
    #expect(
      lines[3].hasPrefix(
        "r1,abc123,2026-02-03T04:05:06Z,fetch newest 100,ours,1000,wall,ns,20,30000,30095,30475,"
          + "30950,31425,31710,31805,31881,31900,30950,"
      )
    )
    for line in lines.dropLast() {
      #expect(line.split(separator: ",", omittingEmptySubsequences: false).count == 29)
    }
    #expect(lines[13].contains("\"fetch all, newest\",ours,10,allocations,calls,,,,"))
    #expect(lines[13].hasSuffix("0x1,no jemalloc"))
  }

  @Test func `The overview shows each size with its ratio`() throws {
    let text = BenchmarkReport(try Sample.results()).overview.text()
    #expect(
      text.contains(
        "fetch newest 100  100,000  ours        30.9 \u{B5}s    29.9 \u{B5}s  \u{D7}1.48"
      )
    )
  }
}
