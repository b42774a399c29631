/// The source of a property's choices: a seeded random generator, or a recorded sequence.
///
/// A property draws its values in the same way from either kind of source. While generating, each
/// draw is random. While replaying, each draw is the recorded choice, clamped to the range, or the
/// simplest value after the end of the sequence, so that every edit of a sequence is a valid test
/// case. Either kind of source records the choices.
///
/// A draw takes some tens of nanoseconds, and allocates no memory after the first few cases.
public struct ChoiceSource: Sendable {
  /// The choices drawn so far.
  private(set) var choices: [Choice] = []
  private(set) var spans: [ChoiceSpan] = []
  private var openSpans: [Int] = []
  var random: SeededGenerator
  private var replay: ReplayCursor?
  let choiceCountMax: Int
  /// The seed of the random choices.
  private(set) var seed: UInt64
  /// The requests of the generator with their answers; empty if they are not recorded.
  private(set) var events: [SourceEvent] = []
  private var recordsEvents = false
  /// A closure that sends each event, such as a draw, to the parent process; `nil` without one.
  ///
  /// The parent repeats the events of a case that this process runs.
  private var tape: (@Sendable (TapeEvent) -> Void)?
  /// Whether the generator's requests are recorded in `events`, reported to `tape`, or both.
  private var isObserved = false
  /// The probability that a number with a label repeats the last number with that label.
  private var reuseRate = 0.0
  private var latestNumbers: [String: Int64] = [:]
  /// The number of branches that the current recursive value may still use.
  ///
  /// `nil` outside of a recursive value.
  var branchesLeft: Int?
  /// The labels, required classes and scores of the case.
  var notes = CaseNotes()

  /// Creates a source of random choices.
  ///
  /// After `choiceCountMax` choices, all further ones are the simplest, so that every generator
  /// terminates.
  ///
  /// - Parameters:
  ///   - seed: The seed, which determines all choices.
  ///   - choiceCountMax: The maximum number of random choices. The default is 65,536.
  public init(seed: UInt64, choiceCountMax: Int = 65_536) {
    random = SeededGenerator(seed: seed)
    self.seed = seed
    self.choiceCountMax = choiceCountMax
  }

  /// Creates a source that replays a sequence.
  ///
  /// - Parameters:
  ///   - sequence: The recorded choices.
  ///   - choiceCountMax: The maximum number of replayed choices; further choices have their simplest
  ///     value. The default is 65,536.
  public init(replaying sequence: ChoiceSequence, choiceCountMax: Int = 65_536) {
    self.init(seed: 0, choiceCountMax: choiceCountMax)
    replay = ReplayCursor(sequence)
  }

  /// The choices and spans recorded so far.
  ///
  /// - Complexity: O(1). While the returned sequence is retained, the next draw copies all choices.
  public var sequence: ChoiceSequence { ChoiceSequence(choices: choices, spans: spans) }

  /// The recorded sequence that is replayed; `nil` if the choices are random.
  package var replayed: ChoiceSequence? { replay?.sequence }

  /// The number of choices drawn so far.
  public var choiceCount: Int { choices.count }

  /// A Boolean value that indicates whether the choices come from a recorded sequence.
  public var isReplaying: Bool { replay != nil }

  /// A Boolean value that indicates whether all further choices have their simplest values.
  ///
  /// A generator that draws one step after another should stop when this value is `true`. During a
  /// replay, the value is `true` at the end of the recorded choices of the current span.
  public var isExhausted: Bool {
    mutating get {
      let isExhausted = choices.count >= choiceCountMax || replay?.isAtEnd ?? false
      if isObserved { observe(.exhausted(isExhausted), as: .exhausted(isExhausted)) }
      return isExhausted
    }
  }

  /// Returns a copy of this source that reports each event, such as a draw, to a closure.
  func reporting(_ tape: @escaping @Sendable (TapeEvent) -> Void) -> ChoiceSource {
    var source = self
    (source.tape, source.isObserved) = (tape, true)
    return source
  }

  /// Reports a command that is about to be performed, if another process repeats the case.
  func reportStep(_ command: @autoclosure () -> String) { tape?(.step(command())) }

  private mutating func observe(_ event: SourceEvent, as report: @autoclosure () -> TapeEvent) {
    if recordsEvents { events.append(event) }
    tape?(report())
  }

  /// Starts the next case with random choices, reusing allocated memory.
  mutating func restart(seed: UInt64) {
    clear()
    self.seed = seed
    random = SeededGenerator(seed: seed)
    replay = nil
    recordsEvents = false
    isObserved = tape != nil
  }

  /// Starts the next case with recorded choices, and records the requests of the generator.
  mutating func restart(replaying sequence: ChoiceSequence, recordsEvents: Bool = true) {
    clear()
    replay = ReplayCursor(sequence)
    self.recordsEvents = recordsEvents
    isObserved = recordsEvents || tape != nil
  }

  private mutating func clear() {
    choices.removeAll(keepingCapacity: true)
    spans.removeAll(keepingCapacity: true)
    openSpans.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    notes.clear()
    branchesLeft = nil
    reuseRate = 0
    latestNumbers.removeAll(keepingCapacity: true)
  }
}

// MARK: - Repeated numbers

extension ChoiceSource {
  /// Makes numbers with a label repeat in some cases; call this method once per case.
  ///
  /// Without repetition, failures that require several equal numbers are rare. Three of four cases
  /// are unchanged. In the others, half of the numbers with a label repeat the last number with that
  /// label. Whether a case repeats numbers is not recorded, because the recorded choices already
  /// contain the repeated numbers.
  package mutating func reuseNumbers() {
    guard !isReplaying else { return }
    reuseRate = random.next() & 3 == 0 ? 0.5 : 0
  }

  /// Decides whether to repeat the last number that was drawn with a label, and returns it.
  ///
  /// Returns `nil` if a new number must be drawn, for example because the last one is outside the
  /// range.
  mutating func numberToReuse(_ label: String?, _ range: ClosedRange<Int64>) -> Int64? {
    guard reuseRate > 0, !isReplaying, let label, let number = latestNumbers[label],
      range.contains(number), random.nextFraction() < reuseRate
    else { return nil }
    return number
  }

  /// Notes a number as the last one with its label, so that a later draw may repeat it.
  ///
  /// Does nothing in a case that repeats no numbers, or for a number without a label.
  mutating func noteNumber(_ number: Int64, _ label: String?) {
    if reuseRate > 0, let label { latestNumbers[label] = number }
  }
}

// MARK: - One choice

extension ChoiceSource {
  /// Records one choice: the replayed one, or the one that `generate` returns.
  @inline(__always)
  mutating func take(
    _ lowest: Int64,
    _ highest: Int64,
    simplest: Int64,
    kind: Choice.Kind = .number,
    _ generate: (inout SeededGenerator) -> Int64
  ) -> Int64 {
    var choice = Choice(unchecked: simplest, lowest, highest, simplest, kind)
    if choices.count < choiceCountMax {
      if replay == nil {
        choice = choice.with(value: generate(&random))
      } else if let offset = replay?.next() {
        choice = choice.with(value: choice.value(atOffset: offset))
      }
    }
    choices.append(choice)
    if isObserved { observeDraw(choice) }
    return choice.value
  }

  private mutating func observeDraw(_ choice: Choice) {
    observe(.draw(choice, read: choice.value), as: .draw(choice, read: choice.value))
  }

  /// Records a choice that a child process has drawn from its own choice source.
  ///
  /// `read` is the value that was drawn first. If the draw replaced it because it was impossible,
  /// `choice` has the new value, which is the recorded one.
  mutating func adopt(_ choice: Choice, read: Int64) {
    choices.append(choice)
    if recordsEvents { events.append(.draw(choice, read: read)) }
  }

  /// Records the value of ``isExhausted`` that a generator has read in a child process.
  mutating func adopt(isExhausted: Bool) {
    if recordsEvents { events.append(.exhausted(isExhausted)) }
  }

  /// Replaces the recorded value of the last choice by the value that the draw returned instead.
  ///
  /// A draw does so if the recorded value is impossible, such as an index whose weight is 0.
  mutating func amendLast(_ value: Int64) {
    guard let last = choices.popLast() else { return }
    choices.append(last.with(value: value))
    if recordsEvents {
      events.removeLast()
      events.append(.draw(last.with(value: value), read: last.value))
    }
    tape?(.amend(value))
  }

  /// Rolls back to the state with `choiceCount` choices and `spanCount` spans.
  mutating func forget(choiceCount: Int, spanCount: Int) {
    choices.removeLast(choices.count - choiceCount)
    spans.removeLast(spans.count - spanCount)
    tape?(.forget(choiceCount: choiceCount, spanCount: spanCount))
  }
}

// MARK: - Spans

extension ChoiceSource {
  /// Runs a body whose choices form one span.
  ///
  /// Label each separate part: an argument, a subexpression, a list. Shrinking treats spans with
  /// the same label alike, and a replay finds a span by its label.
  @inlinable
  public mutating func span<Value>(
    _ label: String,
    _ body: (inout ChoiceSource) throws -> Value
  ) rethrows -> Value {
    openSpan(label)
    defer { closeSpan() }
    return try body(&self)
  }

  /// Starts a span (a group of choices that belong together), for code that cannot use a closure.
  ///
  /// Each span must be closed by `closeSpan()`.
  public mutating func openSpan(_ label: String) { openSpan(label, .part) }

  mutating func openSpan(_ label: String, _ kind: ChoiceSpan.Kind) {
    replay?.open(label)
    if isObserved { observe(.open(label), as: .open(label, kind)) }
    let start = choices.count
    spans.append(
      ChoiceSpan(label: label, kind: kind, range: start..<start, depth: openSpans.count)
    )
    openSpans.append(spans.count - 1)
  }

  /// Finishes the innermost open span (group of choices), which ``openSpan(_:)`` started.
  public mutating func closeSpan() {
    guard let index = openSpans.popLast() else { fatalError("closeSpan() without openSpan(_:)") }
    spans[index].end = choices.count
    replay?.close()
    if isObserved { observe(.close, as: .close) }
  }

  /// Removes the innermost open span; its choices remain.
  mutating func cancelSpan() {
    guard let index = openSpans.popLast() else { fatalError("cancelSpan() without openSpan(_:)") }
    spans.removeLast(spans.count - index)
    replay?.cancel()
    if isObserved { observe(.cancel, as: .cancel) }
  }

  /// Finishes all open spans, after the property has returned or thrown inside of them.
  mutating func closeAllSpans() {
    while !openSpans.isEmpty { closeSpan() }
  }
}

/// A request of a generator to its choice source, with the answer.
///
/// A generator is a deterministic function of the answers. The outcome of a case with known requests
/// and answers is therefore known without running the property; see `CaseTree`.
enum SourceEvent: Sendable {
  /// A choice was drawn: `read` is its original value, which may since have been replaced.
  case draw(Choice, read: Int64)
  /// A span, that is, a group of consecutive choices, was started; the text is its label.
  case open(String)
  /// The innermost open span, a group of consecutive choices, was finished.
  case close
  /// The innermost open span, a group of consecutive choices, was removed; its choices remain.
  case cancel
  /// The generator asked whether all choices are used up; the value is the answer.
  case exhausted(Bool)
}

/// A reader of a recorded sequence of choices, which keeps the choices of each span together.
///
/// A span is a labelled group of choices. If the generator opens a span that the sequence has at
/// that position, the reader stays inside that span until the generator closes it. Choices left
/// over at the span's end are skipped, and the simplest values replace missing choices. An edit in
/// one span therefore does not shift the choices of other spans. A sequence without spans is read
/// from first to last.
struct ReplayCursor {
  /// The part of the recorded choices that the generator may read in one of its open spans.
  private struct Frame {
    /// The index after the last choice that the generator may read.
    var end: Int
    /// The index of the next span of the replayed sequence that the generator may enter.
    var next: Int
    /// The nesting depth that a recorded span must have for the generator to enter it.
    var depth: Int
    /// A Boolean value that indicates whether a recorded span corresponds to the generator's span.
    var isMatched: Bool
  }

  let sequence: ChoiceSequence
  private var position = 0
  private var frame: Frame
  private var enclosing: [Frame] = []

  init(_ sequence: ChoiceSequence) {
    self.sequence = sequence
    frame = Frame(end: sequence.count, next: 0, depth: 0, isMatched: true)
  }

  /// A Boolean value that indicates whether the current group of choices has none left to read.
  var isAtEnd: Bool { position >= frame.end }

  /// Returns the signed distance of the next recorded choice from its simplest value.
  ///
  /// Returns `nil` if the current span (the group of choices that is read) has no choices left.
  mutating func next() -> Int64? {
    guard position < frame.end else { return nil }
    defer { position += 1 }
    return sequence.choices[position].offset
  }

  /// Notes that the generator opened a span (group of choices); enters the recorded one, if any.
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

  /// Notes that the generator closed a span (group of choices); skips its unread recorded choices.
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

  /// Returns the index of the recorded span that corresponds to a newly opened span; `nil` if none.
  ///
  /// Of the spans directly inside the current recorded span, this is the next one with the given
  /// label. Whole spans before it may be skipped, but no choices outside of spans.
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
