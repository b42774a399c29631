import Checkers
import Foundation
import LabFixtures
import Testing
import Traces
import Workloads

@testable import Commands
@testable import HistoryLab

@Suite struct `Catalogue rendering` {
  @Test func `Text shows names next to descriptions and marks empty kinds`() async {
    let result = await run(["list", "systems", "faults"])
    #expect(result.code == .good)
    #expect(
      result.output == """
        Systems:
          tracker                         Ours.
          article                         The article's protocol.
          mutant/purge-by-greatest-cursor
                                          A seeded bug.

        Faults:
          none in this build

        """
    )
  }

  @Test func `Markdown shows a table with the evidence of conditions`() async {
    let result = await run(["list", "conditions", "--markdown"])
    let lines = result.output.split(separator: "\n")
    #expect(lines.first == "## Conditions")
    #expect(lines.contains("| name | description | evidence | source |"))
    #expect(
      lines.contains(
        "| `ties` | Two transactions carry the same timestamp. | hypothetical "
          + "| none in 18,464 real transactions; the least gap is 316 us |"
      )
    )
  }

  @Test func `Markdown escapes the bars of a table`() throws {
    var catalogue = Catalogue()
    catalogue[.faults] = [Catalogue.Entry("a|b", "c|d")]
    let text = try catalogue.rendered([.faults], as: .markdown, width: 80)
    #expect(text.contains("| `a\\|b` | c\\|d |"))
  }

  @Test func `JSON has the same names`() async throws {
    struct Entry: Decodable, Equatable {
      let name: String
      let what: String
      let evidence: String?
      let because: String?
    }
    let result = await run(["list", "--json"])
    let lists = try JSONDecoder().decode([String: [Entry]].self, from: Data(result.output.utf8))
    #expect(Set(lists.keys) == Set(Catalogue.Kind.allCases.map(\.rawValue)))
    #expect(
      lists["systems"]?.first == Entry(name: "tracker", what: "Ours.", evidence: nil, because: nil)
    )
    #expect(lists["conditions"]?.map(\.name) == Catalogue.conditions.map(\.name))
    #expect(lists["conditions"]?.first?.evidence == "observed")
    #expect(lists["faults"] == [])
  }

  @Test func `Conditions match the design, each with its evidence`() {
    #expect(
      Set(Catalogue.conditions.map(\.name)) == [
        "steady", "ties", "clock-back", "clock-jump", "stamp-before-commit", "pause", "crash",
        "restart", "suspension", "lost-notification", "same-author-twice", "same-actor-twice",
        "background-writes", "absent-author", "config-skew", "late-join", "mirror-lag",
        "hook-failure", "retention", "power-off", "call-failure", "foreign-writer", "model-skew",
        "relations", "all",
      ]
    )
    let unseen = ["ties", "clock-back"]
    for condition in Catalogue.conditions where unseen.contains(condition.name) {
      #expect(condition.evidence?.word == "hypothetical")
    }
    for condition in Catalogue.conditions {
      #expect(condition.name == "all" || condition.evidence != nil)
    }
  }

  @Test func `The build lists every checker with the faults that it detects`() {
    let catalogue = Composition.current.catalogue
    #expect(catalogue.names(.checkers) == CheckerSuite.names(in: .all))
    #expect(catalogue.names(.faults) == PlannedFault.Kind.allCases.map(\.rawValue))
    let listed = catalogue[.checkers] + catalogue[.faults]
    #expect(listed.allSatisfy { $0.sentence.hasSuffix(".") && $0.sentence.count < 90 })
    #expect(Set(Condition.allCases.map(\.rawValue) + ["all"]) == Set(catalogue.names(.conditions)))
  }

  @Test func `Bench list shows benchmarks only`() async {
    let result = await run(["bench", "list"])
    #expect(result.output.hasPrefix("Benchmarks:\n  fetch newest  What is new is fetched.\n"))
    #expect(!result.output.contains("Systems"))
  }
}
