/// A recipe for random values of one type, made of draws from a choice source.
///
/// Generators compose: whatever is built with them shrinks, because shrinking edits the choices
/// below.
public struct Generator<Value>: Sendable {
  private let body: @Sendable (inout ChoiceSource) throws -> Value

  /// Makes a generator of a function that draws; a thrown `Rejection` discards the case.
  public init(_ draw: @escaping @Sendable (inout ChoiceSource) throws -> Value) { body = draw }

  /// Draws one value.
  ///
  /// - Throws: `Rejection` where a filter was not met, and what the generator's function throws.
  public func draw(_ source: inout ChoiceSource) throws -> Value { try body(&source) }

  /// Makes a generator of what a function makes of the values.
  public func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> Generator<Other> {
    Generator<Other> { transform(try draw(&$0)) }
  }

  /// Makes a generator that depends on a value drawn before.
  public func flatMap<Other>(
    _ next: @escaping @Sendable (Value) -> Generator<Other>
  ) -> Generator<Other> {
    Generator<Other> { source in
      let value = try draw(&source)
      return try next(value).draw(&source)
    }
  }

  /// Makes a generator of the values that meet a condition.
  ///
  /// A random case tries up to 100 values, of which only the last is recorded; if none meets the
  /// condition, or a replayed one does not, the case is discarded. A runner with too many discarded
  /// cases says so instead of passing.
  public func filter(
    _ reason: String = "filter",
    _ isIncluded: @escaping @Sendable (Value) -> Bool
  ) -> Generator {
    Generator { source in
      let (choiceCount, spanCount) = (source.choiceCount, source.spans.count)
      for _ in 0..<(source.isReplaying ? 1 : 100) {
        source.forget(choiceCount: choiceCount, spanCount: spanCount)
        let value = try draw(&source)
        if isIncluded(value) { return value }
      }
      throw Rejection(reason)
    }
  }

  /// Makes a generator whose choices form a span with a label.
  public func labelled(_ label: String) -> Generator {
    Generator { source in try source.span(label) { try draw(&$0) } }
  }
}

extension ChoiceSource {
  /// Draws a value of a generator.
  public mutating func draw<Value>(_ generator: Generator<Value>) throws -> Value {
    try generator.draw(&self)
  }
}
