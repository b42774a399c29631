/// An event of a child process's choice source, which the parent process repeats on its own source.
///
/// A choice source records the numbers (choices) that a generator draws, and the spans that group
/// them. The child reports each event immediately, so that the parent has all events even if a trap
/// ends the child.
package enum TapeEvent: Hashable, Sendable {
  /// A choice was drawn.
  ///
  /// `read` is the value that was drawn. If this value was replaced, the choice has the new value.
  case draw(Choice, read: Int64)
  /// The value of the last choice was replaced by the given value.
  case amend(Int64)
  /// The last choices and spans (labelled groups of choices) were removed, to draw a value again.
  ///
  /// The first `choiceCount` choices and the first `spanCount` spans remain.
  case forget(choiceCount: Int, spanCount: Int)
  /// A span, that is, a group of consecutive choices, was started; the text is its label.
  case open(String, ChoiceSpan.Kind)
  /// The innermost open span, a group of consecutive choices, was finished.
  case close
  /// The innermost open span, a group of consecutive choices, was removed; its choices remain.
  case cancel
  /// The generator asked whether the choices have run out; the value is the answer.
  case exhausted(Bool)
  /// A command is about to be performed.
  case step(String)
}

extension TapeEvent {
  /// The event as one line of text.
  package var line: String {
    switch self {
    case .draw(let choice, let read):
      "d \(choice.lowest) \(choice.highest) \(choice.simplest) \(choice.value) "
        + "\(Self.letter(choice.kind)) \(read)"
    case .amend(let value): "a \(value)"
    case .forget(let choiceCount, let spanCount): "f \(choiceCount) \(spanCount)"
    case .open(let label, let kind): "o \(Self.letter(kind)) \(Self.escaped(label))"
    case .close: "c"
    case .cancel: "x"
    case .exhausted(let isExhausted): "e \(isExhausted ? 1 : 0)"
    case .step(let text): "s \(Self.escaped(text))"
    }
  }

  /// Parses the text form of an event; returns `nil` for any other line.
  package init?(_ line: String) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    let numbers = words.dropFirst().map { Int64($0) }
    switch (words.first, numbers.count) {
    case ("d", 6):
      guard let lowest = numbers[0], let highest = numbers[1], let simplest = numbers[2],
        let value = numbers[3], let kind = Self.choiceKind(words[5]), let read = numbers[5]
      else { return nil }
      self = .draw(Choice(unchecked: value, lowest, highest, simplest, kind), read: read)
    case ("a", 1):
      guard let value = numbers[0] else { return nil }
      self = .amend(value)
    case ("f", 2):
      guard let choices = numbers[0], let spans = numbers[1] else { return nil }
      self = .forget(choiceCount: Int(choices), spanCount: Int(spans))
    case ("o", 2...):
      guard let kind = Self.spanKind(words[1]) else { return nil }
      self = .open(Self.unescaped(words[2...].joined(separator: " ")), kind)
    case ("c", 0): self = .close
    case ("x", 0): self = .cancel
    case ("e", 1): self = .exhausted(numbers[0] == 1)
    case ("s", 1...): self = .step(Self.unescaped(words[1...].joined(separator: " ")))
    default: return nil
    }
  }

  private static func letter(_ kind: Choice.Kind) -> String {
    switch kind {
    case .number: "n"
    case .name: "a"
    case .continuation: "c"
    }
  }

  private static func choiceKind(_ letter: Substring) -> Choice.Kind? {
    ["n": .number, "a": .name, "c": .continuation][letter]
  }

  static func letter(_ kind: ChoiceSpan.Kind) -> String {
    switch kind {
    case .part: "p"
    case .element: "e"
    case .countedElement: "c"
    }
  }

  static func spanKind(_ letter: Substring) -> ChoiceSpan.Kind? {
    ["p": .part, "e": .element, "c": .countedElement][letter]
  }

  private static func escaped(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": line += "\\\\"
      case "\n": line += "\\n"
      case "\r": line += "\\r"
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  private static func unescaped(_ line: String) -> String {
    var text = ""
    var isEscaped = false
    for scalar in line.unicodeScalars {
      switch (isEscaped, scalar) {
      case (false, "\\"): isEscaped = true
      case (true, "n"): (text, isEscaped) = (text + "\n", false)
      case (true, "r"): (text, isEscaped) = (text + "\r", false)
      default:
        text.unicodeScalars.append(scalar)
        isEscaped = false
      }
    }
    return text
  }
}

extension ChoiceSource {
  /// Applies an event of a child process's choice source, such as a draw, to this source.
  package mutating func adopt(_ event: TapeEvent) {
    switch event {
    case .draw(let choice, let read): adopt(choice, read: read)
    case .amend(let value): amendLast(value)
    case .forget(let choices, let spans): forget(choiceCount: choices, spanCount: spans)
    case .open(let label, let kind): openSpan(label, kind)
    case .close: closeSpan()
    case .cancel: cancelSpan()
    case .exhausted(let isExhausted): adopt(isExhausted: isExhausted)
    case .step: break
    }
  }
}

/// A test case to be run by a child process, given by a seed or by a sequence to replay.
package struct CaseRequest: Codable, Sendable {
  private struct Span: Codable {
    let label: String
    let kind: String
    let start: Int
    let end: Int
    let depth: Int
  }

  private let seed: UInt64
  private let choiceCountMax: Int
  private let offsets: [Int64]?
  private let spans: [Span]?
  /// Whether the child process only draws the case's values, without running the property's body.
  package let wantsValues: Bool

  /// Creates a request for the test case that a source will draw next.
  package init(_ source: ChoiceSource, wantsValues: Bool = false) {
    (seed, choiceCountMax) = (source.seed, source.choiceCountMax)
    offsets = source.replayed?.choices.map(\.offset)
    spans = source.replayed?.spans.map {
      Span(
        label: $0.label,
        kind: TapeEvent.letter($0.kind),
        start: $0.start,
        end: $0.end,
        depth: $0.depth
      )
    }
    self.wantsValues = wantsValues
  }

  /// Returns a source that draws the case, and reports each event, such as a draw, to a closure.
  package func source(_ report: @escaping @Sendable (TapeEvent) -> Void) -> ChoiceSource {
    guard let offsets else {
      return ChoiceSource(seed: seed, choiceCountMax: choiceCountMax).reporting(report)
    }
    let sequence = ChoiceSequence(
      choices: offsets.map { Choice($0, in: .min ... .max, simplest: 0) },
      spans: (spans ?? []).map {
        ChoiceSpan(
          label: $0.label,
          kind: TapeEvent.spanKind(Substring($0.kind)) ?? .part,
          range: $0.start..<$0.end,
          depth: $0.depth
        )
      }
    )
    return ChoiceSource(replaying: sequence, choiceCountMax: choiceCountMax).reporting(report)
  }
}

/// The result of a case in a child process, with the labels, classes and scores of the case.
package struct CaseReport: Codable, Sendable {
  private enum Kind: String, Codable {
    case passed, failed, discarded, vacuous
  }
  private struct Requirement: Codable {
    let label: String
    let share: Double
    let isMet: Bool
  }
  private struct Score: Codable {
    let label: String
    let score: Double
  }

  private let kind: Kind
  private var label = ""
  private var message = ""
  private let labels: [String]
  private let requirements: [Requirement]
  private let scores: [Score]
  private let reason: String?

  /// Creates the report from a case's result and its source's labels, classes and scores.
  package init(_ result: CaseResult, _ source: ChoiceSource) {
    switch result {
    case .passed: kind = .passed
    case .discarded: kind = .discarded
    case .vacuous: kind = .vacuous
    case .failed(let label, let message):
      kind = .failed
      (self.label, self.message) = (label, message)
    }
    let notes = source.notes
    labels = notes.labels
    requirements = notes.requirements.map {
      Requirement(label: $0.label, share: $0.share, isMet: $0.isMet)
    }
    scores = notes.scores.map { Score(label: $0.label, score: $0.score) }
    reason = notes.reason
  }

  /// Copies the case's labels, classes and scores to a source, and returns the case's result.
  ///
  /// For a discarded or vacuous case, the reason is copied too.
  package func apply(to source: inout ChoiceSource) -> CaseResult {
    source.notes.labels = labels
    source.notes.requirements = requirements.map { ($0.label, $0.share, $0.isMet) }
    source.notes.scores = scores.map { ($0.label, $0.score) }
    source.notes.reason = reason
    switch kind {
    case .passed: return .passed
    case .discarded: return .discarded
    case .vacuous: return .vacuous
    case .failed: return .failed(label: label, message: message)
    }
  }
}
