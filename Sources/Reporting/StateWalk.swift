/// The states of a system between the commands of a plan, one of which is shown at a time.
///
/// A slider chooses the state: it moves with the pointer, the arrow keys, Home and End. Without a script,
/// and on paper, all states follow one another.
package struct StateWalk: Sendable, Hashable {
  /// One state.
  package struct Step: Sendable, Hashable {
    /// The command before the state.
    package var title: String
    /// What is known about the state, as sentences.
    package var details: [String]
    /// The state itself.
    package var table: ReportTable
    /// Whether the command before the state violates the invariant.
    package var isBroken: Bool

    /// Creates a state.
    package init(title: String, details: [String], table: ReportTable, isBroken: Bool = false) {
      self.title = title
      self.details = details
      self.table = table
      self.isBroken = isBroken
    }
  }

  /// The name of the slider.
  package var label: String
  /// The states, in the order of the plan.
  package var steps: [Step]

  /// Creates a walk.
  package init(label: String, steps: [Step]) {
    self.label = label
    self.steps = steps
  }

  /// The class of the marks of a chart that stand for the states, in the same order.
  package static let markClass = "walk-mark"

  /// Returns the slider, the states below it, and the script that shows one of them.
  func html() -> HTML {
    let last = max(0, steps.count - 1)
    let slider = HTML.element(
      "label",
      ["class": "walk-slider"],
      [
        .element("span", text: label),
        .shape(
          "input",
          [
            "type": "range", "min": "0", "max": String(last), "value": String(last),
          ]
        ),
      ]
    )
    let states = steps.map { step in
      HTML.element(
        "div",
        ["class": step.isBroken ? "walk-step bad" : "walk-step"],
        [.element("p", [:], [.element("strong", text: step.title)])]
          + step.details.map { .element("p", text: $0) } + [step.table.html()]
      )
    }
    return .element(
      "div",
      ["class": "walk"],
      [
        slider, .element("div", ["class": "walk-steps", "aria-live": "polite"], states),
        .element("script", [:], [.own(Self.script)]),
      ]
    )
  }

  /// Returns the states as Markdown, one after the other.
  func markdown() -> String {
    steps.map { step in
      (["**\(step.title)**"] + step.details + [step.table.markdown()]).joined(separator: "\n\n")
    }.joined(separator: "\n\n")
  }

  /// Shows the chosen state of each walk on the page, and marks its point of the chart.
  private static let script = #"""
    for (const walk of document.querySelectorAll(".walk:not(.on)")) {
      const slider = walk.querySelector("input"), steps = walk.querySelectorAll(".walk-step");
      const show = () => {
        const place = Number(slider.value);
        steps.forEach((step, at) => step.classList.toggle("now", at === place));
        slider.setAttribute("aria-valuetext", steps[place].querySelector("strong").textContent);
        document.querySelectorAll(".walk-mark").forEach((mark, at) =>
          mark.setAttribute("r", at === place ? 6 : 3));
      };
      walk.classList.add("on");
      slider.addEventListener("input", show);
      show();
    }
    """#
}
