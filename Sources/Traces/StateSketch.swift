package import HistoryTypes

/// The state that determines all later behaviour of the system and the checkers, as 64-bit words.
///
/// Each part of the system adds its own state, always in the same order; the state of one actor
/// goes into that actor's section. ``digest`` is a hash of every bit. ``equivalence(_:)`` is a hash
/// that is equal for equivalent states. This hash ignores the exact numbers, times, keys and values.
/// It depends only on the order of numbers, times and keys, on the time since each timestamp, and
/// on which values are equal. It does not distinguish actors with equal configurations.
package struct StateSketch: Sendable {
  /// The kind of a 64-bit word, which determines how the words of two states are compared.
  enum Kind: UInt8 {
    /// Data of none of the kinds below, such as a Boolean or a text's hash, compared by all bits.
    case plain
    /// A transaction number, compared by its rank among all transaction numbers.
    case number
    /// A timestamp, compared by its rank among all timestamps and by its age.
    case time
    /// An object's key, compared by its rank among all keys.
    case key
    /// A whole-number attribute value, compared only by its equality with other values.
    case value
    case member
    /// A set of members, one bit each.
    case members
  }

  struct Word: Hashable {
    let kind: Kind
    let bits: UInt64
  }

  /// The state's 64-bit words, in sections: one that belongs to no member, then one per member.
  private(set) var sections: [[Word]]
  /// The members: actors first, then consumers, in the order of the plan's header.
  private(set) var members: [ActorID]
  /// The current clock value in seconds, to which timestamps are compared.
  package private(set) var now = 0.0
  private var current = 0
  /// Whether the sketch includes the state that a power-off would leave; needed if power-offs may occur.
  package var includesLosses = false
  /// For each author under which exactly one actor writes, the index of that actor.
  private let owners: [String: Int]
  /// The entity that an attribute refers to, by the attribute's name.
  private let references: [String: String]

  /// Starts the sketch of a plan's state.
  package init(_ header: PlanHeader) {
    members = header.actors.map(\.id) + header.consumers
    sections = Array(repeating: [], count: members.count + 1)
    var owners: [String: Int] = [:]
    let counts = header.authorCounts
    for (index, actor) in header.actors.enumerated() {
      if let author = actor.author, counts[author] == 1 { owners[author] = index }
    }
    self.owners = owners
    var references: [String: String] = [:]
    for attribute in header.model.entities.lazy.flatMap(\.attributes) {
      if let reference = attribute.reference { references[attribute.name] = reference.entity }
    }
    self.references = references
  }

  /// Starts a sketch without a plan, and so without known members, authors and references.
  ///
  /// Such a sketch suffices for ``digest``.
  package init() {
    members = []
    sections = [[]]
    owners = [:]
    references = [:]
  }

  /// Clears the sketch and sets the clock value, in seconds.
  package mutating func restart(at now: Double) {
    for index in sections.indices { sections[index].removeAll(keepingCapacity: true) }
    current = 0
    self.now = now
    add(time: now)
  }

  // MARK: Sections

  /// Selects the section of a member, to which all data are added from now on.
  ///
  /// `nil` selects the common section, which belongs to no member.
  package mutating func enter(_ member: ActorID?) {
    current = member.map { position(of: $0) + 1 } ?? 0
  }

  /// Selects the section of the actor that writes under an author; data are then added to it.
  ///
  /// If no actor or more than one writes under the author, this selects the common section, which
  /// belongs to no member, and adds the author's name to it.
  package mutating func enter(author: String) {
    guard let owner = owners[author] else {
      current = 0
      return add(author)
    }
    current = owner + 1
  }

  /// Returns the position of a member, and appends the member if the plan's header does not name it.
  private mutating func position(of member: ActorID) -> Int {
    if let known = members.firstIndex(of: member) { return known }
    members.append(member)
    sections.append([])
    return members.count - 1
  }

  /// Adds everything that another sketch of the same plan contains.
  package mutating func add(_ other: StateSketch) {
    for (index, section) in other.sections.enumerated() {
      current = index == 0 ? 0 : position(of: other.members[index - 1]) + 1
      add(section.count)
      sections[current] += section
    }
    current = 0
  }

  // MARK: Words

  private mutating func add(_ kind: Kind, _ bits: UInt64) {
    sections[current].append(Word(kind: kind, bits: bits))
  }

  /// Adds an integer to the sketch; states are equivalent only if these integers are equal.
  package mutating func add(_ number: Int) { add(.plain, UInt64(bitPattern: Int64(number))) }

  /// Adds a Boolean value to the sketch; states are equivalent only if these values are equal.
  package mutating func add(_ flag: Bool) { add(.plain, flag ? 1 : 0) }

  /// Adds a string to the sketch; states are equivalent only if these strings are equal.
  package mutating func add(_ text: String) {
    var hash = Self.textSeed
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* Self.textFactor }
    add(.plain, hash)
  }

  /// Adds a transaction number to the sketch; equivalent states may have different numbers.
  package mutating func add(number: Int64) { add(.number, UInt64(bitPattern: number)) }

  /// Adds a transaction by its name, which is a number in most systems.
  package mutating func add(transaction name: TransactionName) {
    if let number = Int64(name) { add(number: number) } else { add(name) }
  }

  /// Adds a time, in seconds since 2001-01-01 UTC.
  package mutating func add(time: Double) { add(.time, time.bitPattern) }

  package mutating func add(member: ActorID) { add(.member, UInt64(position(of: member))) }

  /// Adds an author; if only one actor writes under that author, the actor is added instead.
  package mutating func add(author: String?) {
    guard let author else { return add(-1) }
    if let owner = owners[author] { add(.member, UInt64(owner)) } else { add(author) }
  }

  /// Adds a set of members: one bit each, in the order of the plan's header, consumers last.
  package mutating func add(members: UInt64) { add(.members, members) }

  package mutating func add(_ object: ObjectName) {
    add(object.entity)
    add(.key, UInt64(bitPattern: object.key))
  }

  /// Adds an attribute's value to the sketch.
  ///
  /// An equivalent state may have another value here only if both values are whole numbers.
  package mutating func add(_ value: Value) {
    switch value {
    case .null: add(.plain, 0)
    case .int(let value): add(.value, UInt64(bitPattern: value))
    case .double(let value): add(.plain, value.bitPattern)
    case .string(let value): add(value)
    case .data(let value): for byte in value { add(Int(byte)) }
    case .date(let value): add(.plain, value.timeIntervalSinceReferenceDate.bitPattern)
    case .bool(let value): add(value)
    case .uuid(let value): add(value.uuidString)
    }
  }

  /// Adds values, ordered by the names of their attributes; a reference is added as an object's name.
  package mutating func add(_ values: Values) {
    add(values.count)
    let sorted = values.count > 1 ? values.sorted(by: { $0.key < $1.key }) : Array(values)
    for (attribute, value) in sorted {
      add(attribute)
      if let entity = references[attribute], let key = value.int {
        add(ObjectName(entity, key))
      } else {
        add(value)
      }
    }
  }

  /// Adds objects, ordered by their names.
  package mutating func add(_ objects: Objects) {
    add(objects.count)
    for (name, values) in objects.sorted(by: { $0.key < $1.key }) {
      add(name)
      add(values)
    }
  }

  /// Adds the context, the author and the changes of a write that waits for its `commit`.
  package mutating func add(_ write: PlannedWrite) {
    add(write.context)
    switch write.author {
    case .own: add(1)
    case .absent: add(2)
    case .other(let name): add(author: name)
    }
    for change in write.changes {
      add(Int(change.type.rawValue))
      add(change.object)
      add(change.values)
    }
  }

  // MARK: Digest

  private static let textSeed: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let textFactor: UInt64 = 0x0000_0100_0000_01b3

  /// A hash that is equal for equal states, also in different processes.
  ///
  /// - Complexity: linear in the number of words in the sketch.
  package var digest: UInt64 {
    var hash = StateHash()
    for (index, section) in sections.enumerated() {
      hash.add(UInt64(index))
      for word in section { hash.add(word.bits, of: word.kind) }
    }
    return hash.value
  }
}

/// A running hash of words; every bit of the hash depends on every word.
struct StateHash {
  private(set) var value: UInt64 = 0x9e37_79b9_7f4a_7c15

  mutating func add(_ word: UInt64) {
    var mixed = (value ^ word) &* 0xbf58_476d_1ce4_e5b9
    mixed ^= mixed >> 31
    mixed = mixed &* 0x94d0_49bb_1331_11eb
    value = mixed ^ mixed >> 29 &+ 0x9e37_79b9_7f4a_7c15
  }

  mutating func add(_ word: UInt64, of kind: StateSketch.Kind) {
    add(word &* 8 &+ UInt64(kind.rawValue))
  }
}

extension PlanHeader {
  /// The number of actors that write under each author.
  var authorCounts: [String: Int] {
    Dictionary(actors.compactMap(\.author).map { ($0, 1) }, uniquingKeysWith: +)
  }
}
