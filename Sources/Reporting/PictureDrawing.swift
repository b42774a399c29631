internal import HistoryTypes
internal import Traces

/// The drawing of a counterexample as inline SVG.
struct PictureDrawing {
  let layout: PictureLayout
  let story: CounterexampleStory
  /// The positions of cursors and transactions before the first row and after each row.
  let positions: [TracePositions]
  /// The position, in commit order, of the transaction that the violation is about; `nil` if none.
  let followed: Int?
  let counterexample: Counterexample
  /// A curve next to the actors' columns, such as the probability of a violation; `nil` for none.
  let curve: PictureCurve?
  /// For each point of ``curve``, the index of the picture's row for the command before its state.
  ///
  /// The index is `nil` for the state before the first command, whose point is above all rows.
  let states: [Int?]

  init(
    _ counterexample: Counterexample,
    _ story: CounterexampleStory,
    curve: PictureCurve? = nil
  ) {
    self.counterexample = counterexample
    self.story = story
    self.curve = curve
    states = Self.rows(of: curve?.points.count ?? 0, in: story.rows)
    var state = TracePositions()
    for event in story.opening { state.apply(event) }
    positions = story.rows.reduce(into: [state]) { states, row in
      for event in row.events { state.apply(event) }
      states.append(state)
    }
    layout = PictureLayout(
      counterexample.trace.header.plan.header,
      rows: story.rows,
      transactions: state.transactions,
      hasCurve: curve != nil
    )
    followed = counterexample.violation.transaction.flatMap { state.position(of: $0) }
  }

  func html() -> HTML {
    let size = "\(layout.width) \(layout.height)"
    return .element(
      "svg",
      [
        "role": "img", "aria-label": story.sentence, "viewBox": "0 0 " + size,
        "width": String(layout.width), "height": String(layout.height),
        // On a narrow screen the drawing shrinks to three quarters of its width before it scrolls.
        "style": "min-width:\(layout.width * 3 / 4)px",
      ],
      bands + walkBands + names + lifeLines + [watermark] + bars + cursors
        + story.rows.indices.map { step($0) } + curveColumn
    )
  }

  /// Returns the CSS class for the colours of an actor.
  func tone(_ lane: Int) -> String { "c\(lane % 7)" }

  static func path(_ style: String, _ line: String) -> HTML {
    .shape("path", ["class": style, "d": line])
  }

  static func label(
    _ text: String,
    _ x: Int,
    _ y: Int,
    _ style: String = "",
    title: String? = nil
  ) -> HTML {
    .element(
      "text",
      ["x": String(x), "y": String(y), "class": style],
      [.text(text)] + (title.map { [HTML.element("title", text: $0)] } ?? [])
    )
  }
}

extension PictureDrawing {
  // MARK: Background

  /// The frame of the store, the lines between rows, and the band behind the row of the violation.
  private var bands: [HTML] {
    let rules = story.rows.indices.dropFirst().map { "M0 \(layout.top($0))H\(layout.width)" }
    let broken = story.rows.indices.filter { story.rows[$0].kind == .violation }.map { row in
      Self.box("tl-bad", 0, layout.top(row), layout.width, layout.height(row), 0)
    }
    let store = Self.box(
      "tl-store",
      layout.storeX,
      PictureLayout.head - 8,
      layout.storeWidth,
      layout.bottom - PictureLayout.head + 8,
      8
    )
    return [store] + broken + [Self.path("tl-rule", rules.joined())]
  }

  static func box(
    _ style: String,
    _ x: Int,
    _ y: Int,
    _ width: Int,
    _ height: Int,
    _ radius: Int
  ) -> HTML {
    .shape(
      "rect",
      [
        "class": style, "x": String(x), "y": String(y), "width": String(width),
        "height": String(height), "rx": String(radius),
      ]
    )
  }

  /// The actors' names at the top, and the numbers of the steps.
  private var names: [HTML] {
    let letters = layout.laneWidth / 7
    let actors = layout.lanes.enumerated().map { lane, actor in
      let name = CounterexamplePhrase.printable(actor.name)
      return Self.label(
        CounterexampleCell.cut(name, to: letters),
        layout.laneX(lane),
        16,
        "tl-name " + tone(lane),
        title: name
      )
    }
    let numbers = story.rows.indices.map { row in
      let isBroken = story.rows[row].kind == .violation
      let number = isBroken ? "\u{2717} " + story.rows[row].number : story.rows[row].number
      return Self.label(number, 30, layout.y(row) + 4, isBroken ? "tl-no bad" : "tl-no")
    }
    let store = layout.storeX + layout.storeWidth / 2
    return actors + [Self.label("store", store, 16, "tl-name")] + numbers
  }

  /// The lines in the actors' columns that show when the actors run.
  private var lifeLines: [HTML] {
    layout.lanes.enumerated().map { lane, actor in
      var line = ""
      var from: Int? = positions[0].running.contains(actor) ? PictureLayout.head - 8 : nil
      for row in story.rows.indices {
        let isRunning = positions[row + 1].running.contains(actor)
        if let start = from, !isRunning {
          line += "M\(layout.laneX(lane)) \(start)V\(layout.y(row))"
          from = nil
        } else if from == nil, isRunning {
          from = layout.y(row)
        }
      }
      if let from { line += "M\(layout.laneX(lane)) \(from)V\(layout.bottom)" }
      return Self.path("tl-life " + tone(lane), line)
    }
  }

  // MARK: Steps

  /// Returns one step: the action in its actor's column, a line to the store, and symbols.
  ///
  /// The symbols show which transactions the step has read, merged or purged.
  private func step(_ index: Int) -> HTML {
    let row = story.rows[index]
    let touch = PictureTouch(row.events, positions[index + 1])
    guard let actor = row.actor, let lane = layout.lanes.firstIndex(of: actor) else {
      return .text("")
    }
    let y = layout.y(index)
    let half = min(layout.laneWidth / 2 - 2, row.verb.count * 7 / 2 + 9)
    let x = layout.laneX(lane)
    let title = story.value(of: row)
    return .element(
      "g",
      ["class": "\(tone(lane)) \(row.kind.name)"],
      [.element("title", text: title)] + link(touch, from: x + half, y)
        + [
          Self.box("tl-pill", x - half, y - 11, 2 * half, 22, 11),
          Self.label(CounterexampleCell.cut(row.verb, to: layout.laneWidth / 7), x, y + 4),
        ] + marks(touch, y)
    )
  }

  /// Returns a line from an actor to the farthest of the transactions that its step touches.
  ///
  /// An arrowhead at a transaction shows a commit, and one at the actor shows a read or a merge.
  /// The line is highlighted up to the transaction of the violation, if the step touches it.
  private func link(_ touch: PictureTouch, from x: Int, _ y: Int) -> [HTML] {
    guard let far = touch.all.max() else { return [] }
    let end = layout.barX(far)
    let isFollowed = followed.map(touch.all.contains) ?? false
    var line = "M\(x) \(y)H\(end)"
    if !touch.committed.isEmpty { line += "M\(end - 8) \(y - 4)l6 4l-6 4" }
    if touch.isRead { line += "M\(x + 7) \(y - 4)l-6 4l6 4" }
    return (isFollowed ? [Self.path("tl-hit", "M\(x) \(y)H\(layout.barX(followed ?? far))")] : [])
      + [Self.path("tl-link", line)]
  }

  /// Returns rings for read transactions, dots for merged ones and crosses for purged ones.
  private func marks(_ touch: PictureTouch, _ y: Int) -> [HTML] {
    func circles(_ positions: Set<Int>) -> String {
      positions.sorted().map { "M\(layout.barX($0) - 4) \(y)a4 4 0 1 0 8 0a4 4 0 1 0 -8 0" }
        .joined()
    }
    let crosses = touch.purged.sorted()
      .map { "M\(layout.barX($0) - 4) \(y + 6)l8 8m0 -8l-8 8" }.joined()
    return [
      touch.onlyRead.isEmpty ? nil : Self.path("tl-ring", circles(touch.onlyRead)),
      touch.merged.isEmpty ? nil : Self.path("tl-dot", circles(touch.merged)),
      crosses.isEmpty ? nil : Self.path("tl-cross", crosses),
    ].compactMap { $0 }
  }
}

/// The transactions that a step commits, reads, merges or purges, by position.
struct PictureTouch {
  private(set) var committed: Set<Int> = []
  private(set) var read: Set<Int> = []
  private(set) var merged: Set<Int> = []
  private(set) var purged: Set<Int> = []

  var all: Set<Int> { committed.union(read).union(merged).union(purged) }
  var onlyRead: Set<Int> { read.subtracting(merged) }
  var isRead: Bool { !read.isEmpty || !merged.isEmpty }

  init(_ events: [Event], _ positions: TracePositions) {
    func found(_ names: [TransactionName]) -> [Int] { names.compactMap(positions.position) }
    for event in events {
      switch event.kind {
      case .committed(let transaction): committed.formUnion(found([transaction.name]))
      case .fetched(let names), .observed(let names): read.formUnion(found(names))
      case .merged(let names), .consumed(let names): merged.formUnion(found(names))
      case .purged(let names): purged.formUnion(found(names))
      default: break
      }
    }
  }
}

extension PictureDrawing {
  /// The bars of the transactions, each from commit to purge.
  var bars: [HTML] {
    guard let last = positions.last else { return [] }
    return last.transactions.indices.map { bar($0, last.transactions[$0]) }
  }

  private func bar(_ position: Int, _ name: TransactionName) -> HTML {
    let start = story.rows.indices.first { positions[$0 + 1].transactions.count > position }
    let end = story.rows.indices.first { positions[$0 + 1].purged.contains(position) }
    let x = layout.barX(position)
    let from = positions[0].transactions.count > position ? PictureLayout.head : y(of: start)
    let to = end.map { layout.y($0) + 10 } ?? layout.bottom
    let isFollowed = position == followed
    var parts = [HTML.element("title", text: story.value(of: name))]
    if isFollowed { parts.append(Self.path("tl-hit", "M\(x) \(from)V\(to)")) }
    parts.append(Self.path("tl-bar", "M\(x) \(from)V\(to)"))
    if layout.namesFit || isFollowed {
      let text = CounterexampleCell.cut(CounterexamplePhrase.name(name), to: 7)
      parts.append(Self.label(text, x, from - 9, isFollowed ? "tl-lost" : ""))
    }
    return .element("g", [:], parts)
  }

  private func y(of row: Int?) -> Int { row.map { layout.y($0) } ?? PictureLayout.head }

  /// The lines of the cursors, one per actor and consumer.
  ///
  /// A line runs downward at the position of its cursor in the history. In the row in which the
  /// cursor moves, the line steps to the new position.
  var cursors: [HTML] {
    layout.lanes.indices.map { lane in
      let text = story.cursors(of: layout.lanes[lane], positions)
      return .element(
        "g",
        ["class": tone(lane)],
        [.element("title", text: text), Self.path("tl-cursor", line(ofCursor: lane))]
      )
    }
  }

  private func line(ofCursor lane: Int) -> String {
    var line = ""
    var last: Int?
    for move in moves(of: lane) {
      let x = move.count.map { layout.cursorX($0, lane: lane) }
      switch (last, x) {
      case (nil, let x?): line += "M\(x) \(move.y)"
      case (_?, let x?): line += "V\(move.y)H\(x)"
      case (_?, nil): line += "V\(move.y)"
      case (nil, nil): break
      }
      last = x
    }
    return last == nil ? line : line + "V\(layout.bottom)"
  }

  /// Returns the points of a cursor's line: its start, its moves and its end.
  private func moves(of lane: Int) -> [PictureMove] {
    let counts = positions.map { $0.cursors[layout.lanes[lane]] }
    let first = PictureMove(count: counts[0], y: PictureLayout.head - 4)
    return [first]
      + story.rows.indices.filter { counts[$0 + 1] != counts[$0] }.map { row in
        let isRising = (counts[row + 1] ?? 0) > (counts[row] ?? 0)
        let y = layout.cursorY(row, lane: lane, isRising: isRising)
        return PictureMove(count: counts[row + 1], y: y)
      }
  }

  /// The shaded area behind the transactions that all members have merged; its right edge is the
  /// least cursor.
  var watermark: HTML {
    let areas = shades.map { shade in
      "M\(layout.storeX) \(shade.from)H\(shade.x)V\(shade.to)H\(layout.storeX)z"
    }
    return .element(
      "g",
      [:],
      [
        .element("title", text: "All members have merged the transactions up to the watermark."),
        Self.path("tl-mark", areas.joined()),
      ]
    )
  }

  /// The parts of the shaded area of ``watermark``, from top to bottom.
  ///
  /// Between the vertical positions `from` and `to`, the area's right edge is at `x`.
  var shades: [(x: Int, from: Int, to: Int)] {
    let lines = layout.lanes.indices.map(moves)
    let heights = Set(lines.joined().map(\.y)).sorted()
    return zip(heights, heights.dropFirst() + [layout.bottom]).compactMap { from, to in
      let cursors = lines.enumerated().compactMap { lane, moves in
        moves.last { $0.y <= from }?.count.map { (count: $0, lane: lane) }
      }
      return cursors.min { $0 < $1 }.map { least in
        (x: layout.cursorX(least.count, lane: least.lane), from: from, to: to)
      }
    }
  }
}

/// A point at which a cursor's line starts, steps to another position, or ends.
///
/// From the vertical position `y` downward, the cursor is after `count` transactions. If `count` is
/// `nil`, there is no cursor.
private struct PictureMove {
  let count: Int?
  let y: Int
}
