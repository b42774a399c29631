/// A reader of a recorded sequence that follows its spans.
///
/// If the generator opens a span that the sequence has at that position, the reader stays inside of
/// it: excess choices at its end are skipped, missing choices are the simplest. An edit in one span
/// thereby does not shift the choices of others. A sequence without spans is read from first to
/// last.
struct ReplayCursor {
  /// An open span of the generator, and the part of the sequence that it may read.
  private struct Frame {
    /// The index after the last choice that may be read.
    var end: Int
    /// The index in `spans` of the next span that may be entered.
    var next: Int
    /// The depth of the spans that may be entered.
    var depth: Int
    /// A Boolean value that indicates whether the frame corresponds to a span of the sequence.
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

  /// A Boolean value that indicates whether the current span has no choices left.
  var isAtEnd: Bool { position >= frame.end }

  /// Returns the offset of the next choice, or `nil` if there is none.
  mutating func next() -> Int64? {
    guard position < frame.end else { return nil }
    defer { position += 1 }
    return sequence.choices[position].offset
  }

  /// Enters a span that the generator opens.
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

  /// Leaves the innermost span.
  mutating func close() {
    guard let outer = enclosing.popLast() else { return }
    if frame.isMatched { position = frame.end }
    frame = outer
  }

  /// Undoes the last `open`, because the generator canceled that span.
  mutating func cancel() {
    guard let outer = enclosing.popLast() else { return }
    frame = outer
  }

  /// Returns the sequence's span with a label at the position, or after other whole spans.
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
