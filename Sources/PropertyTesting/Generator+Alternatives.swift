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
  /// The size is the total number of branches of one value: once they are used up, only leaves are
  /// drawn. A recursive generator inside another one shares the size of the outer one.
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
  /// Runs a body with a number of branches, or with the remaining ones of an enclosing call.
  fileprivate mutating func withBranches<Value>(
    _ count: Int,
    _ body: (inout ChoiceSource) throws -> Value
  ) rethrows -> Value {
    guard branchesLeft == nil else { return try body(&self) }
    branchesLeft = count
    defer { branchesLeft = nil }
    return try body(&self)
  }

  /// Draws whether to use one more branch; always `false` once they are used up.
  fileprivate mutating func takesBranch() -> Bool {
    let left = branchesLeft ?? 0
    guard bool(probability: left > 0 ? 0.5 : 0) else { return false }
    branchesLeft = left - 1
    return true
  }
}
