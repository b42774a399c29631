/// A loop whose length is drawn element by element, so that shrinking can take out any element.
///
///     var steps = Repetition("step", 0...50)
///     while steps.next(&source) {
///       let command = source.index(below: 3)
///       ...
///     }
///
/// The choices of each round form one span. The loop may be left early; the span that is then open
/// must be closed by `stop(_:)`, which `next` does by itself when it returns false.
public struct Repetition {
  /// How the number of elements of a random case is spread.
  public enum Length: Hashable, Sendable {
    /// Every number is as likely as any other.
    case uniform
    /// Small numbers are likelier, around an average.
    case average(Double)
    /// The greatest number in three of four cases, any number in the others.
    case mostlyLongest
  }

  /// The number of elements begun so far.
  public private(set) var count = 0
  private let label: String
  private let counts: ClosedRange<Int>
  private let length: Length
  private var target = -1
  private var isOpen = false

  /// Makes a loop of elements with a label, as many as the range allows; one number means exactly
  /// so many.
  public init(_ label: String, _ counts: ClosedRange<Int>, length: Length = .uniform) {
    guard counts.lowerBound >= 0 else { fatalError("Repetition: \(counts) has negative numbers") }
    self.label = label
    self.counts = counts
    self.length = length
  }

  /// Ends the element before and tells whether there is another one.
  public mutating func next(_ source: inout ChoiceSource) -> Bool {
    stop(&source)
    if counts.lowerBound == counts.upperBound { return nextCounted(&source) }
    if count == counts.upperBound {
      _ = source.take(0, 0, simplest: 0, kind: .continuation) { _ in 0 }
      return false
    }
    if target < 0 { target = drawTarget(&source) }
    let (isForced, goal) = (count < counts.lowerBound, target)
    let lowest: Int64 = isForced ? 1 : 0
    source.openSpan(label, .element)
    let goesOn = source.take(lowest, 1, simplest: lowest, kind: .continuation) { [count] _ in
      count < goal ? 1 : 0
    }
    guard goesOn == 1 else {
      source.cancelSpan()
      return false
    }
    return begin()
  }

  /// Ends the element that is open, if there is one; for loops that are left early.
  public mutating func stop(_ source: inout ChoiceSource) {
    if isOpen { source.closeSpan() }
    isOpen = false
  }

  private mutating func nextCounted(_ source: inout ChoiceSource) -> Bool {
    guard count < counts.upperBound else { return false }
    source.openSpan(label, .countedElement)
    return begin()
  }

  private mutating func begin() -> Bool {
    count += 1
    isOpen = true
    return true
  }

  /// Draws how many elements a random case gets.
  ///
  /// It is no choice: the continuations record it.
  private func drawTarget(_ source: inout ChoiceSource) -> Int {
    guard !source.isReplaying else { return counts.upperBound }
    let width = UInt64(counts.upperBound - counts.lowerBound)
    switch length {
    case .uniform:
      return counts.lowerBound + Int(source.random.next(through: width))
    case .mostlyLongest:
      guard source.random.next() & 3 == 0 else { return counts.upperBound }
      return counts.lowerBound + Int(source.random.next(through: width))
    case .average(let average):
      var extra = 0
      let odds = max(average - Double(counts.lowerBound), 0.01)
      while extra < Int(width), source.random.nextFraction() < odds / (1 + odds) { extra += 1 }
      return counts.lowerBound + extra
    }
  }
}

extension ChoiceSource {
  /// Runs a body once for each element of a repetition and returns what it made.
  public mutating func array<Element>(
    _ label: String,
    _ counts: ClosedRange<Int>,
    length: Repetition.Length = .uniform,
    _ element: (inout ChoiceSource) throws -> Element
  ) rethrows -> [Element] {
    var elements: [Element] = []
    var repetition = Repetition(label, counts, length: length)
    while repetition.next(&self) {
      do {
        elements.append(try element(&self))
      } catch {
        repetition.stop(&self)
        throw error
      }
    }
    return elements
  }
}
