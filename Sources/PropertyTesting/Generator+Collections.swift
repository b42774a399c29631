extension Generator {
  /// Returns a generator of arrays; shrinking deletes elements down to the minimum count.
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

  /// Returns a generator of dictionaries with these values as keys.
  ///
  /// Shrinking removes pairs down to the minimum count. Keys are drawn like the elements of a set.
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

  /// Draws values until one is new; returns `nil` if none is.
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
