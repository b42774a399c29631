/// Where a property takes its choices from: a seeded random generator, or a recorded sequence.
///
/// A property draws what it needs and is handed the same source type in every case. While
/// generating, each draw is random; while replaying, it is what the sequence holds: clamped to its
/// range, and the simplest value once the sequence has run out, so that every edit of a sequence is
/// a valid case. Either way the source records what was drawn.
///
/// A draw costs some tens of nanoseconds and allocates nothing once the source has served a few
/// cases.
public struct ChoiceSource: Sendable {
  /// What was drawn so far.
  private(set) var choices: [Choice] = []
  private(set) var spans: [ChoiceSpan] = []
  private var openSpans: [Int] = []
  var random: SeededGenerator
  private var replay: ReplayCursor?
  private let choiceCountMax: Int
  /// What the generator asked, while that is recorded.
  private(set) var events: [SourceEvent] = []
  private var recordsEvents = false
  /// How often a number with a label is the one that was drawn last with this label.
  private var reuseRate = 0.0
  private var latestNumbers: [String: Int64] = [:]
  /// How many branches a recursive value that is being drawn may still take.
  var branchesLeft: Int?
  /// What the case tells of itself.
  var notes = CaseNotes()

  /// Makes a source of random choices.
  ///
  /// After `choiceCountMax` choices every further one is the simplest, so that no generator runs
  /// for ever.
  public init(seed: UInt64, choiceCountMax: Int = 65_536) {
    random = SeededGenerator(seed: seed)
    self.choiceCountMax = choiceCountMax
  }

  /// Makes a source that replays a sequence.
  public init(replaying sequence: ChoiceSequence, choiceCountMax: Int = 65_536) {
    self.init(seed: 0, choiceCountMax: choiceCountMax)
    replay = ReplayCursor(sequence)
  }

  /// What was drawn so far.
  ///
  /// - Complexity: O(1), and O(choices) for the next draw while the sequence is held.
  public var sequence: ChoiceSequence { ChoiceSequence(choices: choices, spans: spans) }

  /// The number of choices drawn so far.
  public var choiceCount: Int { choices.count }

  /// Whether the choices come from a recorded sequence.
  public var isReplaying: Bool { replay != nil }

  /// Whether the choices have run out, so that all further ones are the simplest.
  ///
  /// A generator of steps should stop then. In a replayed span it tells whether that span has run
  /// out.
  public var isExhausted: Bool {
    mutating get {
      let isExhausted = choices.count >= choiceCountMax || replay?.isAtEnd ?? false
      if recordsEvents { events.append(.exhausted(isExhausted)) }
      return isExhausted
    }
  }

  /// Starts the next case with random choices, keeping the memory of the last one.
  mutating func restart(seed: UInt64) {
    clear()
    random = SeededGenerator(seed: seed)
    replay = nil
    recordsEvents = false
  }

  /// Starts the next case with recorded choices, and records what the generator asks.
  mutating func restart(replaying sequence: ChoiceSequence, recordsEvents: Bool = true) {
    clear()
    replay = ReplayCursor(sequence)
    self.recordsEvents = recordsEvents
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

// MARK: - Numbers that come again

extension ChoiceSource {
  /// Lets numbers with a label come again in some runs: call it once a run.
  ///
  /// Trouble that needs several equal numbers is rare otherwise. In three of four runs nothing
  /// changes; in the others every second number with a label is the one drawn last with that label.
  /// Nothing of it is a choice, and a replay does not know of it.
  public mutating func reuseNumbers() {
    guard !isReplaying else { return }
    reuseRate = random.next() & 3 == 0 ? 0.5 : 0
  }

  /// Returns the number that was drawn last with a label, if it is to come again and lies in the
  /// range.
  mutating func numberToReuse(_ label: String?, _ range: ClosedRange<Int64>) -> Int64? {
    guard reuseRate > 0, !isReplaying, let label, let number = latestNumbers[label],
      range.contains(number), random.nextFraction() < reuseRate
    else { return nil }
    return number
  }

  /// Notes a number for runs in which numbers come again.
  mutating func noteNumber(_ number: Int64, _ label: String?) {
    if reuseRate > 0, let label { latestNumbers[label] = number }
  }
}

// MARK: - One choice

extension ChoiceSource {
  /// Takes one choice: the recorded one, or the one that `generate` makes.
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
    if recordsEvents { events.append(.draw(choice, read: choice.value)) }
    return choice.value
  }

  /// Replaces the value of the choice just recorded, for a draw that had to settle for another one.
  mutating func amendLast(_ value: Int64) {
    guard let last = choices.popLast() else { return }
    choices.append(last.with(value: value))
    if recordsEvents {
      events.removeLast()
      events.append(.draw(last.with(value: value), read: last.value))
    }
  }

  /// Rolls back everything recorded since there were `choiceCount` choices and `spanCount` spans.
  mutating func forget(choiceCount: Int, spanCount: Int) {
    choices.removeLast(choices.count - choiceCount)
    spans.removeLast(spans.count - spanCount)
  }
}

// MARK: - Spans

extension ChoiceSource {
  /// Runs a body whose choices form one span.
  ///
  /// Name what can be told apart: an argument, a sub-expression, a list. Shrinking treats spans
  /// with one label alike, and a replay finds a span again by its label.
  @inlinable
  public mutating func span<Value>(
    _ label: String,
    _ body: (inout ChoiceSource) throws -> Value
  ) rethrows -> Value {
    openSpan(label)
    defer { closeSpan() }
    return try body(&self)
  }

  /// Begins a span, for places where a closure does not fit.
  ///
  /// Each must be closed by `closeSpan()`.
  public mutating func openSpan(_ label: String) { openSpan(label, .part) }

  mutating func openSpan(_ label: String, _ kind: ChoiceSpan.Kind) {
    replay?.open(label)
    if recordsEvents { events.append(.open(label)) }
    let start = choices.count
    spans.append(
      ChoiceSpan(label: label, kind: kind, range: start..<start, depth: openSpans.count)
    )
    openSpans.append(spans.count - 1)
  }

  /// Ends the innermost open span.
  public mutating func closeSpan() {
    guard let index = openSpans.popLast() else { fatalError("closeSpan() without openSpan(_:)") }
    spans[index].end = choices.count
    replay?.close()
    if recordsEvents { events.append(.close) }
  }

  /// Takes back the innermost span, which turned out not to be one; its choices stay.
  mutating func cancelSpan() {
    guard let index = openSpans.popLast() else { fatalError("cancelSpan() without openSpan(_:)") }
    spans.removeLast(spans.count - index)
    replay?.cancel()
    if recordsEvents { events.append(.cancel) }
  }

  /// Ends every span that is still open, because the property stopped in the middle of them.
  mutating func closeAllSpans() {
    while !openSpans.isEmpty { closeSpan() }
  }
}
