import PropertyTesting

/// An expression of the calculator challenge.
indirect enum Expression: Sendable, CustomStringConvertible {
  case number(Int)
  case sum(Expression, Expression)
  case quotient(Expression, Expression)

  var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .sum(let left, let right): "('+', \(left), \(right))"
    case .quotient(let left, let right): "('/', \(left), \(right))"
    }
  }

  /// Whether no divisor is written as the number zero.
  var isSuitable: Bool {
    switch self {
    case .number: true
    case .sum(let left, let right): left.isSuitable && right.isSuitable
    case .quotient(_, .number(0)): false
    case .quotient(let left, let right): left.isSuitable && right.isSuitable
    }
  }

  /// The value; nil where something is divided by zero.
  var value: Int? {
    switch self {
    case .number(let number): return number
    case .sum(let left, let right):
      guard let left = left.value, let right = right.value else { return nil }
      return left &+ right
    case .quotient(let left, let right):
      guard let left = left.value, let right = right.value, right != 0 else { return nil }
      return left.dividedReportingOverflow(by: right).partialValue
    }
  }

  static func draw(_ source: inout ChoiceSource, depth: Int = 0) throws -> Expression {
    try source.span("expression") { source in
      let deeper = depth < 6 ? 1 : 0
      switch source.weighted([1, deeper, deeper]) {
      case 0: return .number(try Generator<Int>.ints().draw(&source))
      case 1:
        return .sum(try draw(&source, depth: depth + 1), try draw(&source, depth: depth + 1))
      default:
        return .quotient(try draw(&source, depth: depth + 1), try draw(&source, depth: depth + 1))
      }
    }
  }
}

/// A heap of the binheap challenge.
indirect enum Heap: Sendable, CustomStringConvertible {
  case empty
  case node(Int, Heap, Heap)

  var description: String {
    switch self {
    case .empty: "None"
    case .node(let least, let left, let right): "(\(least), \(left), \(right))"
    }
  }

  /// The numbers, from the root on, the right branch first.
  var numbers: [Int] {
    guard case .node(let least, let left, let right) = self else { return [] }
    return [least] + right.numbers + left.numbers
  }

  /// The numbers after the smallest was removed by a merge with a bug: it does not sort.
  var drained: [Int] {
    guard case .node(let least, let left, let right) = self else { return [] }
    return [least] + Self.merged(left, right).numbers
  }

  private static func merged(_ left: Heap, _ right: Heap) -> Heap {
    guard case .node(let first, let a, let b) = left else { return right }
    guard case .node(let second, let c, let d) = right else { return left }
    return first <= second
      ? .node(first, merged(b, right), a) : .node(second, merged(d, left), c)
  }

  static func draw(_ source: inout ChoiceSource, from lowest: Int = 0, size: Int? = nil) -> Heap {
    let size = size ?? source.int(in: 0...20)
    guard size > 0 else { return .empty }
    return source.span("heap") { source in
      guard source.bool() else { return .empty }
      let bounds = Int64(lowest)...Int64(Int32.max)
      let least = Int(source.integer(in: bounds, simplest: Int64(lowest)))
      return .node(
        least,
        draw(&source, from: least, size: size / 2),
        draw(&source, from: least, size: size / 2)
      )
    }
  }
}

extension Challenge {
  package static let calculator = Challenge(
    "calculator",
    "('/', 0, ('+', 0, 0))",
    within: 100,
    Generator { try Expression.draw(&$0) }
  ) { $0.isSuitable ? $0.value != nil : nil }

  package static let binheap = Challenge(
    "binheap",
    "(0, None, (0, (0, None, None), (1, None, None)))",
    within: 120,
    share: 0.95,
    Generator { Heap.draw(&$0) }
  ) { heap in
    let drained = heap.drained
    return drained == drained.sorted() && heap.numbers.sorted() == drained
  }
}
