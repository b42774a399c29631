import Basics
import Foundation
import HistoryTypes
import Reporting
import Traces

/// The explanation of a counterexample as an HTML page without external resources.
struct WhyPage {
  let report: WhyReport

  func html() -> String {
    let page = ReportPage(
      title: "Why \(report.system) violates \(report.checker)".printable,
      lead: report.counterexample.violation.because.printable,
      sections: [
        PageSection(
          "What happened, and how likely it was",
          [.paragraph(Self.walkNote), .walk(walk)] + report.curveSentences.map { .paragraph($0) }
            + [.table(report.curveTable)]
        ), PageSection("What it depends on", [.table(report.partTable)]),
        PageSection("The nearest plan without the violation", nearest),
      ]
    )
    return page.html(images: .drawn([:]))
  }

  private static let walkNote =
    "Move the slider, or use the arrow keys, Home and End: it shows the cursors, the watermark and the "
    + "contents after a command, and marks the command in the picture. The curve right of the "
    + "actors' columns is the share of random continuations that break the invariant, the area its "
    + "95 % interval."

  private var walk: StateWalk {
    let texts = report.curve.points.map { share in
      "\(WhyText.percent(share.share)) of \(share.total.inGroups) continuations break the invariant"
    }
    let steps = zip(report.states, texts).enumerated().map { place, state in
      let command =
        place == 0
        ? "Before the first command" : "After command \(place) of \(report.commands.count)"
      return StateWalk.Step(
        title: place == 0 ? command : "\(command): \(report.commands[place - 1])",
        details: [state.1 + "."],
        table: Self.stacked(state.0)
      )
    }
    let points = zip(report.curve.points, texts).enumerated().map { place, point in
      PictureCurve.Point(
        share: point.0.share,
        lower: point.0.lower,
        upper: point.0.upper,
        text: "After \(place.counted("command")): \(point.1)."
      )
    }
    return StateWalk(
      label: "State after command",
      steps: steps,
      picture: CounterexamplePicture(
        report.counterexample,
        curve: PictureCurve(title: "probability", points: points)
      )
    )
  }

  /// Returns a table whose long texts get a line of their own on a narrow screen.
  private static func stacked(_ table: ReportTable) -> ReportTable {
    var stacked = table
    for place in table.columns.indices.suffix(2) { stacked.columns[place].isProse = true }
    return stacked
  }

  private var nearest: [PageBlock] {
    guard let first = report.nearest.first else { return [.paragraph(WhyReport.noNearest)] }
    let others = report.nearest.dropFirst().map { PageBlock.paragraph(report.alsoHolds($0)) }
    let table = Self.stacked(report.table(beside: first))
    return [.paragraph(report.sentence(first) + "."), .table(table)] + others
  }
}
