internal import HistoryTypes
package import Traces

/// A picture of a counterexample for a page: a timeline with a list of its steps.
///
/// The timeline has one column per actor and consumer, and one for the store. The store has a bar
/// for each transaction from its commit to its purge, a line for each cursor, and a shaded part up
/// to the watermark, the least cursor. The step that violates the invariant is marked. The transaction
/// that the violation is about (the lost transaction) is coloured, and tooltips show values. An
/// optional curve shows a probability after each command, such as that of a violation. Everything
/// except this curve comes from the trace. The picture needs no script and uses the colours of its
/// page.
package struct CounterexamplePicture: Sendable, Hashable {
  package var counterexample: Counterexample
  /// A curve next to the actors' columns, such as the probability of a violation; `nil` for none.
  package var curve: PictureCurve?

  /// Creates a picture; by default, it has no curve.
  package init(_ counterexample: Counterexample, curve: PictureCurve? = nil) {
    self.counterexample = counterexample
    self.curve = curve
  }

  /// Returns the markup.
  ///
  /// - Complexity: the number of steps times the number of actors, consumers and transactions.
  func html() -> HTML {
    let story = CounterexampleStory(counterexample, isNarrow: false)
    let drawing = PictureDrawing(counterexample, story, curve: curve)
    let list = story.rows.indices.map { item($0, story, drawing) }
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

  /// Returns one step as a list item with the same height as the step's row in the drawing.
  private func item(
    _ index: Int,
    _ story: CounterexampleStory,
    _ drawing: PictureDrawing
  ) -> HTML {
    let layout = drawing.layout
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
      [
        "class": row.kind.name, "style": "min-height:\(layout.height(index))px",
        "data-walk": drawing.walked(index) ?? "",
      ],
      [.element("b", text: row.number), .element("span", [:], parts)]
    )
  }

  /// An explanation of the drawing's symbols, below the picture.
  private static let legend = HTML.element(
    "figcaption",
    text:
      "Time goes down. In the store each transaction is a bar from its commit to its purge (\u{2715}); "
      + "\u{25CF} is where it was merged or consumed, \u{25CB} where it was only read. The coloured "
      + "lines are the cursors: a member has merged and recorded all transactions left of its cursor. The "
      + "shaded part ends at the watermark, the least cursor. The lost transaction is highlighted."
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

/// The positions and sizes of all parts of a counterexample's picture, in pixels.
///
/// Time runs downward, one row per step. From left to right come the steps' numbers, a column (lane)
/// for each actor and consumer, and the store, in which each transaction has a column and each cursor
/// a position between two columns.
struct PictureLayout {
  /// The width reserved for the steps' numbers.
  static let gutter = 34
  /// The height reserved for the actors' names at the top.
  static let head = 34
  private static let rowHeightMin = 38
  private static let lineHeight = 20
  /// The number of characters of a step's sentence that fit in one line next to the picture.
  private static let lineLength = 62
  /// The maximum total width of the transactions' columns, in pixels.
  ///
  /// More transactions have narrower columns. A column is never narrower than 5 pixels, even if the
  /// total then exceeds the maximum.
  private static let storeWidthMax = 520
  private static let storePadding = 18
  private static let letterWidth = 7
  private static let columnWidthMax = 56
  /// The width in pixels of the axis of the optional probability curve, from 0 (left) to 1 (right).
  private static let curveWidth = 96
  private static let curvePadding = 18

  /// The actors and consumers, from left to right.
  let lanes: [ActorID]
  /// The width of each actor's column, in pixels.
  let laneWidth: Int
  /// The width of a transaction's column, in pixels.
  let column: Int
  /// Whether the names of all transactions fit in their columns.
  let namesFit: Bool
  private let tops: [Int]
  private let transactionCount: Int
  private let hasCurve: Bool

  init(
    _ header: PlanHeader,
    rows: [CounterexampleRow],
    transactions: [TransactionName],
    hasCurve: Bool = false
  ) {
    self.hasCurve = hasCurve
    lanes = header.actors.map(\.id) + header.consumers
    let longest = (lanes.map(\.name.count) + rows.map(\.verb.count)).max() ?? 0
    laneWidth = min(max(longest * Self.letterWidth + 20, 62), 120)
    transactionCount = transactions.count
    let name = (transactions.map(\.count).max() ?? 0) + 1
    let wanted = min(max(name * Self.letterWidth + 14, 34), Self.columnWidthMax)
    column = min(wanted, max(5, Self.storeWidthMax / max(1, transactions.count)))
    namesFit = column == wanted
    tops = rows.reduce(into: [Self.head]) { tops, row in
      tops.append((tops.last ?? 0) + Self.height(of: row))
    }
  }

  private static func height(of row: CounterexampleRow) -> Int {
    let letters = CounterexampleCell.width(row.text) + (row.actor?.name.count ?? 0) + 3
    let lines = (letters + lineLength - 1) / lineLength
    return max(rowHeightMin, lines * lineHeight + 14)
  }

  var width: Int {
    storeX + storeWidth + 4 + (hasCurve ? Self.curveWidth + 2 * Self.curvePadding : 0)
  }
  var height: Int { bottom + (hasCurve ? 20 : 6) }
  var bottom: Int { tops.last ?? Self.head }
  var storeX: Int { Self.gutter + lanes.count * laneWidth + 12 }
  var storeWidth: Int { transactionCount * column + 2 * Self.storePadding }

  /// Returns the top edge of a row.
  func top(_ row: Int) -> Int { tops[row] }

  func height(_ row: Int) -> Int { tops[row + 1] - tops[row] }

  /// Returns the vertical position of the symbols that show the action of a row's step.
  func y(_ row: Int) -> Int { tops[row] + 18 }

  /// Returns the horizontal centre of an actor's column.
  func laneX(_ lane: Int) -> Int { Self.gutter + lane * laneWidth + laneWidth / 2 }

  /// Returns the horizontal centre of a transaction's column.
  func barX(_ position: Int) -> Int {
    storeX + Self.storePadding + position * column + column / 2
  }

  /// Returns the horizontal position of a probability from 0 to 1 in the curve's column.
  func curveX(_ share: Double) -> Int {
    storeX + storeWidth + 4 + Self.curvePadding + Int((share * Double(Self.curveWidth)).rounded())
  }

  /// Returns the horizontal position of a cursor that has passed `count` transactions.
  func cursorX(_ count: Int, lane: Int) -> Int {
    storeX + Self.storePadding + count * column + (2 * lane - lanes.count + 1) * spread / 2
  }

  /// Returns the vertical position of the horizontal part of a cursor's line in a row.
  ///
  /// A cursor's line runs downward. In a row in which the cursor moves, the line has a horizontal
  /// part, below the symbols of the row's step. `isRising` is `true` if the cursor moves to the
  /// right, to later transactions. Each actor has a vertical position of its own, so that the lines
  /// of cursors that move in the same row do not cross. Among cursors that move to the left, the line
  /// of the leftmost actor is the highest. Among cursors that move to the right, the line of the
  /// rightmost actor is the highest.
  func cursorY(_ row: Int, lane: Int, isRising: Bool) -> Int {
    let place = isRising ? lanes.count - 1 - lane : lane
    return y(row) + 9 + place * min(4, 9 / max(1, lanes.count - 1))
  }

  /// The distance in pixels between cursors at the same position, limited by the space between bars.
  private var spread: Int {
    min(6, max(2, (column - 10) / max(1, lanes.count)))
  }
}

/// The style sheet of a counterexample's picture, with the page's colours.
enum PictureStyle {
  static let sheet = frame + drawing + list + narrow

  private static let frame = """
    .tl{--hit:#ffd54a;display:flex;flex-wrap:wrap;align-items:flex-start;gap:0 1.1rem;
    margin:0 0 1.25rem;padding:.75rem;background:var(--panel);border:1px solid var(--line);
    border-radius:12px}
    @media (prefers-color-scheme:dark){.tl{--hit:#8a6a00}}
    .tl-pic{overflow-x:auto;max-width:100%}
    .tl svg{display:block;max-width:100%;height:auto;font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,
    "DejaVu Sans",sans-serif;fill:var(--ink)}
    .tl figcaption{flex:1 1 100%;margin-top:.6rem;max-width:46rem}

    """

  private static let drawing = """
    \(tones)
    .tl text{text-anchor:middle}
    .tl .tl-no{text-anchor:end;fill:var(--muted)}.tl .tl-no.bad{fill:var(--bad);font-weight:700}
    .tl .tl-name{font-weight:650;font-size:12.5px;fill:var(--c,var(--ink))}
    .tl .tl-lost{font-weight:700}
    .tl path{fill:none}
    .tl-rule{stroke:var(--line);stroke-opacity:.6}
    .tl-store{fill:var(--page);stroke:var(--line)}
    .tl-bad{fill:var(--bad-bg)}
    .tl-life{stroke:var(--c);stroke-width:2;stroke-opacity:.45}
    .tl-bar{stroke:var(--muted);stroke-width:4;stroke-opacity:.55}
    .tl-hit{stroke:var(--hit);stroke-width:11;stroke-linecap:round}
    .tl-cursor{stroke:var(--c);stroke-width:2.5;stroke-linejoin:round}
    .tl .tl-mark{fill:var(--muted);fill-opacity:.2}
    .tl-link{stroke:var(--c);stroke-width:1.5}
    .tl-pill{fill:var(--panel);stroke:var(--c);stroke-width:1.5}
    .tl .bad .tl-pill{fill:var(--bad);stroke:var(--bad)}
    .tl .bad text{fill:var(--panel);font-weight:650}
    .tl .bad .tl-link{stroke:var(--bad)}
    .tl .tl-dot{fill:var(--c);stroke:var(--panel)}
    .tl .tl-ring{fill:var(--panel);stroke:var(--c);stroke-width:2}
    .tl-cross{stroke:var(--ink);stroke-width:2}.tl .bad .tl-cross{stroke:var(--bad);stroke-width:3}
    .tl .tl-area{fill:var(--accent);fill-opacity:.2}
    .tl-curve{stroke:var(--accent);stroke-width:2;stroke-linejoin:round}
    .tl-share{fill:var(--accent);stroke:var(--panel)}
    .tl-share.now{stroke:var(--accent);stroke-width:5}
    .tl .tl-axis{fill:var(--muted);font-size:10.5px}
    .tl-now{fill:none}.tl-now.now{fill:var(--accent);fill-opacity:.13}
    .walk.on [data-walk]{cursor:pointer}.tl li.now{box-shadow:inset 3px 0 var(--accent)}

    """

  private static let list = """
    .tl ol{flex:1 1 30rem;list-style:none;margin:0;padding:0}
    .tl li{padding:8px .25rem 0;font-size:.9rem;line-height:20px;overflow-wrap:anywhere}
    .tl li.bad{background:var(--bad-bg);color:var(--bad);font-weight:600}
    .tl li.quiet{color:var(--muted)}
    .tl li b{display:none}
    .tl .who{font-weight:650;color:var(--c,inherit)}.tl li.bad .who{color:inherit}
    .tl .sign{margin-right:.35rem}
    .tl mark{background:var(--hit);color:var(--ink);border-radius:3px;padding:0 .15em}

    """

  private static let narrow = """
    @media print,(max-width:46rem){.tl ol{flex-basis:100%;padding:.5rem 0 0!important}
    .tl li{min-height:0!important;display:flex;gap:.5rem;padding:.25rem;
    border-top:1px solid var(--line)}
    .tl li b{display:block;flex:0 0 1.4rem;text-align:right;color:var(--muted);font-weight:600}}
    @media print{.tl{--hit:#ffd54a}.tl svg,.tl li{break-inside:avoid}
    }
    .copy{user-select:all;-webkit-user-select:all;white-space:pre-wrap;overflow-wrap:anywhere}

    """

  private static let tones = (0..<7).map { ".c\($0){--c:var(--s\($0))}" }.joined()
}
