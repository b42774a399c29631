internal import PersistentHistory
internal import Traces

extension PictureDrawing {
  /// A bar for each transaction, from its commit to its purge.
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

  /// A line for each cursor, which steps to the right where it is recorded.
  var cursors: [HTML] {
    layout.lanes.enumerated().map { lane, actor in
      let line = line(of: { $0.cursors[actor] }) { layout.cursorX($0, lane: lane) }
      let told = story.cursors(of: actor, positions)
      return .element(
        "g",
        ["class": tone(lane)],
        [.element("title", text: told), Self.path("tl-cursor", line)]
      )
    }
  }

  /// The band that the cursor of the slowest member leaves.
  var watermark: HTML {
    .element(
      "g",
      [:],
      [
        .element("title", text: "The watermark: the least cursor of all members."),
        Self.path("tl-mark", line(of: { $0.watermark }) { layout.watermarkX($0) }),
      ]
    )
  }

  /// A line down the rows that follows a count; where there is none, a gap.
  private func line(
    of count: (TracePositions) -> Int?,
    x: (Int) -> Int
  ) -> String {
    var line = ""
    var last = count(positions[0])
    if let last { line = "M\(x(last)) \(PictureLayout.head - 4)" }
    for row in story.rows.indices {
      let next = count(positions[row + 1])
      guard next != last else { continue }
      let y = layout.y(row) + 5
      switch (last, next) {
      case (nil, let next?): line += "M\(x(next)) \(y)"
      case (_?, nil): line += "V\(y)"
      case (_, let next?): line += "V\(y)H\(x(next))"
      case (nil, nil): break
      }
      last = next
    }
    return last == nil ? line : line + "V\(layout.bottom)"
  }
}
