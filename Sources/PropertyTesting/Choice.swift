/// One recorded decision of a generator: an integer out of a range, with the value it shrinks
/// toward.
///
/// Every generated value is made of choices, and shrinking edits nothing else. What a sequence
/// keeps of a choice is its *offset* from the simplest value: where the range depends on earlier
/// choices, a replayed choice moves along with it, and one that falls outside is clamped.
public struct Choice: Hashable, Sendable {
  /// What the value of a choice means, which is what shrinking goes by.
  public enum Kind: Hashable, Sendable {
    /// A quantity: neighbours are alike, sums and differences make sense.
    case number
    /// One of several alternatives, in order of simplicity; what is between two of them means
    /// nothing.
    case name
    /// Whether a repetition goes on: shrinking deletes elements instead of lowering it.
    case continuation
  }

  /// The least value that was possible.
  public let lowest: Int64
  /// The greatest value that was possible.
  public let highest: Int64
  /// The value that this choice shrinks toward.
  public let simplest: Int64
  /// The value that was taken.
  public let value: Int64
  /// What the value means.
  public let kind: Kind

  /// Makes a choice; a simplest value or a value outside the range is clamped to it.
  public init(
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

  /// Makes a choice of a range whose simplest value and value are known to lie in it.
  init(unchecked value: Int64, _ lowest: Int64, _ highest: Int64, _ simplest: Int64, _ kind: Kind) {
    self.lowest = lowest
    self.highest = highest
    self.simplest = simplest
    self.value = value
    self.kind = kind
  }

  /// Whether this decided if a repetition goes on.
  public var isContinuation: Bool { kind == .continuation }

  /// How far the value is from the simplest one, signed; wraps only in ranges wider than 2^63.
  public var offset: Int64 { value &- simplest }

  /// Whether the value is the simplest one.
  public var isSimplest: Bool { value == simplest }

  /// The number of values of the range that are simpler than this one.
  ///
  /// Nearer to the simplest value is simpler, and above it is simpler than below it: with 0 as the
  /// simplest value the order is 0, 1, -1, 2, -2, ...
  public var rank: UInt64 {
    let distance = self.distance
    guard distance > 0 else { return 0 }
    return value > simplest
      ? distance + min(distance - 1, spaceBelow) : distance + min(distance, spaceAbove)
  }

  /// How far the value is from the simplest one, without sign.
  var distance: UInt64 {
    UInt64(bitPattern: value > simplest ? value &- simplest : simplest &- value)
  }

  /// How many values lie below the simplest one.
  var spaceBelow: UInt64 { UInt64(bitPattern: simplest &- lowest) }

  /// How many values lie above the simplest one.
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

  /// Returns the same choice with the value that has this many simpler ones; nil if there is none.
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

  /// The choice as far above the simplest value as it is below; nil if it is not below, or leaves
  /// the range.
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

  /// Returns the same choice moved by an amount; nil if that leaves the range.
  func moved(by amount: Int64) -> Choice? {
    let (moved, overflow) = value.addingReportingOverflow(amount)
    guard !overflow, moved >= lowest, moved <= highest else { return nil }
    return with(value: moved)
  }

  /// Returns the same choice moved by an amount, entering at one end of the range what leaves it at
  /// the other.
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
