import Foundation
import Measuring
import Testing

@testable import Reporting

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The formats of other programs, each against what its reader asks for.
@Suite struct `Exports` {
  private static let operation = "newest \"100\" & <all>"

  private func export() throws -> ResultsExport {
    ResultsExport(try Sample.results(operations: [Self.operation, "all"]))
  }

  private func json(_ text: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  @Test func `Bencher finds a value with its bounds by benchmark and measure`() throws {
    let document = try #require(
      try json(export().bencher()) as? [String: [String: [String: Double]]]
    )
    #expect(document.count == 12)
    let measures = try #require(document["fetch \(Self.operation)/ours/10000"])
    #expect(Set(measures.keys) == ["latency", "cpu"])
    for value in document.values.flatMap(\.values) {
      #expect(Set(value.keys).isSubset(of: ["value", "lower_value", "upper_value"]))
      let middle = try #require(value["value"])
      #expect((value["lower_value"] ?? middle) <= middle)
      #expect((value["upper_value"] ?? middle) >= middle)
    }
  }

  @Test func `github-action-benchmark finds names, units and values`() throws {
    let entries = try #require(try json(export().githubAction()) as? [[String: Any]])
    #expect(entries.count == 24)
    for entry in entries {
      #expect(entry["name"] is String && entry["unit"] is String && entry["value"] is Double)
      #expect(Set(entry.keys).isSubset(of: ["name", "unit", "value", "range", "extra"]))
    }
    #expect(Set(entries.compactMap { $0["name"] as? String }).count == entries.count)
  }

  @Test func `Google Benchmark's tools find a context and rows`() throws {
    let document = try #require(try json(export().googleBenchmark()) as? [String: Any])
    let context = try #require(document["context"] as? [String: Any])
    for key in [
      "date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "caches",
      "load_avg", "library_build_type",
    ] { #expect(context[key] != nil, "\(key)") }
    let rows = try #require(document["benchmarks"] as? [[String: Any]])
    let measured = rows.filter { $0["run_type"] as? String == "iteration" }
    #expect(measured.count == 12)
    for row in measured {
      for key in [
        "name", "run_name", "iterations", "real_time", "cpu_time", "time_unit", "threads",
      ] {
        #expect(row[key] != nil, "\(key)")
      }
      #expect(row["time_unit"] as? String == "ns")
    }
    let cpu = try #require(measured.first?["cpu_time"] as? Double)
    let real = try #require(measured.first?["real_time"] as? Double)
    #expect(real - cpu == 1_000)
  }

  @Test func `Google Benchmark's tools find the law where one was fitted`() throws {
    let results = try Sample.results(sizes: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000])
    let text = try ResultsExport(results).googleBenchmark()
    let document = try #require(try json(text) as? [String: Any])
    let rows = try #require(document["benchmarks"] as? [[String: Any]])
    let law = try #require(rows.first { $0["aggregate_name"] as? String == "BigO" })
    #expect((law["name"] as? String)?.hasSuffix("_BigO") == true)
    #expect(law["big_o"] as? String == "(1)" && law["cpu_coefficient"] is Double)
    let error = try #require(rows.first { $0["aggregate_name"] as? String == "RMS" })
    #expect(error["rms"] is Double && error["time_unit"] == nil)
  }

  @Test func `JMH's viewers find a score with its percentiles and parameters`() throws {
    let rows = try #require(try json(export().jmh()) as? [[String: Any]])
    #expect(rows.count == 12)
    for row in rows {
      let name = try #require(row["benchmark"] as? String)
      #expect(name.split(separator: ".").count == 3, "\(name)")
      for key in [
        "mode", "threads", "forks", "warmupIterations", "measurementIterations", "jmhVersion",
        "secondaryMetrics",
      ] { #expect(row[key] != nil, "\(key)") }
      #expect((row["params"] as? [String: String])?["history"] != nil)
      let score = try #require(row["primaryMetric"] as? [String: Any])
      #expect(score["score"] is Double && score["scoreError"] is Double)
      #expect((score["scoreConfidence"] as? [Double])?.count == 2)
      #expect(score["scoreUnit"] as? String == "ns/op")
      let percentiles = try #require(score["scorePercentiles"] as? [String: Double])
      #expect(percentiles.count == 10 && percentiles["99.9999"] != nil)
      // In the mode `sample` raw data are values with their counts, by fork and iteration.
      let values = try #require((score["rawDataHistogram"] as? [[[[Double]]]])?.first?.first)
      #expect(values.map { $0[1] }.reduce(0, +) == 20)
      #expect(zip(values, values.dropFirst()).allSatisfy { $0[0] < $1[0] })
    }
  }

  @Test func `HdrHistogram's plotter finds values, percentiles and counts`() throws {
    let samples = (1...1_000).map { Double($0) * 1_000 }
    let lines = ResultsExport.histogram(samples).split(separator: "\n")
    #expect(
      lines[0].split(separator: " ") == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
    )
    // As plotFiles reads them: four numbers, the last of which is missing in the last line.
    let rows = lines.dropFirst().filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: " ").compactMap { Double($0) }
    }
    #expect(rows.dropLast().allSatisfy { $0.count == 4 } && rows.last?.count == 3)
    #expect(zip(rows, rows.dropFirst()).allSatisfy { $0[0] <= $1[0] && $0[1] < $1[1] })
    #expect(rows.last.map { [$0[0], $0[1], $0[2]] } == [1_000, 1, 1_000])
    let half = try #require(rows.first { $0[1] == 0.5 })
    #expect(half == [500, 0.5, 500, 2])
    #expect(
      lines.contains { $0.hasPrefix("#[Mean    =      500.500, StdDeviation   =      288.675]") }
    )
    #expect(
      lines.contains { $0.hasPrefix("#[Max     =     1000.000, Total count    =         1000]") }
    )
  }

  @Test func `A share of a hundred samples counts as many as it says`() {
    let lines = ResultsExport.histogram((1...100).map { Double($0) * 1_000 }).split(separator: "\n")
    for line in lines.dropFirst().filter({ !$0.hasPrefix("#") }) {
      let numbers = line.split(separator: " ").compactMap { Double($0) }
      #expect(numbers[2] == max(1, (numbers[1] * 100 - 1e-9).rounded(.up)), "\(line)")
    }
  }

  @Test func `JUnit's readers find counted cases, whatever their names hold`() throws {
    let report = JUnitReport(suites: [
      .init(
        "check <tracker>",
        seconds: 1.5,
        cases: [
          .init("Convergence", .passed), .init("A \"b\" & c", .failed("x < y\n\u{1}")),
          .init("WakeUp", .skipped("no plan exercised it")),
        ]
      )
    ])
    let reader = ElementReader()
    #expect(reader.read(report.xml()))
    #expect(
      reader.elements.map(\.name)
        == ["testsuites", "testsuite", "testcase", "testcase", "failure", "testcase", "skipped"]
    )
    for element in reader.elements.prefix(2) {
      #expect(element.attributes["tests"] == "3" && element.attributes["failures"] == "1")
      #expect(element.attributes["errors"] == "0" && element.attributes["time"] == "1.500")
    }
    // Jenkins takes the count of skipped cases from a suite, and refuses it at the root.
    #expect(reader.elements.prefix(2).map { $0.attributes["skipped"] } == [nil, "1"])
    #expect(reader.elements[3].attributes["name"] == "A \"b\" & c")
    #expect(reader.elements[3].attributes["classname"] == "check <tracker>")
    #expect(reader.elements[4].attributes["message"]?.hasPrefix("x < y") == true)
  }

  @Test func `A suite that took no time has no exponent in it`() {
    let xml = JUnitReport(suites: [.init("quick", seconds: 1.25e-7, cases: [])]).xml()
    #expect(xml.contains("time=\"0.000\""))
    #expect(!xml.contains("e-"))
  }

  @Test func `Markdown and text hold what the page holds`() throws {
    let page = BenchmarkReport(try Sample.results()).page()
    let markdown = page.markdown()
    #expect(markdown.hasPrefix("# What history costs\n\n"))
    #expect(markdown.contains("\n## How it was measured\n"))
    #expect(markdown.contains("| 10,000 | ours |"))
    let text = page.text()
    #expect(text.hasPrefix("What history costs\n==================\n"))
    #expect(text.contains("abc123"))
  }
}

/// Reads the elements of an XML text.
private final class ElementReader: NSObject, XMLParserDelegate {
  private(set) var elements: [(name: String, attributes: [String: String])] = []

  /// Whether the text is well formed.
  func read(_ text: String) -> Bool {
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    return parser.parse()
  }

  func parser(
    _ parser: XMLParser,
    didStartElement name: String,
    namespaceURI: String?,
    qualifiedName: String?,
    attributes: [String: String]
  ) { elements.append((name, attributes)) }
}
