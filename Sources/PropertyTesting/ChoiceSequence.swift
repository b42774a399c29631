/// The choices that a generator drew in one test case, in order, and the spans that group them.
///
/// Two sequences are equal if the offsets of their choices are equal; ranges and spans do not
/// count, because a replay by the property creates them again. The order is *simpler first*
/// (shortlex): a sequence with fewer choices is simpler; of two with equally many, the one whose
/// first different choice has the lower rank.
public struct ChoiceSequence: Sendable {
  /// The choices, in the order in which they were made.
  package internal(set) var choices: [Choice]
  /// The spans (labelled ranges of choices that belong together), each before those inside it.
  package internal(set) var spans: [ChoiceSpan]

  /// Creates a sequence; each span must be given before the spans inside it.
  package init(choices: [Choice] = [], spans: [ChoiceSpan] = []) {
    self.choices = choices
    self.spans = spans
  }

  /// The number of choices.
  public var count: Int { choices.count }
}

extension ChoiceSequence: Hashable {
  /// Returns whether the choices of two sequences have equal offsets from their simplest values.
  public static func == (left: ChoiceSequence, right: ChoiceSequence) -> Bool {
    left.count == right.count
      && zip(left.choices, right.choices).allSatisfy { $0.offset == $1.offset }
  }

  /// Hashes the offset of each choice from its simplest value, as `==` compares only these offsets.
  public func hash(into hasher: inout Hasher) {
    for choice in choices { hasher.combine(choice.offset) }
  }

  /// A hash of the spans, and of the offset of each choice from its simplest value.
  ///
  /// It also distinguishes equal sequences with different spans, which may replay differently.
  ///
  /// - Complexity: O(choices + spans).
  var fingerprint: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for choice in choices { hash = Self.mix(hash, UInt64(bitPattern: choice.offset)) }
    // Most spans have the label of the one before.
    var (label, labelHash) = ("", 0 as UInt64)
    for span in spans {
      if span.label != label {
        label = span.label
        labelHash = label.utf8.reduce(0) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
      }
      hash = Self.mix(hash ^ labelHash, UInt64(span.start) << 32 | UInt64(span.end))
    }
    return hash
  }

  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low &+ 0x1234_5678_9ABC_DEF1
  }
}

extension ChoiceSequence: Comparable {
  /// Returns whether the left sequence is simpler than the right one.
  ///
  /// - Complexity: O(choices).
  public static func < (left: ChoiceSequence, right: ChoiceSequence) -> Bool {
    guard left.count == right.count else { return left.count < right.count }
    for index in left.choices.indices where left.choices[index] != right.choices[index] {
      let ranks = (left.choices[index].rank, right.choices[index].rank)
      if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
    }
    return false
  }
}

extension ChoiceSequence: LosslessStringConvertible {
  /// A line of text from which the sequence can be replayed: `1:`, then the offsets of the choices.
  ///
  /// `12x0` stands for twelve zeroes. Ranges and spans are omitted: the property that replays the
  /// line creates them again.
  public var description: String {
    var parts: [String] = []
    var index = 0
    while index < count {
      let offset = choices[index].offset
      let end = choices[index...].firstIndex { $0.offset != offset } ?? count
      parts.append(end - index == 1 ? "\(offset)" : "\(end - index)x\(offset)")
      index = end
    }
    return "1:" + parts.joined(separator: ",")
  }

  /// Parses the text form; returns `nil` for invalid text, or for more than a million choices.
  public init?(_ description: String) {
    guard description.hasPrefix("1:") else { return nil }
    var choices: [Choice] = []
    for part in description.dropFirst(2).split(separator: ",", omittingEmptySubsequences: false) {
      if part.isEmpty && description.utf8.count == 2 { break }
      guard let (times, offset) = Self.run(part), choices.count + times <= 1_000_000 else {
        return nil
      }
      let choice = Choice(offset, in: .min ... .max, simplest: 0)
      choices.append(contentsOf: repeatElement(choice, count: times))
    }
    self.init(choices: choices)
  }

  /// Parses one part of the text form: the offset of a choice, or `3x5` for three offsets of 5.
  ///
  /// An offset is the signed distance of a choice from its simplest value.
  private static func run(_ part: Substring) -> (times: Int, offset: Int64)? {
    let pieces = part.split(separator: "x", omittingEmptySubsequences: false)
    guard let last = pieces.last, let offset = Int64(last), pieces.count <= 2 else { return nil }
    guard pieces.count == 2 else { return (1, offset) }
    guard let times = Int(pieces[0]), times > 1, times <= 1_000_000 else { return nil }
    return (times, offset)
  }
}

extension ChoiceSequence {
  /// Returns the given pieces of this sequence in the given order; a piece is a range of choices.
  ///
  /// A span inside one piece moves with that piece. A span that contains whole pieces still
  /// contains them. A span that loses all its choices is removed, as is the span with the index
  /// `dropped`.
  ///
  /// - Complexity: O(choices + spans * log(pieces)), plus the pieces inside of each span.
  func rearranged(_ pieces: [Range<Int>], without dropped: Int? = nil) -> ChoiceSequence {
    var result = ChoiceSequence()
    var places: [Int] = []
    for piece in pieces {
      places.append(result.choices.count)
      result.choices.append(contentsOf: choices[piece])
    }
    let order = pieces.indices.sorted { pieces[$0].lowerBound < pieces[$1].lowerBound }
    let ordered = order.map { (piece: pieces[$0], place: places[$0]) }
    for (index, span) in spans.enumerated() where index != dropped {
      if let moved = Self.moved(span, ordered) { result.spans.append(moved) }
    }
    result.restoreOrder()
    return result
  }

  /// Returns a span as it is after a rearrangement; `nil` if it has lost all its choices.
  ///
  /// `pieces` are the ranges of choices that were kept, in ascending order, each with its new
  /// start.
  private static func moved(
    _ span: ChoiceSpan,
    _ pieces: [(piece: Range<Int>, place: Int)]
  ) -> ChoiceSpan? {
    var bounds: (start: Int, end: Int)?
    for (piece, place) in pieces[first(in: pieces, endingAfter: span.start)...] {
      guard piece.lowerBound < max(span.end, span.start + 1) else { break }
      let low = max(span.start, piece.lowerBound)
      let high = min(span.end, piece.upperBound)
      let isEmptyInside = span.start == span.end && low == high && piece.contains(low)
      guard low < high || isEmptyInside else { continue }
      let start = place + low - piece.lowerBound
      let end = start + high - low
      bounds = (min(bounds?.start ?? start, start), max(bounds?.end ?? end, end))
    }
    guard let bounds else { return nil }
    var moved = span
    (moved.start, moved.end) = bounds
    return moved
  }

  /// Returns the index of the first range that ends after a choice; `pieces.count` if none does.
  ///
  /// The ranges must be in ascending order.
  private static func first(
    in pieces: [(piece: Range<Int>, place: Int)],
    endingAfter choice: Int
  ) -> Int {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].piece.upperBound > choice { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Sorts the spans, each before those inside it, and recomputes their depths.
  private mutating func restoreOrder() {
    let isSorted = zip(spans, spans.dropFirst()).allSatisfy { $0.start <= $1.start }
    if !isSorted {
      let order = spans.indices.sorted {
        (spans[$0].start, spans[$0].depth, $0) < (spans[$1].start, spans[$1].depth, $1)
      }
      spans = order.map { spans[$0] }
    }
    var open: [(range: Range<Int>, depth: Int)] = []
    for index in spans.indices {
      let (range, depth) = (spans[index].range, spans[index].depth)
      while let last = open.last, last.depth >= depth || last.range.upperBound < range.upperBound {
        open.removeLast()
      }
      spans[index].depth = open.count
      open.append((range, depth))
    }
  }

  /// Returns the sequence without the choices in a range.
  ///
  /// A span, that is, a group of choices, is removed if all its choices are in the range.
  func removing(_ range: Range<Int>) -> ChoiceSequence {
    rearranged([0..<range.lowerBound, range.upperBound..<count])
  }

  /// Returns the sequence without several ranges of choices, given in order; ranges may be nested.
  func removing(_ ranges: [Range<Int>]) -> ChoiceSequence {
    var pieces: [Range<Int>] = []
    var place = 0
    for range in ranges where range.lowerBound >= place {
      pieces.append(place..<range.lowerBound)
      place = range.upperBound
    }
    return rearranged(pieces + [place..<count])
  }

  /// Returns the sequence with the choices of two disjoint, nonempty spans exchanged.
  ///
  /// - Complexity: O(choices + spans).
  func exchanging(_ first: Int, _ second: Int) -> ChoiceSequence {
    let (left, right) = (spans[first], spans[second])
    let (leftTree, rightTree) = (subtree(first), subtree(second))
    let growth = right.range.count - left.range.count
    var result = ChoiceSequence()
    let stretches = [
      0..<left.start, right.range, left.end..<right.start, left.range, right.end..<count,
    ]
    for stretch in stretches { result.choices.append(contentsOf: choices[stretch]) }
    func place(_ index: Int) -> Int {
      index <= left.start || index >= right.end ? index : index + growth
    }
    func append(_ indices: Range<Int>, shift: Int, deeper: Int) {
      for var span in spans[indices] {
        (span.start, span.end) = (span.start + shift, span.end + shift)
        span.depth += deeper
        result.spans.append(span)
      }
    }
    func append(_ indices: Range<Int>) {
      for var span in spans[indices] {
        (span.start, span.end) = (place(span.start), place(span.end))
        result.spans.append(span)
      }
    }
    append(0..<first)
    append(rightTree, shift: left.start - right.start, deeper: left.depth - right.depth)
    append(leftTree.upperBound..<second)
    append(leftTree, shift: right.end - left.end, deeper: right.depth - left.depth)
    append(rightTree.upperBound..<spans.count)
    return result
  }

  /// Returns the indices of a span and of the spans inside it.
  func subtree(_ index: Int) -> Range<Int> {
    index..<(spans[(index + 1)...].firstIndex { $0.depth <= spans[index].depth } ?? spans.count)
  }

  /// Returns the sequence with some choices replaced.
  func replacing(_ edits: [(index: Int, choice: Choice)]) -> ChoiceSequence {
    var result = self
    for edit in edits { result.choices[edit.index] = edit.choice }
    return result
  }

  /// Returns the sequence with the choices at some indices simplified.
  func simplifying(_ indices: [Int]) -> ChoiceSequence {
    var result = self
    for index in indices { result.choices[index] = choices[index].simplified }
    return result
  }
}
