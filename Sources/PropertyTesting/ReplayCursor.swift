/// A reader of a recorded sequence that keeps to its spans.
///
/// Where the generator opens a span that the sequence has at that place, the reader stays inside
/// it: choices left over at its end are skipped, choices missing there are simplest. So an edit in
/// one span does not move the choices of the others. A sequence without spans is read from first to
/// last.
struct ReplayCursor {
  /// One open span of the generator and what it may read of the sequence.
  private struct Frame {
    /// The index after the last choice that may be read.
    var end: Int
    /// The next span of the sequence that may be entered, an index into `spans`.
    var next: Int
    /// The depth of the spans that may be entered.
    var depth: Int
    /// Whether a span of the sequence was entered with this frame.
    var isMatched: Bool
  }

  private let sequence: ChoiceSequence
  private var position = 0
  private var frame: Frame
  private var enclosing: [Frame] = []

  init(_ sequence: ChoiceSequence) {
    self.sequence = sequence
    frame = Frame(end: sequence.count, next: 0, depth: 0, isMatched: true)
  }

  /// Whether the span that is being read has no choice left.
  var isAtEnd: Bool { position >= frame.end }

  /// Returns the offset of the next choice; nil where the sequence has none.
  mutating func next() -> Int64? {
    guard position < frame.end else { return nil }
    defer { position += 1 }
    return sequence.choices[position].offset
  }

  /// Follows the generator into a span.
  mutating func open(_ label: String) {
    let match = matchingSpan(label)
    enclosing.append(frame)
    if let match {
      position = sequence.spans[match].start
      let end = sequence.spans[match].end
      frame = Frame(end: end, next: match + 1, depth: frame.depth + 1, isMatched: true)
    } else {
      frame.isMatched = false
    }
  }

  /// Follows the generator out of the innermost span.
  mutating func close() {
    guard let outer = enclosing.popLast() else { return }
    if frame.isMatched { position = frame.end }
    frame = outer
  }

  /// Takes back the last `open`, because the generator made no choice in that span.
  mutating func cancel() {
    guard let outer = enclosing.popLast() else { return }
    frame = outer
  }

  /// Finds the sequence's span with this label at the position, other whole spans before it
  /// skipped.
  private mutating func matchingSpan(_ label: String) -> Int? {
    let spans = sequence.spans
    while frame.next < spans.count, spans[frame.next].start < position { frame.next += 1 }
    var place = position
    for index in frame.next..<spans.count {
      let span = spans[index]
      if span.depth > frame.depth { continue }
      guard span.depth == frame.depth, span.start == place, span.end <= frame.end else { break }
      if span.label == label {
        frame.next = index + 1
        return index
      }
      place = span.end
    }
    return nil
  }
}
