internal import HistoryTypes

/// The rules by which two states count as equivalent, because they have the same possible futures.
package struct StateEquivalence: Sendable {
  /// The permutations of actors with equal configurations; each lists every member's new position.
  fileprivate let exchanges: [[Int]]
  /// Whether transaction numbers are compared by their distance from the newest, not by their rank.
  fileprivate let keepsDistances: Bool
  /// Whether times that are more than a week old are all treated as equally old.
  fileprivate let clipsAges: Bool

  /// Creates the equivalence for a plan's header.
  ///
  /// With retention limits, transaction numbers are compared by their distance from the newest one.
  /// If `clipsAges` is `true`, all times that are more than a week old count as equally old.
  ///
  /// If `exchangesActors` is `true`, two states are also equivalent if one becomes the other when
  /// actors with equal configurations exchange their states. The names of the actors and authors
  /// may differ, and so may the setting `launched`, because the state itself contains which actors
  /// run. An actor that shares its author with another takes no part in exchanges: actors that share
  /// an author may be at the same position in history, and then the order of their passes after the
  /// plan's last command matters.
  package init(_ header: PlanHeader, clipsAges: Bool, exchangesActors: Bool = true) {
    self.clipsAges = clipsAges
    keepsDistances = header.retention != nil
    let counts = header.authorCounts
    let kinds = header.actors.map { actor in
      var kind = actor
      let isShared = actor.author.map { counts[$0] != 1 } ?? false
      kind.id = isShared ? actor.id : header.actors[0].id
      kind.launched = true
      kind.author = actor.author.map { isShared ? $0 : "" }
      return kind
    }
    let consumers = Array(kinds.indices.upperBound..<kinds.count + header.consumers.count)
    let orders = exchangesActors ? Self.exchanges(of: kinds) : [Array(kinds.indices)]
    exchanges = orders.map { $0 + consumers }
  }

  /// Returns the permutations that map each actor to one with an equal configuration.
  private static func exchanges(of kinds: [PlannedActor]) -> [[Int]] {
    var orders: [[Int]] = [[]]
    for kind in kinds {
      orders = orders.flatMap { order in
        kinds.indices.filter { !order.contains($0) && kinds[$0] == kind }.map { order + [$0] }
      }
    }
    return orders
  }
}

extension StateSketch {
  /// Returns a hash that is equal for equivalent states.
  ///
  /// - Complexity: O(n log n) for the sketch's n 64-bit words, plus O(n) per permutation of actors.
  package func equivalence(_ equivalence: StateEquivalence) -> UInt64 {
    let ranks = Ranks(self, equivalence)
    var plain = PlainWords(
      sectionCount: sections.count,
      count: sections.reduce(0) { $0 + $1.count }
    )
    for section in sections {
      for word in section { plain.words.append(Word(kind: word.kind, bits: ranks.rank(of: word))) }
      plain.ends.append(plain.words.count)
    }
    var least = UInt64.max
    for exchange in equivalence.exchanges {
      least = min(least, Self.hash(plain, Self.extended(exchange, to: members.count)))
    }
    return least
  }

  /// The 64-bit words of a sketch, with ranks in place of numbers, times, keys and values.
  ///
  /// Equivalent states may differ in the replaced words, but not in the ranks. A sketch has a common
  /// section of words, which belongs to no member, and then one section for each member.
  private struct PlainWords {
    var words: [Word] = []
    /// The end index in ``words`` of each section of the sketch.
    var ends: [Int] = []

    init(sectionCount: Int, count: Int) {
      words.reserveCapacity(count)
      ends.reserveCapacity(sectionCount)
    }

    subscript(section: Int) -> ArraySlice<Word> {
      words[(section == 0 ? 0 : ends[section - 1])..<ends[section]]
    }
  }

  /// Returns a permutation extended to `count` members; the added members keep their positions.
  private static func extended(_ exchange: [Int], to count: Int) -> [Int] {
    exchange.count < count ? exchange + Array(exchange.count..<count) : exchange
  }

  private static func hash(_ sections: PlainWords, _ places: [Int]) -> UInt64 {
    var hash = StateHash()
    add(sections[0], places, to: &hash)
    for place in places.indices {
      hash.add(UInt64(place))
      guard let member = places.firstIndex(of: place) else { continue }
      add(sections[member + 1], places, to: &hash)
    }
    return hash.value
  }

  private static func add(_ words: ArraySlice<Word>, _ places: [Int], to hash: inout StateHash) {
    for word in words {
      switch word.kind {
      case .member: hash.add(UInt64(places[Int(word.bits)]), of: .member)
      case .members: hash.add(exchanged(word.bits, places), of: .members)
      default: hash.add(word.bits, of: word.kind)
      }
    }
  }

  private static func exchanged(_ bits: UInt64, _ places: [Int]) -> UInt64 {
    var exchanged: UInt64 = 0
    for (member, place) in places.enumerated() where bits >> UInt64(member) & 1 == 1 {
      exchanged |= 1 << UInt64(place)
    }
    return exchanged
  }
}

/// The replacements for a sketch's numbers, times, keys and values in the hash of its state.
///
/// Most of them are ranks: positions in the sorted order of the data of one kind. Equivalent states
/// may have different data, but their data have equal replacements.
private struct Ranks {
  private var numbers: [Int64] = []
  private var times: [Double] = []
  private var keys: [Int64] = []
  /// The rank of each attribute value.
  ///
  /// Values in the sketch's common section, which belongs to no member, come first, in the order of
  /// their appearance. The other values in the members' sections follow, in ascending order.
  private var values: [Int64: UInt64] = [:]
  private let now: Double
  private let equivalence: StateEquivalence

  init(_ sketch: StateSketch, _ equivalence: StateEquivalence) {
    now = sketch.now
    self.equivalence = equivalence
    var others: [Int64] = []
    for (index, section) in sketch.sections.enumerated() {
      for word in section {
        let number = Int64(bitPattern: word.bits)
        switch word.kind {
        case .number: numbers.append(number)
        case .time: times.append(Double(bitPattern: word.bits))
        case .key: keys.append(number)
        case .value where index == 0:
          if values[number] == nil { values[number] = UInt64(values.count) }
        case .value: others.append(number)
        case .plain, .member, .members: break
        }
      }
    }
    // Values outside the common section are ranked by magnitude, because permutations of actors do
    // not change this order.
    Self.order(&others)
    for number in others where values[number] == nil { values[number] = UInt64(values.count) }
    Self.order(&numbers)
    Self.order(&times)
    Self.order(&keys)
  }

  /// Sorts the elements and removes duplicates.
  private static func order<Element: Comparable>(_ all: inout [Element]) {
    all.sort()
    var kept = 0
    for index in all.indices where index == 0 || all[index] != all[kept - 1] {
      all[kept] = all[index]
      kept += 1
    }
    all.removeLast(all.count - kept)
  }

  func rank(of word: StateSketch.Word) -> UInt64 {
    let number = Int64(bitPattern: word.bits)
    switch word.kind {
    case .number where equivalence.keepsDistances:
      return UInt64(bitPattern: (numbers.last ?? 0) - number)
    case .number: return Self.rank(number, numbers)
    case .key: return Self.rank(number, keys)
    case .value: return values[number] ?? 0
    case .time:
      let time = Double(bitPattern: word.bits)
      return Self.rank(time, times) << 32 | UInt64(UInt32(bitPattern: age(of: time)))
    case .plain, .member, .members: return word.bits
    }
  }

  private static func rank<Element: Comparable>(_ one: Element, _ all: [Element]) -> UInt64 {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle] < one { low = middle + 1 } else { high = middle }
    }
    return UInt64(low)
  }

  /// Returns the age of a time, rounded to hours so that the seconds in which a plan runs do not matter.
  private func age(of time: Double) -> Int32 {
    let hours = ((now - time) / 3_600).rounded()
    let most = equivalence.clipsAges ? Self.weekHours : Double(Int32.max)
    return Int32(min(max(hours, Double(Int32.min)), most))
  }

  private static let weekHours = 7.0 * 24
}
