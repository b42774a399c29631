import Foundation
import Measuring
import Testing

@testable import Reporting

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The formats of other programs, each compared with its reader's requirements.
@Suite struct `Exports` {
  private static let operation = "newest \"100\" & <all>"

  private func export() throws -> ResultsExport {
    ResultsExport(try Sample.results(operations: [Self.operation, "all"]))
  }

  private func json(_ text: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  @Test func `The Bencher export has each value with its bounds, by benchmark and measure`() throws
  {
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

  @Test func `The github-action-benchmark export has names, units and values`() throws {
    let entries = try #require(try json(export().githubAction()) as? [[String: Any]])
    #expect(entries.count == 24)
    for entry in entries {
      #expect(entry["name"] is String && entry["unit"] is String && entry["value"] is Double)
      #expect(Set(entry.keys).isSubset(of: ["name", "unit", "value", "range", "extra"]))
    }
    #expect(Set(entries.compactMap { $0["name"] as? String }).count == entries.count)
  }

  @Test func `The JUnit export has counted cases, whatever characters their names have`() throws {
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
    // Jenkins reads the count of skipped cases from a suite, and refuses it at the root.
    #expect(reader.elements.prefix(2).map { $0.attributes["skipped"] } == [nil, "1"])
    #expect(reader.elements[3].attributes["name"] == "A \"b\" & c")
    #expect(reader.elements[3].attributes["classname"] == "check <tracker>")
    #expect(reader.elements[4].attributes["message"]?.hasPrefix("x < y") == true)
  }

  @Test func `A suite that took no time has no exponent in its duration`() {
    let xml = JUnitReport(suites: [.init("quick", seconds: 1.25e-7, cases: [])]).xml()
    #expect(xml.contains("time=\"0.000\""))
    #expect(!xml.contains("e-"))
  }

  @Test func `Markdown has the page's content`() throws {
    let page = BenchmarkReport(try Sample.results()).page()
    let markdown = page.markdown()
    #expect(markdown.hasPrefix("# What history costs\n\n"))
    #expect(markdown.contains("\n## How it was measured\n"))
    #expect(markdown.contains("| 10,000 | ours |"))
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
