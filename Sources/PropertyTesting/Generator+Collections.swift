extension Generator {
  /// Makes arrays; shrinking deletes elements down to the least count.
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

  /// Makes arrays of a number of elements that was drawn before.
  public func array(count: Int, element label: String = "element") -> Generator<[Value]> {
    array(count: count...count, element: label)
  }

  /// Makes values or, as often as given, nil; shrinks toward nil.
  public func optional(nilProbability: Double = 0.25) -> Generator<Value?> {
    Generator<Value?> { source in
      guard source.bool(probability: 1 - nilProbability) else { return nil }
      return try draw(&source)
    }
  }
}

extension Generator where Value: Hashable & SendableMetatype {
  /// Makes sets; equal draws fall together, so a set may have fewer elements than the least count.
  public func set(count: ClosedRange<Int> = 0...20) -> Generator<Set<Value>> {
    array(count: count).map { Set($0) }
  }

  /// Makes dictionaries with these keys; of equal keys the last value stays.
  public func dictionary<Other>(
    to values: Generator<Other>,
    count: ClosedRange<Int> = 0...20
  ) -> Generator<[Value: Other]> {
    Generator<(Value, Other)> { source in
      let key = try draw(&source)
      return (key, try values.draw(&source))
    }.array(count: count).map { pairs in Dictionary(pairs) { $1 } }
  }
}
