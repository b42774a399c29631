import HistoryStore
import HistoryTypes
import ObjectContexts

/// The expected members of each object of an ordered relationship, as plain arrays.
///
/// The members of an object, their owner, are the objects that refer to it.
struct OrderedMembers {
  /// The name of the ordered reference.
  let reference: String
  /// The name of the attribute with a member's position, which orders the members of an owner.
  let position: String
  /// The name of the entity that is referred to.
  let owner: String
  var members: [ObjectID: [ObjectID]] = [:]

  init(reference: String, position: String, owner: String) {
    self.reference = reference
    self.position = position
    self.owner = owner
  }

  var owners: [ObjectID] { members.keys.sorted { $0.key < $1.key } }

  func owner(of member: ObjectID?) -> ObjectID? {
    members.first { $0.value.contains { $0 == member } }?.key
  }

  mutating func remove(_ member: ObjectID) {
    for owner in owners { members[owner]?.removeAll { $0 == member } }
  }

  /// Adds a member to an owner at an index, or at the end if `index` is `nil`.
  ///
  /// The member is first removed from its present owner.
  mutating func add(_ member: ObjectID, to owner: ObjectID, at index: Int?) {
    remove(member)
    members[owner, default: []].insert(member, at: index ?? members[owner]?.count ?? 0)
  }

  /// Sorts an owner's members by their values of the attribute ``position``, as read in a context.
  mutating func sort(_ owner: ObjectID, in context: ObjectContext) throws(HistoryError) {
    let positions = try positions(members[owner] ?? [], in: context)
    members[owner] = members[owner]?.enumerated().sorted { left, right in
      // Objects without a position come first.
      switch (positions[left.offset], positions[right.offset]) {
      case (let before?, let after?) where before != after: before < after
      case (nil, .some): true
      case (.some, nil): false
      default: left.element.key < right.element.key
      }
    }.map(\.element)
  }

  /// Returns whether an insert or a move at any index certainly changes one object only.
  ///
  /// This is so if each member has a position below 1024 in magnitude, which exceeds the position
  /// of the member before it by more than 1e-6.
  func isRoomy(_ members: [ObjectID], in context: ObjectContext) throws(HistoryError) -> Bool {
    let positions = try positions(members, in: context)
    let known = positions.compactMap(\.self)
    return known.count == positions.count && known.allSatisfy { $0.magnitude < 1024 }
      && zip(known, known.dropFirst()).allSatisfy { $1 - $0 > 1e-6 }
  }

  private func positions(
    _ members: [ObjectID],
    in context: ObjectContext
  ) throws(HistoryError) -> [Double?] {
    try members.map { id throws(HistoryError) in try context.object(id)?[position]?.double }
  }

  /// Returns the least number of objects that must change since `old`.
  ///
  /// An object with another owner than before must change. Of an owner's other members, those
  /// outside the longest subsequence with the same order in both states must change too.
  func changeCount(since old: OrderedMembers) -> Int {
    if members == old.members { return 0 }
    let (before, now) = (old.ownerByMember, ownerByMember)
    var count = Set(now.keys).union(before.keys).count { before[$0] != now[$0] }
    for (owner, members) in members {
      let places = members.compactMap { old.members[owner]?.firstIndex(of: $0) }
      count += places.count - places.longestAscendingCount
    }
    return count
  }

  private var ownerByMember: [ObjectID: ObjectID] {
    var owners: [ObjectID: ObjectID] = [:]
    for (owner, list) in members {
      for member in list { owners[member] = owner }
    }
    return owners
  }
}

extension ScriptRandom {
  /// Returns the elements of a list in random order.
  func shuffled<Element>(_ list: [Element]) -> [Element] {
    var (rest, found) = (list, [Element]())
    while !rest.isEmpty { found.append(rest.remove(at: draw(rest.count))) }
    return found
  }
}

extension [Int] {
  /// The length of the longest strictly increasing subsequence.
  var longestAscendingCount: Int {
    var counts: [Int] = []
    for (index, value) in enumerated() {
      counts.append(
        1 + (indices.prefix(index).filter { self[$0] < value }.map { counts[$0] }.max() ?? 0)
      )
    }
    return counts.max() ?? 0
  }
}

/// Positions that leave no or few `Double` values for an insert, at least at one index.
enum TightPositions: CaseIterable {
  case adjacent
  case equal
  case missing
  case greatest
  case infinite
  case least

  var positions: [Double?] {
    switch self {
    case .adjacent: [1, 1.0.nextUp, 1.0.nextUp.nextUp, 1.0.nextUp.nextUp.nextUp]
    case .equal: [3, 3, 3, 3, 4]
    case .missing: [nil, nil, nil, 0]
    case .greatest: [-.greatestFiniteMagnitude, 1e300, .greatestFiniteMagnitude]
    case .infinite: [-.infinity, 0, .infinity]
    case .least: [0, .leastNonzeroMagnitude, 2 * .leastNonzeroMagnitude]
    }
  }

  /// Returns an index where the neighbors' positions leave no finite `Double` for an insert.
  ///
  /// At the start or the end of a list, where an insert has one neighbor, no finite `Double` lies
  /// before or after its position. `count` is the number of other objects in the list.
  func index(_ count: Int) -> Int {
    switch self {
    case .greatest, .infinite: count
    case .missing: 0
    default: 1
    }
  }
}
