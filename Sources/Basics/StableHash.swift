extension Sequence<UInt8> {
  /// The FNV-1a hash of the bytes, which is the same on every machine and in every run.
  ///
  /// It is not cryptographic: other bytes with the same hash are easy to find
  /// (http://www.isthe.com/chongo/tech/comp/fnv/).
  package var stableHash: UInt64 {
    reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
