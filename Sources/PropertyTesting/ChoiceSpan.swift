/// A range of choices that belong together, with a label for their role.
///
/// Spans describe the meaning of choices to the shrinker: an element of an array, a step of a plan,
/// an argument. Spans may be nested, but do not overlap otherwise.
public struct ChoiceSpan: Hashable, Sendable {
  /// The structural role of a span, which determines how shrinking may edit it.
  public enum Kind: Hashable, Sendable {
    /// A part that is always present.
    case part
    /// An element of a repetition, with its own continuation.
    ///
    /// Deleting it shortens the repetition.
    case element
    /// An element of a repetition with a length decided in advance.
    ///
    /// Deleting it requires lowering the length as well.
    case countedElement
  }

  /// The role of the choices; spans with the same label may replace each other.
  public let label: String
  /// The structural role of the span.
  public let kind: Kind
  /// The index of the first choice.
  public internal(set) var start: Int
  /// The index after the last choice.
  public internal(set) var end: Int
  /// The number of enclosing spans.
  public internal(set) var depth: Int

  /// Creates a span of the choices in a range.
  public init(label: String, kind: Kind = .part, range: Range<Int>, depth: Int) {
    self.label = label
    self.kind = kind
    start = range.lowerBound
    end = range.upperBound
    self.depth = depth
  }

  /// The indices of the choices.
  public var range: Range<Int> { start..<end }

  /// A Boolean value that indicates whether the span is an element of a repetition.
  public var isElement: Bool { kind != .part }
}
