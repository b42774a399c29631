public import Foundation

/// A generator of random values of one type, based on draws from a choice source.
///
/// Generators compose, and all composed values shrink, because shrinking edits the underlying
/// choices.
public struct Generator<Value>: Sendable {
  private let body: @Sendable (inout ChoiceSource) throws -> Value

  /// Creates a generator from a function that draws.
  ///
  /// - Parameter draw: A function that draws one value; a thrown ``Rejection`` discards the case.
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

  /// Returns a generator that draws a value, and then from a generator that depends on this value.
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
  /// A random case draws up to 100 values, of which only the last is recorded. If none of them
  /// satisfies the condition, or a replayed value does not, the case is discarded. A run with too
  /// many discarded cases does not pass.
  ///
  /// - Parameters:
  ///   - reason: The reason under which discarded cases are counted. The default is `filter`.
  ///   - isIncluded: The condition.
  /// - Returns: The generator.
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

  /// Returns a generator whose choices form a span, that is, a group with a label.
  ///
  /// Shrinking treats groups with the same label alike, and a replay finds a group by its label.
  public func labelled(_ label: String) -> Generator {
    Generator { source in try source.span(label) { try draw(&$0) } }
  }
}

extension ChoiceSource {
  /// Draws a value from a generator.
  ///
  /// - Throws: ``Rejection`` if a filter was not satisfied, and the errors of the generator's function.
  public mutating func draw<Value>(_ generator: Generator<Value>) throws -> Value {
    try generator.draw(&self)
  }
}

extension Generator where Value: Sendable {
  /// Returns a generator of a constant value, which draws no choice.
  public static func always(_ value: Value) -> Generator { Generator { _ in value } }

  /// Returns a generator of the elements of a nonempty collection; shrinks toward the first.
  public static func element(of values: [Value]) -> Generator {
    Generator { source in values[source.index(below: values.count)] }
  }
}

extension Generator {
  /// Returns a generator that uses one of several with equal probability; shrinks toward the first.
  public static func oneOf(_ generators: [Generator]) -> Generator {
    frequency(generators.map { (1, $0) })
  }

  /// Returns a generator that uses one of several by weight; shrinks toward the first.
  public static func frequency(_ generators: [(weight: Int, generator: Generator)]) -> Generator {
    let weights = generators.map { $0.weight }
    let choices = generators.map { $0.generator }
    return Generator { source in
      try source.span("alternative") { source in
        try choices[source.weighted(weights)].draw(&source)
      }
    }
  }

  /// Returns a generator of recursive values with a maximum depth and size; shrinks toward leaves.
  ///
  /// A branch is a value with children, a leaf a value without children. The size is the maximum
  /// number of branches in one generated value: once they are used up, only leaves are drawn. A
  /// recursive generator inside another one shares the size of the outer one.
  ///
  /// - Parameters:
  ///   - depth: The maximum number of nested branches. The default is 8.
  ///   - size: The maximum total number of branches. The default is 50.
  ///   - leaf: The generator of values without children.
  ///   - branch: A closure that returns the generator of values with children, given the
  ///     generator of a child.
  /// - Returns: The generator.
  public static func recursive(
    depth: Int = 8,
    size: Int = 50,
    leaf: Generator,
    branch: @escaping @Sendable (_ child: Generator) -> Generator
  ) -> Generator {
    Generator { source in
      try source.withBranches(size) { try node(depth, leaf, branch).draw(&$0) }
    }
  }

  private static func node(
    _ depth: Int,
    _ leaf: Generator,
    _ branch: @escaping @Sendable (Generator) -> Generator
  ) -> Generator {
    guard depth > 0 else { return leaf.labelled("node") }
    return Generator { source in
      try source.span("node") { source in
        guard source.takesBranch() else { return try leaf.draw(&source) }
        return try branch(node(depth - 1, leaf, branch)).draw(&source)
      }
    }
  }
}

extension ChoiceSource {
  /// Runs a body that may draw at most `count` branches in total.
  ///
  /// Inside an enclosing recursive value, the body uses the remaining branches of that value instead.
  fileprivate mutating func withBranches<Value>(
    _ count: Int,
    _ body: (inout ChoiceSource) throws -> Value
  ) rethrows -> Value {
    guard branchesLeft == nil else { return try body(&self) }
    branchesLeft = count
    defer { branchesLeft = nil }
    return try body(&self)
  }

  /// Draws whether a recursive value gets another branch; always `false` once all branches are used up.
  fileprivate mutating func takesBranch() -> Bool {
    let left = branchesLeft ?? 0
    guard bool(probability: left > 0 ? 0.5 : 0) else { return false }
    branchesLeft = left - 1
    return true
  }
}

extension Generator {
  /// Returns a generator of arrays; shrinking deletes elements down to the minimum count.
  ///
  /// - Parameters:
  ///   - count: The possible numbers of elements. The default is 0 to 20.
  ///   - length: The distribution of the number of elements. The default is 6 on average.
  ///   - label: The label of each element's choices. The default is `element`.
  /// - Returns: The generator.
  public func array(
    count: ClosedRange<Int> = 0...20,
    length: Repetition.Length = .average(6),
    element label: String = "element"
  ) -> Generator<[Value]> {
    Generator<[Value]> { source in
      try source.span("array") { source in
        try source.array(label, count, length: length) { try draw(&$0) }
      }
    }
  }

  /// Returns a generator of arrays with a fixed number of elements.
  ///
  /// - Parameters:
  ///   - count: The number of elements.
  ///   - label: The label of each element's choices. The default is `element`.
  /// - Returns: The generator.
  public func array(count: Int, element label: String = "element") -> Generator<[Value]> {
    array(count: count...count, element: label)
  }

  /// Returns a generator of values that are `nil` with a probability; shrinks toward `nil`.
  public func optional(nilProbability: Double = 0.25) -> Generator<Value?> {
    Generator<Value?> { source in
      guard source.bool(probability: 1 - nilProbability) else { return nil }
      return try draw(&source)
    }
  }
}

extension Generator where Value: Hashable & SendableMetatype {
  /// Returns a generator of sets; shrinking removes elements down to the minimum count.
  ///
  /// A random case redraws an element that the set already contains, up to 20 times. If there are
  /// too few different values, the case is discarded.
  public func set(count: ClosedRange<Int> = 0...20) -> Generator<Set<Value>> {
    Generator<Set<Value>> { source in
      var set: Set<Value> = []
      _ = try source.span("set") { source in
        try source.array("element", count, length: .average(6)) { source in
          if let value = try draw(&source, unlike: { set.contains($0) }) { set.insert(value) }
        }
      }
      guard set.count >= count.lowerBound else { throw Rejection("too few different elements") }
      return set
    }
  }

  /// Returns a generator of dictionaries whose keys come from this generator.
  ///
  /// Shrinking removes pairs down to the minimum count. Keys are drawn like the elements of a set.
  ///
  /// - Parameters:
  ///   - values: The generator of the values.
  ///   - count: The possible numbers of pairs. The default is 0 to 20.
  /// - Returns: The generator.
  public func dictionary<Other>(
    to values: Generator<Other>,
    count: ClosedRange<Int> = 0...20
  ) -> Generator<[Value: Other]> {
    Generator<[Value: Other]> { source in
      var dictionary: [Value: Other] = [:]
      _ = try source.span("dictionary") { source in
        try source.array("pair", count, length: .average(6)) { source in
          let key = try draw(&source, unlike: { dictionary[$0] != nil })
          let value = try values.draw(&source)
          if let key { dictionary[key] = value }
        }
      }
      guard dictionary.count >= count.lowerBound else { throw Rejection("too few different keys") }
      return dictionary
    }
  }

  /// Draws values until one is not yet in the set or dictionary; returns `nil` after 20 attempts.
  private func draw(_ source: inout ChoiceSource, unlike isKnown: (Value) -> Bool) throws -> Value?
  {
    let (choiceCount, spanCount) = (source.choiceCount, source.spans.count)
    for _ in 0..<(source.isReplaying ? 1 : 20) {
      source.forget(choiceCount: choiceCount, spanCount: spanCount)
      let value = try draw(&source)
      if !isKnown(value) { return value }
    }
    return nil
  }
}

extension Generator {
  /// Returns a generator of pairs of values from this and another generator.
  public func paired<Other>(with other: Generator<Other>) -> Generator<(Value, Other)> {
    Generator<(Value, Other)> { source in
      let value = try draw(&source)
      return (value, try other.draw(&source))
    }
  }
}

extension Generator where Value == Data {
  /// Returns a generator of data; shrinks toward fewer bytes, and toward bytes with the value 0.
  public static func data(count: ClosedRange<Int> = 0...20) -> Generator {
    Generator<[UInt8]>.bytes(count: count).map { Data($0) }
  }
}

extension Generator where Value == Date {
  /// Returns a generator of dates in a range, with whole days, seconds and milliseconds likely.
  ///
  /// Dates shrink toward midnight (UTC) of January 1st, 2001, or of the nearest day in the range.
  /// Days are shrunk first, then seconds, then milliseconds.
  public static func dates(
    in range: ClosedRange<Date> = Date(
      timeIntervalSinceReferenceDate: -3.2e9
    )...Date(timeIntervalSinceReferenceDate: 3.2e9)
  ) -> Generator {
    let day = 86_400.0
    let first = Int64((range.lowerBound.timeIntervalSinceReferenceDate / day).rounded(.down))
    let last = Int64((range.upperBound.timeIntervalSinceReferenceDate / day).rounded(.down))
    return Generator { source in
      let date = source.span("date") { source in
        let days = Double(source.integer(in: first...last, spread: .nearSimplest))
        let seconds = Double(source.integer(in: 0...86_399, spread: .nearSimplest))
        let thousandths = Double(source.integer(in: 0...999, spread: .nearSimplest))
        return Date(timeIntervalSinceReferenceDate: days * day + seconds + thousandths / 1_000)
      }
      return min(max(date, range.lowerBound), range.upperBound)
    }
  }
}
