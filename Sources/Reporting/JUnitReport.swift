import Foundation

/// Verdicts as JUnit XML, which CI systems read.
///
/// The elements and attributes are those of the schema that Jenkins publishes
/// (https://github.com/jenkinsci/xunit-plugin, junit-10.xsd): `testsuites`, `testsuite`,
/// `testcase`, `failure`, `skipped`. In that schema the root has no attribute `skipped`, and times
/// have no exponent.
package struct JUnitReport: Sendable, Hashable {
  package enum Outcome: Sendable, Hashable {
    case passed
    /// The case failed, for the given reason.
    case failed(String)
    /// The case is undecided or does not concern the tested code, for the given reason.
    case skipped(String)
  }

  package struct Case: Sendable, Hashable {
    /// The name of the case, such as an invariant, a bug or a benchmark goal.
    package var name: String
    package var outcome: Outcome

    package init(_ name: String, _ outcome: Outcome) {
      self.name = name
      self.outcome = outcome
    }
  }

  /// A group of test cases.
  package struct Suite: Sendable, Hashable {
    /// The name of the suite, which also precedes the names of its cases.
    package var name: String
    /// The duration of the suite in seconds; the default is 0.
    package var seconds: Double
    package var cases: [Case]

    package init(_ name: String, seconds: Double = 0, cases: [Case]) {
      self.name = name
      self.seconds = seconds
      self.cases = cases
    }
  }

  package var suites: [Suite]

  package init(suites: [Suite]) { self.suites = suites }

  package func xml() -> String {
    let counts = Counts(suites.flatMap(\.cases))
    let seconds = suites.reduce(0) { $0 + $1.seconds }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      + "<testsuites name=\"history-lab\" \(counts.attributes) \(Self.time(seconds))>\n"
      + suites.map(Self.element).joined() + "</testsuites>\n"
  }

  private static func element(_ suite: Suite) -> String {
    let counts = Counts(suite.cases)
    return "  <testsuite name=\"\(HTML.escaped(suite.name))\" \(counts.attributes) "
      + "skipped=\"\(counts.skipped)\" \(time(suite.seconds))>\n"
      + suite.cases.map { element($0, in: suite) }.joined() + "  </testsuite>\n"
  }

  private static func element(_ one: Case, in suite: Suite) -> String {
    let open =
      "    <testcase classname=\"\(HTML.escaped(suite.name))\" name=\"\(HTML.escaped(one.name))\" "
      + "time=\"0\""
    switch one.outcome {
    case .passed: return open + "/>\n"
    case .failed(let reason):
      let text = HTML.escaped(reason)
      return open + "><failure message=\"\(text)\">\(text)</failure></testcase>\n"
    case .skipped(let reason):
      return open + "><skipped message=\"\(HTML.escaped(reason))\"/></testcase>\n"
    }
  }

  private static func time(_ seconds: Double) -> String {
    "time=\"\(String(format: "%.3f", max(0, seconds)))\""
  }

  /// The number of cases, by outcome.
  private struct Counts {
    let all: Int
    var failed = 0
    var skipped = 0

    init(_ cases: [Case]) {
      all = cases.count
      for one in cases {
        switch one.outcome {
        case .passed: break
        case .failed: failed += 1
        case .skipped: skipped += 1
        }
      }
    }

    /// The XML attributes with the counts of one suite, or of all suites.
    var attributes: String { "tests=\"\(all)\" failures=\"\(failed)\" errors=\"0\"" }
  }
}
