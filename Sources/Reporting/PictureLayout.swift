internal import PersistentHistory
internal import Traces

/// The positions and sizes of all parts of a counterexample's picture, in pixels.
///
/// Time runs downward, one row per step. From left to right come the steps' numbers, a lane for
/// each actor and consumer, and the store, in which each transaction has a column and each cursor a
/// position between two columns.
struct PictureLayout {
  /// The width reserved for the steps' numbers.
  static let gutter = 34
  /// The height reserved for the names above the lanes.
  static let head = 34
  private static let rowHeightMin = 38
  private static let lineHeight = 20
  /// The number of characters of a step's sentence that fit one line next to the picture.
  private static let lineLength = 62
  /// The width of all columns of the store, beyond which columns become narrower.
  private static let storeWidthMax = 520
  private static let storePadding = 18
  private static let letterWidth = 7
  private static let columnWidthMax = 56

  /// The actors and consumers, from left to right.
  let lanes: [ActorID]
  /// The width of each lane.
  let laneWidth: Int
  /// The width of a transaction's column.
  let column: Int
  /// Whether the names of all transactions fit their columns.
  let namesFit: Bool
  private let tops: [Int]
  private let transactionCount: Int

  init(_ header: PlanHeader, rows: [CounterexampleRow], transactions: [TransactionName]) {
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

  var width: Int { storeX + storeWidth + 4 }
  var height: Int { (tops.last ?? Self.head) + 6 }
  var bottom: Int { tops.last ?? Self.head }
  var storeX: Int { Self.gutter + lanes.count * laneWidth + 12 }
  var storeWidth: Int { transactionCount * column + 2 * Self.storePadding }

  /// Returns the upper edge of a row.
  func top(_ row: Int) -> Int { tops[row] }

  func height(_ row: Int) -> Int { tops[row + 1] - tops[row] }

  /// Returns the vertical position of a row's marks.
  func y(_ row: Int) -> Int { tops[row] + 18 }

  /// Returns the centre of an actor's lane.
  func laneX(_ lane: Int) -> Int { Self.gutter + lane * laneWidth + laneWidth / 2 }

  /// Returns the centre of a transaction's column.
  func barX(_ position: Int) -> Int {
    storeX + Self.storePadding + position * column + column / 2
  }

  /// Returns the position of a cursor after a number of transactions, slightly apart from others.
  func cursorX(_ count: Int, lane: Int) -> Int {
    storeX + Self.storePadding + count * column + (2 * lane - lanes.count + 1) * spread / 2
  }

  /// Returns the height at which a cursor moves within a row, below the step's own line.
  ///
  /// Cursors that move in the same row have different heights: of those moving left the leftmost is
  /// first, of those moving right the rightmost, so that their lines do not cross.
  func cursorY(_ row: Int, lane: Int, isRising: Bool) -> Int {
    let place = isRising ? lanes.count - 1 - lane : lane
    return y(row) + 9 + place * min(4, 9 / max(1, lanes.count - 1))
  }

  /// The distance between cursors at the same position, limited by the bars next to them.
  private var spread: Int {
    min(6, max(2, (column - 10) / max(1, lanes.count)))
  }
}
