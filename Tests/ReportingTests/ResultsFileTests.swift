import Foundation
import Measuring
import Testing

@testable import Reporting

@Suite struct `Results files` {
  @Test func `What is written is read back the same`() throws {
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
  func `A file that holds no results is refused with a sentence`(
    text: String,
    reason: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/x.json"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: ResultsFileError.self) { try ResultsFile.read(path: path) }
    let said = String(describing: try #require(error))
    #expect(said.hasPrefix("\(path) holds no benchmark results: \(reason)"))
    #expect(said.hasSuffix("give a results.json that bench run wrote"))
  }

  @Test func `A file that is not there is named`() {
    let error = #expect(throws: ResultsFileError.self) { try ResultsFile.read(path: "/no/file") }
    #expect(error?.reason == "the file cannot be read")
  }

  @Test func `The CSV form has every column in every row`() throws {
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

  @Test func `The overview tells each size with its ratio`() throws {
    let text = BenchmarkReport(try Sample.results()).overview.text()
    #expect(
      text.contains(
        "fetch newest 100  100,000  ours        30.9 \u{B5}s    29.9 \u{B5}s  \u{D7}1.48"
      )
    )
  }
}
