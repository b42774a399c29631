/// A stretch of choices that belong together, with the role they play.
///
/// Spans are how a generator tells the shrinker what its choices mean: an element of an array, a
/// step of a plan, an argument. Spans nest and never overlap otherwise.
public struct ChoiceSpan: Hashable, Sendable {
  /// What may be done with a span.
  public enum Kind: Hashable, Sendable {
    /// A part that is always there.
    case part
    /// An element of a repetition: it holds its own continuation, so deleting it leaves a shorter
    /// repetition.
    case element
    /// An element of a repetition whose length was decided before it: deleting it needs the length
    /// lowered too.
    case countedElement
  }

  /// The role of the choices: spans with one label may stand for each other.
  public let label: String
  /// What may be done with the span.
  public let kind: Kind
  /// The index of the first choice.
  public internal(set) var start: Int
  /// The index after the last choice.
  public internal(set) var end: Int
  /// How many spans enclose this one.
  public internal(set) var depth: Int

  /// Makes a span of the choices from `start` up to `end`.
  public init(label: String, kind: Kind = .part, range: Range<Int>, depth: Int) {
    self.label = label
    self.kind = kind
    start = range.lowerBound
    end = range.upperBound
    self.depth = depth
  }

  /// The indices of the choices.
  public var range: Range<Int> { start..<end }

  /// Whether the span was made by a repetition.
  public var isElement: Bool { kind != .part }
}
