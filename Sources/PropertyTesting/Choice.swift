/// A recorded decision of a generator: an integer in a range, and the value it shrinks toward.
///
/// Every generated value is derived from choices, and shrinking edits only choices. A sequence
/// stores the *offset* of a choice from its simplest value: if the range depends on earlier
/// choices, a replayed choice moves along with the range, and is clamped if it is outside the
/// range.
package struct Choice: Hashable, Sendable {
  /// The kind of decision that a choice records, which determines how its value shrinks.
  package enum Kind: Hashable, Sendable {
    /// A quantity: similar values have similar effects, and sums and differences are meaningful.
    case number
    /// The number of one of several alternatives; a lower number stands for a simpler alternative.
    ///
    /// Sums and differences of these numbers have no meaning.
    case name
    /// The decision to continue a repetition.
    ///
    /// Shrinking does not lower the decision, but deletes elements of the repetition.
    case continuation
  }

  /// The least possible value.
  package let lowest: Int64
  /// The greatest possible value.
  package let highest: Int64
  /// The value that this choice shrinks toward.
  package let simplest: Int64
  /// The chosen value.
  package let value: Int64
  /// The kind of decision, which determines how the value shrinks.
  package let kind: Kind

  /// Creates a choice; `value` and `simplest` (0 by default) are clamped to the range.
  package init(
    _ value: Int64,
    in range: ClosedRange<Int64>,
    simplest: Int64? = nil,
    kind: Kind = .number
  ) {
    lowest = range.lowerBound
    highest = range.upperBound
    self.simplest = min(max(simplest ?? 0, lowest), highest)
    self.value = min(max(value, lowest), highest)
    self.kind = kind
  }

  /// Creates a choice without clamping; the simplest value and the value must be in the range.
  init(unchecked value: Int64, _ lowest: Int64, _ highest: Int64, _ simplest: Int64, _ kind: Kind) {
    self.lowest = lowest
    self.highest = highest
    self.simplest = simplest
    self.value = value
    self.kind = kind
  }

  /// A Boolean value that indicates whether the choice decided to continue a repetition.
  package var isContinuation: Bool { kind == .continuation }

  /// The signed distance from the simplest value; overflow wraps around in ranges wider than 2^63.
  package var offset: Int64 { value &- simplest }

  /// A Boolean value that indicates whether the value is the simplest one.
  package var isSimplest: Bool { value == simplest }

  /// The number of values in the range that are simpler than this one.
  ///
  /// A value nearer to the simplest value is simpler; of two values at equal distance, the greater
  /// one is simpler. With 0 as the simplest value the order is 0, 1, -1, 2, -2, ...
  package var rank: UInt64 {
    let distance = self.distance
    guard distance > 0 else { return 0 }
    return value > simplest
      ? distance + min(distance - 1, spaceBelow) : distance + min(distance, spaceAbove)
  }

  /// The unsigned distance from the simplest value.
  var distance: UInt64 {
    UInt64(bitPattern: value > simplest ? value &- simplest : simplest &- value)
  }

  /// The number of values below the simplest one.
  var spaceBelow: UInt64 { UInt64(bitPattern: simplest &- lowest) }

  /// The number of values above the simplest one.
  var spaceAbove: UInt64 { UInt64(bitPattern: highest &- simplest) }

  /// Returns the same choice with another value, which must lie in the range.
  func with(value: Int64) -> Choice {
    Choice(unchecked: value, lowest, highest, simplest, kind)
  }

  /// Returns the same choice with the simplest value.
  var simplified: Choice { with(value: simplest) }

  /// Returns the same choice at another distance from the simplest value, on the same side of it.
  func with(distance: UInt64) -> Choice {
    let step = Int64(bitPattern: distance)
    return with(value: value > simplest ? simplest &+ step : simplest &- step)
  }

  /// Returns the same choice with the value of a given ``rank``; `nil` if the range has no such value.
  func with(rank: UInt64) -> Choice? {
    let both = min(spaceBelow, spaceAbove)
    if rank == 0 { return simplified }
    if rank <= both &* 2 {
      let step = Int64(bitPattern: (rank + 1) / 2)
      return with(value: rank % 2 == 1 ? simplest &+ step : simplest &- step)
    }
    let distance = rank - both
    guard distance <= max(spaceBelow, spaceAbove) else { return nil }
    let step = Int64(bitPattern: distance)
    return with(value: spaceAbove > spaceBelow ? simplest &+ step : simplest &- step)
  }

  /// The choice with its value reflected from below the simplest value to the same distance above it.
  ///
  /// For example, -3 becomes 3 if the simplest value is 0. `nil` if the value is not below the
  /// simplest value, or if the reflected value is outside the range.
  var mirrored: Choice? {
    guard value < simplest, distance <= spaceAbove else { return nil }
    return with(value: simplest &+ Int64(bitPattern: distance))
  }

  /// Returns the value at an offset from the simplest one, clamped to the range.
  func value(atOffset offset: Int64) -> Int64 {
    let value = simplest &+ offset
    if value >= lowest, value <= highest { return value }
    return offset > 0 ? highest : lowest
  }

  /// Returns the choice moved by an amount, or `nil` if that leaves the range.
  func moved(by amount: Int64) -> Choice? {
    let (moved, overflow) = value.addingReportingOverflow(amount)
    guard !overflow, moved >= lowest, moved <= highest else { return nil }
    return with(value: moved)
  }

  /// Returns the choice moved by an amount, wrapping around at the ends of the range.
  ///
  /// In a range with fewer than 2^62 values, the choice wraps around if the magnitude of the amount
  /// is less than the number of values. In the range of all integers, it always wraps around. In all
  /// other cases, the result is `nil` if the choice would leave the range.
  func movedRound(by amount: Int64) -> Choice? {
    let width = UInt64(bitPattern: highest &- lowest)
    let place = UInt64(bitPattern: value &- lowest) &+ UInt64(bitPattern: amount)
    if width == .max { return with(value: lowest &+ Int64(bitPattern: place)) }
    let size = width + 1
    guard UInt64(amount.magnitude) < size, size < 1 << 62 else { return moved(by: amount) }
    let turned = (UInt64(bitPattern: value &- lowest) &+ size &+ UInt64(bitPattern: amount)) % size
    return with(value: lowest &+ Int64(turned))
  }
}
