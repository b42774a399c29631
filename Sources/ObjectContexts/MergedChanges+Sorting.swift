extension [MergedChange] {
  private static let digitBits: UInt64 = 11
  /// The number of elements below which a comparison sort is faster than a radix sort.
  private static let countedMin = 128

  /// Sorts by key with a radix sort, starting at the least significant digit.
  ///
  /// The keys of one merge usually differ in few digits (Knuth, The Art of Computer Programming,
  /// volume 3, 5.2.5).
  mutating func sortByKey() {
    guard count >= Self.countedMin, let first else { return sort { $0.key < $1.key } }
    var least = first.key
    var greatest = first.key
    for change in self {
      least = Swift.min(least, change.key)
      greatest = Swift.max(greatest, change.key)
    }
    let span = UInt64(bitPattern: greatest &- least)
    var other = self
    var shift: UInt64 = 0
    while shift < UInt64.bitWidth, span >> shift > 0 {
      self.distribute(into: &other, by: shift, from: least)
      swap(&self, &other)
      shift += Self.digitBits
    }
  }

  /// Sorts the elements by one digit, stably (a counting sort).
  ///
  /// The digit consists of the ``digitBits`` bits of `key - least` from bit `shift` on.
  private func distribute(into sorted: inout Self, by shift: UInt64, from least: Int64) {
    let mask = 1 << Self.digitBits - 1 as UInt64
    func digit(_ change: MergedChange) -> Int {
      Int(truncatingIfNeeded: (UInt64(bitPattern: change.key &- least) &>> shift) & mask)
    }
    withUnsafeTemporaryAllocation(of: Int.self, capacity: Int(mask) + 1) { places in
      places.initialize(repeating: 0)
      for change in self { places[digit(change)] += 1 }
      var sum = 0
      for place in places.indices { (places[place], sum) = (sum, sum + places[place]) }
      for change in self {
        let digit = digit(change)
        sorted[places[digit]] = change
        places[digit] += 1
      }
    }
  }
}
