extension StepTable {
  /// The steps as a table; each actor has its own edge, and broken steps stand out by sign and word.
  func html() -> HTML {
    let titles = ["step", "who", "does", "what comes of it"].map { title in
      HTML.element("th", ["scope": "col"], text: title)
    }
    let table = HTML.element(
      "table",
      ["class": "steps n1", "aria-label": caption],
      [
        .element("thead", [:], [.element("tr", [:], titles)]),
        .element("tbody", [:], steps.map(row)),
      ]
    )
    return .element(
      "div",
      ["class": "table"],
      [
        .element("p", ["class": "caption"], [.element("span", text: caption)]),
        .element("div", ["class": "scroll", "tabindex": "0"], [table]),
      ]
    )
  }

  private func row(_ step: Step) -> HTML {
    let place = actors.firstIndex(of: step.actor).map { " lane lane-\($0 % 7)" } ?? ""
    let sign = step.mark.map { [$0.signHTML] } ?? []
    let outcome = sign + [.text(step.outcome)]
    return .element(
      "tr",
      ["class": step.mark.map { "mark \($0.rawValue)" } ?? ""],
      [
        .element("td", text: String(step.number)),
        .element("td", ["class": "who" + place], text: step.actor),
        .element("td", [:], [.element("code", text: step.action)]),
        .element("td", [:], outcome),
      ]
    )
  }
}
