/// A set of members by their position in the timeline, one bit each.
package struct MemberSet: OptionSet, Hashable, Sendable {
  /// The most members that one trace can have.
  package static let capacity = UInt64.bitWidth
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The set of one member.
  package init(member: Int) { rawValue = 1 << UInt64(member) }

  /// The member with the least position, or `nil` in an empty set.
  package var first: Int? { isEmpty ? nil : rawValue.trailingZeroBitCount }
}
