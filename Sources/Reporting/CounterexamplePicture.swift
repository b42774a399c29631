internal import PersistentHistory
package import Traces

/// A counterexample as a picture for a page: a timeline with its steps told beside it.
///
/// A lane for each actor and consumer, and one for the store, in which each transaction is a bar from
/// its commit to its purge, each cursor a line and what lies below the watermark shaded. The step that breaks the
/// invariant is marked, the lost transaction coloured, and values show under the pointer. It needs
/// no script and takes the colours of its page. Everything is taken from the trace.
package struct CounterexamplePicture: Sendable, Hashable {
  /// What is drawn.
  package var counterexample: Counterexample

  /// Makes a picture.
  package init(_ counterexample: Counterexample) { self.counterexample = counterexample }

  /// The markup.
  ///
  /// - Complexity: the steps times those who take part and the transactions.
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

  /// One step as a sentence, as high as its row of the drawing.
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

  /// What the signs of the drawing mean.
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
  /// The class of a row; empty for a plain step.
  var name: String {
    switch self {
    case .step: ""
    case .quiet: "quiet"
    case .violation: "bad"
    }
  }
}
