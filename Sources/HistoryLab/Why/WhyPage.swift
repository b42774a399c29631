import Foundation
import HistoryTypes
import Reporting
import Traces

/// The explanation of a counterexample as an HTML page without external resources.
struct WhyPage {
  let report: WhyReport

  func html() -> String {
    let page = ReportPage(
      title: "Why \(report.checker) is broken by \(report.system)".printable,
      lead: report.counterexample.violation.because.printable,
      sections: [
        PageSection("How likely it was", probability),
        PageSection(
          "What happened",
          [.counterexample(CounterexamplePicture(report.counterexample))]
        ), PageSection("The states", [.paragraph(Self.walkNote), .walk(walk)]),
        PageSection("What it depends on", [.table(report.partTable)]),
        PageSection("The nearest plan that holds", nearest),
      ]
    )
    return page.html(images: .drawn([Self.chart: CurveDrawing(curve: report.curve).svg]))
  }

  private static let chart = "probability"

  private static let walkNote =
    "Move the slider, or use the arrow keys, Home and End: each state is that after a command, and its "
    + "point of the curve grows."

  private var walk: StateWalk {
    let steps = zip(report.states, report.curve.points).enumerated().map { place, state in
      let (table, share) = state
      let command =
        place == 0
        ? "Before the first command" : "After command \(place) of \(report.commands.count)"
      let likely =
        "\(WhyText.percent(share.share)) of \(share.total) continuations break the invariant."
      return StateWalk.Step(
        title: place == 0 ? command : "\(command): \(report.commands[place - 1])",
        details: [likely],
        table: table
      )
    }
    return StateWalk(label: "The command", steps: steps)
  }

  private var probability: [PageBlock] {
    let chart = Chart(
      id: Self.chart,
      summary: "The probability of the violation after each command, with its interval",
      spec: .null,
      note: "The line is the share of random continuations that break the invariant, the area its "
        + "95 % interval. The left end is before the first command."
    )
    let figure = Figure(chart: chart, table: report.curveTable)
    return [.figure(figure)] + report.curveSentences.map { .paragraph($0) }
  }

  private var nearest: [PageBlock] {
    guard let first = report.nearest.first else { return [.paragraph(WhyReport.noNearest)] }
    let others = report.nearest.dropFirst().map { report.alsoHolds($0) }
    return [.paragraph(report.sentence(first) + "."), .table(report.table(beside: first))]
      + others.map { .paragraph($0) }
  }
}

/// A probability curve with its confidence interval, drawn as SVG.
struct CurveDrawing {
  let curve: ViolationCurve

  private static let (width, height, left, bottom) = (440.0, 200.0, 44.0, 24.0)

  var svg: String {
    let points = curve.points
    let line = points.enumerated().map { Self.point($0, $1.share, points.count) }
    let area =
      points.enumerated().map { Self.point($0, $1.upper, points.count) }
      + points.enumerated().reversed().map { Self.point($0, $1.lower, points.count) }
    let marks = points.enumerated().map { place, point in
      let label = "after \(place): \(WhyText.percent(point.share))"
      return "<circle class=\"\(StateWalk.markClass)\" cx=\"\(Self.x(place, points.count))\" "
        + "cy=\"\(Self.y(point.share))\" r=\"3\" aria-label=\"\(label)\"/>"
    }
    let axis = [0.0, 0.5, 1.0].map { share in
      "<path d=\"M\(Self.left) \(Self.y(share))H\(Self.width)\" stroke=\"currentColor\" "
        + "opacity=\"0.2\"/><text x=\"\(Self.left - 6)\" y=\"\(Self.y(share) + 4)\" "
        + "text-anchor=\"end\">\(Int(share * 100)) %</text>"
    }
    let stride = max(1, points.count / 12)
    let labels = Swift.stride(from: 0, to: points.count, by: stride).map { place in
      "<text x=\"\(Self.x(place, points.count))\" y=\"\(Self.height - 4)\" "
        + "text-anchor=\"middle\">\(place)</text>"
    }
    return
      "<svg viewBox=\"0 0 \(Int(Self.width) + 12) \(Int(Self.height))\" "
      + "width=\"\(Int(Self.width) + 12)\" height=\"\(Int(Self.height))\" font-size=\"12\" "
      + "fill=\"currentColor\">" + axis.joined()
      + "<polygon points=\"\(area.joined(separator: " "))\" opacity=\"0.2\"/>"
      + "<polyline points=\"\(line.joined(separator: " "))\" fill=\"none\" "
      + "stroke=\"currentColor\" stroke-width=\"2\"/>" + marks.joined() + labels.joined() + "</svg>"
  }

  private static func point(_ place: Int, _ share: Double, _ count: Int) -> String {
    "\(x(place, count)),\(y(share))"
  }

  private static func x(_ place: Int, _ count: Int) -> Double {
    let room = width - left - 12
    return tenth(left + 6 + room * Double(place) / Double(max(count - 1, 1)))
  }

  private static func y(_ share: Double) -> Double {
    tenth(8 + (height - bottom - 8) * (1 - share))
  }

  private static func tenth(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
