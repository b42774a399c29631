internal import PersistentHistory
package import Traces

/// A picture of a counterexample for a page: a timeline with a list of its steps.
///
/// The timeline has one lane per actor and consumer, and one for the store: a bar for each
/// transaction from its commit to its purge, a line for each cursor, and a shaded part below the
/// watermark. The step that violates the invariant is marked, the lost transaction is coloured, and
/// tooltips show values. The picture needs no script and uses the colours of its page. All content
/// comes from the trace.
package struct CounterexamplePicture: Sendable, Hashable {
  /// The counterexample to draw.
  package var counterexample: Counterexample

  /// Creates a picture.
  package init(_ counterexample: Counterexample) { self.counterexample = counterexample }

  /// Returns the markup.
  ///
  /// - Complexity: the number of steps times the number of actors, consumers and transactions.
  func html() -> HTML {
    let story = CounterexampleStory(counterexample, isNarrow: false)
    let drawing = PictureDrawing(counterexample, story)
    let list = story.rows.indices.map { item($0, story, drawing.layout) }
    return .element(
      "figure",
      ["class": "tl"],
      [
        .element("div", ["class": "tl-pic", "tabindex": "0"], [drawing.html()]),
        .element(
          "ol",
          ["style": "padding-top:\(PictureLayout.head)px"],
          list
        ),
        Self.legend,
      ]
    )
  }

  /// Returns one step as a list item of the same height as its row of the drawing.
  private func item(
    _ index: Int,
    _ story: CounterexampleStory,
    _ layout: PictureLayout
  ) -> HTML {
    let row = story.rows[index]
    var parts: [HTML] = []
    if row.kind == .violation {
      parts.append(
        .element(
          "span",
          ["class": "sign", "role": "img", "aria-label": "broken"],
          text: "\u{2717}"
        )
      )
    }
    if let actor = row.actor {
      let lane = layout.lanes.firstIndex(of: actor).map { "c\($0 % 7)" } ?? ""
      let name = CounterexamplePhrase.printable(actor.name)
      parts += [.element("span", ["class": "who \(lane)"], text: name), .text(" ")]
    }
    let isFollowed = story.life?.rows.contains(index) ?? false
    let pieces = isFollowed ? story.life?.pieces(of: row.text) : nil
    parts += (pieces ?? [(row.text, false)]).map { piece, isName in
      let text = piece.replacing("\u{a0}", with: " ")
      return isName ? .element("mark", text: text) : .text(text)
    }
    return .element(
      "li",
      ["class": row.kind.name, "style": "min-height:\(layout.height(index))px"],
      [.element("b", text: row.number), .element("span", [:], parts)]
    )
  }

  /// An explanation of the drawing's symbols.
  private static let legend = HTML.element(
    "figcaption",
    text:
      "Time goes down. In the store each transaction is a bar from its commit to its purge (\u{2715}); "
      + "\u{25CF} is where it was merged or consumed, \u{25CB} where it was only read. The coloured "
      + "lines are the cursors: all to the left of one is merged and recorded. The shaded part ends at "
      + "the watermark, the least cursor. What was lost is highlighted."
  )
}

extension CounterexampleRow.Kind {
  /// The CSS class of a row; empty for a plain step.
  var name: String {
    switch self {
    case .step: ""
    case .quiet: "quiet"
    case .violation: "bad"
    }
  }
}
