extension Generator where Value: Sendable {
  /// Makes one value, always, without a choice.
  public static func always(_ value: Value) -> Generator { Generator { _ in value } }

  /// Makes elements of a collection, which must not be empty; shrinks toward the first.
  public static func element(of values: [Value]) -> Generator {
    Generator { source in values[source.index(below: values.count)] }
  }
}

extension Generator {
  /// Makes values of one of the generators, each as likely as any other; shrinks toward the first.
  public static func oneOf(_ generators: [Generator]) -> Generator {
    frequency(generators.map { (1, $0) })
  }

  /// Makes values of one of the generators in proportion to the weights; shrinks toward the first.
  public static func frequency(_ generators: [(weight: Int, generator: Generator)]) -> Generator {
    let weights = generators.map { $0.weight }
    let choices = generators.map { $0.generator }
    return Generator { source in
      try source.span("alternative") { source in
        try choices[source.weighted(weights)].draw(&source)
      }
    }
  }

  /// Makes values that may contain further values of their kind, to a depth and of a size; shrinks
  /// toward the leaves.
  ///
  /// The size is the number of branches of one value, all its parts together: once they are used up,
  /// only leaves are drawn. Where one recursive generator is drawn inside another, both draw on the
  /// outer one's.
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
  /// Runs a body that may take some branches, or as many as are left where one is running already.
  fileprivate mutating func withBranches<Value>(
    _ count: Int,
    _ body: (inout ChoiceSource) throws -> Value
  ) rethrows -> Value {
    guard branchesLeft == nil else { return try body(&self) }
    branchesLeft = count
    defer { branchesLeft = nil }
    return try body(&self)
  }

  /// Draws whether to take one more branch; never once they are used up.
  fileprivate mutating func takesBranch() -> Bool {
    let left = branchesLeft ?? 0
    guard bool(probability: left > 0 ? 0.5 : 0) else { return false }
    branchesLeft = left - 1
    return true
  }
}
