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

  /// Makes values that may contain further values of their kind, to a depth; shrinks toward the
  /// leaves.
  public static func recursive(
    depth: Int = 5,
    leaf: Generator,
    branch: @escaping @Sendable (_ child: Generator) -> Generator
  ) -> Generator {
    guard depth > 0 else { return leaf.labelled("node") }
    return Generator { source in
      let child = recursive(depth: depth - 1, leaf: leaf, branch: branch)
      return try source.span("node") { source in
        guard source.bool() else { return try leaf.draw(&source) }
        return try branch(child).draw(&source)
      }
    }
  }
}
