/// A generator of random values of one type, based on draws from a choice source.
///
/// Generators compose, and all composed values shrink, because shrinking edits the underlying
/// choices.
public struct Generator<Value>: Sendable {
  private let body: @Sendable (inout ChoiceSource) throws -> Value

  /// Creates a generator from a function that draws; a thrown `Rejection` discards the case.
  public init(_ draw: @escaping @Sendable (inout ChoiceSource) throws -> Value) { body = draw }

  /// Draws one value.
  ///
  /// - Throws: `Rejection` if a filter was not satisfied, and the errors of the generator's
  ///   function.
  public func draw(_ source: inout ChoiceSource) throws -> Value { try body(&source) }

  /// Returns a generator of the transformed values.
  public func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> Generator<Other> {
    Generator<Other> { transform(try draw(&$0)) }
  }

  /// Returns a generator that depends on a previously drawn value.
  public func flatMap<Other>(
    _ next: @escaping @Sendable (Value) -> Generator<Other>
  ) -> Generator<Other> {
    Generator<Other> { source in
      let value = try draw(&source)
      return try next(value).draw(&source)
    }
  }

  /// Returns a generator of the values that satisfy a condition.
  ///
  /// A random case draws up to 100 values, of which only the last is recorded. If none satisfies
  /// the condition, or a replayed one does not, the case is discarded. A run with too many
  /// discarded cases reports them instead of passing.
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

  /// Returns a generator whose choices form a span with a label.
  public func labelled(_ label: String) -> Generator {
    Generator { source in try source.span(label) { try draw(&$0) } }
  }
}

extension ChoiceSource {
  /// Draws a value from a generator.
  public mutating func draw<Value>(_ generator: Generator<Value>) throws -> Value {
    try generator.draw(&self)
  }
}
