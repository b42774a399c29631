import HistoryTypes
import PropertyTesting

@testable import Traces

/// Random plans in which every word of the format occurs, with every key present and absent.
struct RandomPlan {
  private(set) var source: ChoiceSource

  init(seed: UInt64) { source = ChoiceSource(seed: seed) }

  /// Returns a generator of what a function draws from a random plan.
  static func generator<T>(
    _ make: @escaping @Sendable (inout RandomPlan) throws -> T
  ) -> Generator<T> {
    Generator { source in
      var plan = RandomPlan(seed: 0)
      swap(&plan.source, &source)
      defer { swap(&plan.source, &source) }
      return try make(&plan)
    }
  }

  mutating func chance(_ percent: Int = 50) -> Bool {
    source.bool(probability: Double(percent) / 100)
  }

  mutating func pick<T>(_ choices: [T]) -> T { choices[source.index(below: choices.count)] }

  mutating func some<T>(_ make: (inout RandomPlan) -> T) -> T? { chance() ? make(&self) : nil }

  mutating func list<T>(_ counts: ClosedRange<Int>, _ make: (inout RandomPlan) -> T) -> [T] {
    var elements: [T] = []
    var repetition = Repetition("element", counts)
    while repetition.next(&source) { elements.append(make(&self)) }
    return elements
  }

  /// Returns the values in a random order; their own order is the simplest.
  mutating func shuffled<T>(_ values: [T]) -> [T] {
    var values = values
    for place in values.indices {
      values.swapAt(place, place + source.index(below: values.count - place))
    }
    return values
  }

  mutating func byte() -> UInt8 { UInt8(source.int(in: 0...255)) }

  mutating func text() -> String {
    pick([
      "", "a", "line\nbreak \"quoted\" \\ /", "\u{0}\u{1f}\u{7f}", "ü😀e\u{301}\u{2028}", "null",
    ])
  }

  mutating func number() -> Double {
    pick([
      0, -0.0, 1, -1, 0.1, 1e300, .leastNonzeroMagnitude, 1e15 + 0.5, 9_007_199_254_740_994,
      -.infinity,
    ])
  }

  mutating func finite() -> Double { pick([0, 1, -86_400, 0.000_001, 1e9, 729_000_000.123_456]) }

  mutating func integer() -> Int64 {
    pick([0, -1, 42, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, .max, .min])
  }

  mutating func value(_ type: AttributeType) -> Value {
    if chance(15) { return .null }
    switch type {
    case .int: return .int(integer())
    case .double: return .double(number())
    case .string: return .string(text())
    case .data: return .data(Data(list(0...5) { $0.byte() }))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: number()))
    case .bool: return .bool(chance())
    case .uuid: return .uuid(uuid())
    }
  }

  mutating func uuid() -> UUID {
    let a = list(16...16) { $0.byte() }
    return UUID(
      uuid: (
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
        a[14], a[15]
      )
    )
  }

  static let entities = [
    Entity("Item", AttributeType.allCases.map { Attribute($0.rawValue, $0) }),
    Entity(
      "Note",
      [
        Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("item", to: "Item", deleteRule: .cascade, isOptional: false),
        Attribute("next", to: "Note", preservesValueInHistoryOnDeletion: true),
      ],
      uniquenessConstraints: [["title"], ["item", "next"]]
    ),
    Entity("Empty", []),
  ]

  mutating func values(of entity: String) -> Values {
    let attributes = Self.entities.first { $0.name == entity }?.attributes ?? []
    var values: Values = [:]
    for attribute in attributes where chance() { values[attribute.name] = value(attribute.type) }
    return values
  }

  mutating func object() -> ObjectName {
    ObjectName(pick(Self.entities).name, pick([0, 1, 3, 10, -7, .max]))
  }
}

extension RandomPlan {
  mutating func header() throws -> PlanHeader {
    var header = PlanHeader(
      model: try Model(Self.entities),
      actors: [actor("app"), actor("widget"), actor("share")]
    )
    header.seed = pick([0, 42, .max])
    header.step = pick([1, 0, 0.5])
    header.timestamps = pick(TimestampPolicy.allCases)
    header.drive = pick(Drive.allCases)
    header.locks = pick(PlannedLocks.allCases)
    header.tokens = pick(PlannedTokens.allCases)
    header.consumers = ["mirror"]
    header.batchAuthors = list(0...2) { $0.text() }
    header.protectedAuthors = list(0...2) { $0.text() }
    header.retention = some { plan in
      PlannedRetention(
        age: plan.some { $0.finite() },
        transactions: plan.some { _ in 7 },
        bytes: plan.some { _ in 9 }
      )
    }
    header.objects = objects()
    return header
  }

  mutating func actor(_ id: ActorID) -> PlannedActor {
    var actor = PlannedActor(id, author: some { $0.text() }, launched: chance())
    actor.allAuthors = some { $0.list(0...2) { $0.text() } }
    actor.batchAuthors = some { $0.list(0...2) { $0.text() } }
    actor.ignores = some { $0.list(0...2) { $0.text() } }
    actor.contexts = some { _ in 2 }
    actor.page = some { _ in 3 }
    actor.isPartial = chance()
    actor.strategy = some { $0.text() }
    actor.maximumDuration = some { $0.pick([0, 0.5, 604_800]) }
    actor.cursors = some { $0.pick(["shared", "own"]) }
    actor.hooks = some { $0.list(0...2) { $0.text() } }
    return actor
  }

  mutating func author() -> WriteAuthor { pick([.own, .absent, .other("photos"), .other("")]) }

  mutating func member() -> ActorID { pick(["app", "widget", "share"]) }

  mutating func write() -> PlannedWrite {
    let changes = list(0...3) { plan in
      let object = plan.object()
      return PlannedChange(plan.pick(ChangeType.allCases), object, plan.values(of: object.entity))
    }
    return PlannedWrite(
      actor: member(),
      context: pick(["view", "background", "batch", "x"]),
      author: author(),
      changes: changes,
      policy: pick(PlannedPolicy.allCases),
      ticks: chance(),
      fileTransaction: some { $0.integer() }
    )
  }

  mutating func batch() -> PlannedBatch {
    let conditions = list(0...2) { plan in plan.condition(depth: 0) }
    return PlannedBatch(
      actor: member(),
      author: author(),
      type: pick([.update, .delete]),
      entity: "Item",
      conditions: conditions,
      values: values(of: "Item")
    )
  }

  mutating func query() -> PlannedQuery {
    let form = pick(PlannedQuery.Form.allCases)
    let isPurge = form == .purge
    if form.isOfEntity {
      return PlannedQuery(
        actor: member(),
        form: form,
        start: pick([.beginning, .behind(2)]),
        entity: "Item",
        conditions: list(0...2) { $0.condition(depth: 0) },
        orders: list(0...2) { PlannedOrder("string", isAscending: $0.chance()) },
        pending: list(0...1) { PlannedChange(.delete, $0.object()) }
      )
    }
    let terms = list(0...3) { plan in
      QueryTerm(plan.subject(isPurge: isPurge), isNegated: !isPurge && plan.chance())
    }
    return PlannedQuery(
      actor: member(),
      form: form,
      start: pick([.beginning, .behind(0), .behind(3), .ago(0.5), .ago(-2)]),
      terms: terms,
      matchesAny: !isPurge && chance(),
      page: pick([1000, 1]),
      changeLimit: pick([PlannedQuery.changeLimitDefault, 3])
    )
  }

  mutating func watch() -> PlannedWatch {
    PlannedWatch(
      actor: member(),
      entity: "Item",
      conditions: list(0...2) { $0.condition(depth: 0) },
      orders: list(0...2) { PlannedOrder("string", isAscending: $0.chance()) },
      limit: some { $0.pick([1, 1000]) }
    )
  }

  mutating func reading() -> PlannedReading {
    PlannedReading(
      "mirror",
      page: pick([1000, 1]),
      entity: some { _ in "Item" },
      author: some { $0.text() },
      stopsAt: some { _ in 2 },
      steps: list(0...4) { $0.pick(ReadingStep.allCases) }
    )
  }

  mutating func subject(isPurge: Bool) -> QueryTerm.Subject {
    let some: [QueryTerm.Subject] = [.author(nil), .author("app"), .context(nil), .context("view")]
    let more: [QueryTerm.Subject] = [
      .entity("Item"), .type(.update), .object(ObjectName("Item", 3)), .newest(2), .recent(0.25),
    ]
    return pick(isPurge ? some : some + more)
  }

  mutating func condition(depth: Int) -> PlannedCondition {
    let type = pick(AttributeType.allCases)
    switch pick(Array(0...(depth < 3 ? 6 : 3))) {
    case 0: return .compare(type.rawValue, pick(PlannedComparison.allCases), value(type))
    case 1: return .among(type.rawValue, list(0...2) { $0.value(type) })
    case 2: return .between(type.rawValue, value(type), value(type))
    case 3: return .like(AttributeType.string.rawValue, text())
    case 4: return .all(list(0...2) { $0.condition(depth: depth + 1) })
    case 5: return .any(list(0...2) { $0.condition(depth: depth + 1) })
    default: return .not(condition(depth: depth + 1))
    }
  }

  mutating func fault() -> PlannedFault {
    let kind = pick(PlannedFault.Kind.allCases)
    return PlannedFault(
      kind: kind,
      file: pick(PlannedFault.File.allCases),
      call: pick(kind.calls),
      k: pick([1, 17]),
      from: chance(),
      seed: pick([0, 42])
    )
  }

  /// Returns an action with a word; the switch fails to compile if a word is missing.
  mutating func action(_ word: CommandWord) -> Action {
    switch word {
    case .write: .write(write())
    case .batch: .batch(batch())
    case .begin: .begin(write())
    case .commit: .commit(member())
    case .launch: .launch(member())
    case .stop: .stop(member())
    case .crash: .crash(member())
    case .retire: .retire(member())
    case .suspend: .suspend(member())
    case .resume: .resume(member())
    case .fetch: .fetch(member())
    case .merge: .merge(member())
    case .record: .record(member())
    case .pass: .pass(member())
    case .purge: .purge(member())
    case .resync: .resync(member())
    case .belated: .belated(member(), pick(BelatedStep.allCases))
    case .query: .query(query())
    case .watch: .watch(watch())
    case .consume: .consume("mirror")
    case .read: .read(reading())
    case .deliver: .deliver(member(), pick(SignalFate.allCases))
    case .poll: .poll(member(), pick(SignalFate.allCases))
    case .view: .view(member(), context: pick(["view", "background"]))
    case .data: .data
    case .history: .history
    case .clock: .clock(advance: finite())
    }
  }

  /// A plan with every word of the format.
  mutating func plan() throws -> Plan {
    let commands = shuffled(CommandWord.allCases).map { word in
      let action = action(word)
      return Command(action, faults: chance(30) ? list(1...2) { $0.fault() } : [])
    }
    return Plan(header: try header(), commands: commands)
  }
}

extension CommandWord {
  /// Creates the word of an action; the switch fails to compile if an action is missing.
  init(_ action: Action) {
    self =
      switch action {
      case .write: .write
      case .batch: .batch
      case .begin: .begin
      case .commit: .commit
      case .launch: .launch
      case .stop: .stop
      case .crash: .crash
      case .retire: .retire
      case .suspend: .suspend
      case .resume: .resume
      case .fetch: .fetch
      case .merge: .merge
      case .record: .record
      case .pass: .pass
      case .purge: .purge
      case .resync: .resync
      case .belated: .belated
      case .query: .query
      case .watch: .watch
      case .consume: .consume
      case .read: .read
      case .deliver: .deliver
      case .poll: .poll
      case .view: .view
      case .data: .data
      case .history: .history
      case .clock: .clock
      }
  }
}
