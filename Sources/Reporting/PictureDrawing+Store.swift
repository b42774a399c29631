internal import PersistentHistory
internal import Traces

extension PictureDrawing {
  /// The bars of the transactions, from commit to purge.
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

  /// The lines of the cursors, which step to the right when they are recorded.
  var cursors: [HTML] {
    layout.lanes.indices.map { lane in
      let told = story.cursors(of: layout.lanes[lane], positions)
      return .element(
        "g",
        ["class": tone(lane)],
        [.element("title", text: told), Self.path("tl-cursor", line(ofCursor: lane))]
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

  /// Returns the beginning, moves and end of a cursor's line.
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

  /// The shaded part of the store, merged by all members, which ends at the least cursor's line.
  var watermark: HTML {
    let areas = shades.map { shade in
      "M\(layout.storeX) \(shade.from)H\(shade.x)V\(shade.to)H\(layout.storeX)z"
    }
    return .element(
      "g",
      [:],
      [
        .element("title", text: "All members have merged this part; it ends at the watermark."),
        Self.path("tl-mark", areas.joined()),
      ]
    )
  }

  /// The right edges of the store's shaded part, each between two heights.
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

/// One step of a cursor's line: the number of transactions at or below the cursor from a height on.
private struct PictureMove {
  let count: Int?
  let y: Int
}
