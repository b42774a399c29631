/// A loop whose length is drawn element by element, so that shrinking can remove any element.
///
///     var steps = Repetition("step", 0...50)
///     while steps.next(&source) {
///       let command = source.index(below: 3)
///       ...
///     }
///
/// The choices of each iteration form one span. If the loop is left early, call `stop(_:)`, which
/// closes the open span; when `next` returns `false`, it has closed the span already.
public struct Repetition {
  /// The distribution of the number of elements in random cases.
  public enum Length: Hashable, Sendable {
    /// All numbers are equally likely.
    case uniform
    /// Smaller numbers are more likely; the parameter is the average.
    case average(Double)
    /// The maximum number, with a probability of 3/4; otherwise, all numbers are equally likely.
    case mostlyLongest
  }

  /// The number of elements started so far.
  public private(set) var count = 0
  private let label: String
  private let counts: ClosedRange<Int>
  private let length: Length
  private var target = -1
  private var isOpen = false

  /// Creates a loop whose number of elements is drawn from a range.
  ///
  /// If the range has only one number, exactly that many elements are drawn, without continuation
  /// choices.
  ///
  /// - Parameters:
  ///   - label: The label of each element's choices.
  ///   - counts: The possible numbers of elements, from 0.
  ///   - length: The distribution of the number of elements. The default is ``Length/uniform``.
  public init(_ label: String, _ counts: ClosedRange<Int>, length: Length = .uniform) {
    guard counts.lowerBound >= 0 else {
      fatalError("Repetition: the range \(counts) of counts has negative numbers")
    }
    self.label = label
    self.counts = counts
    self.length = length
  }

  /// Finishes the current element, and returns whether there is another one.
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

  /// Finishes the current element, if any; call this after leaving the loop early.
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

  /// Draws the number of elements of a random case.
  ///
  /// The number itself is not a choice: after each element, a choice decides whether there is
  /// another element.
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
  /// Runs a body for each element of a repetition, and returns the results.
  ///
  /// - Parameters:
  ///   - label: The label of each element's choices.
  ///   - counts: The possible numbers of elements, from 0.
  ///   - length: The distribution of the number of elements. The default is
  ///     ``Repetition/Length/uniform``.
  ///   - element: The body, which draws one element.
  /// - Returns: The results, in order.
  /// - Throws: The errors of the body.
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
