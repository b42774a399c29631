import Checkers
import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
package import Traces

/// Joins the traces of the processes of a stress run, and runs the checkers on the joined trace.
package struct StressChecks {
  /// The verdict of one checker on the joined trace.
  package struct Answer: Codable, Hashable, Sendable {
    package let checker: String
    /// `valid`, `invalid` or `unknown`.
    package let verdict: String
    package let because: String?
  }

  /// The checkers whose invariants a run must exercise to be valid.
  private static let needed: Set<String> = [
    Convergence.name, PurgeSafety.name, NoLostTransaction.name, MergeOrder.name,
    CursorProgress.name, HistoryExplainsData.name,
  ]
  /// The maximum number of events before a violation in the excerpt of the trace.
  private static let excerptCount = 500

  private let header: TraceHeader
  private var recent: [TimedEvent] = []
  private var tally: [ActorID: StressResult.Participant] = [:]

  package init(_ header: PlanHeader, system: String, versions: [String: String]) {
    self.header = TraceHeader(
      plan: Plan(header: header, commands: []),
      system: system,
      versions: versions
    )
    for actor in header.actors { tally[actor.id] = .init(name: actor.id.name) }
  }

  /// Reads all traces, and stores the counts and verdicts in the result.
  ///
  /// - Returns: The last events of the trace as the text of a file; `nil` if there is no violation.
  /// - Throws: ``FormatError`` if a file cannot be read.
  package mutating func run(
    _ sources: [TraceSource],
    origin: Int64,
    into result: inout StressResult
  ) throws -> String? {
    var join = try TraceJoin(sources, origin: origin)
    var suite = CheckerSuite(header, scope: .all)
    while let step = try join.next() {
      // Events after a violation are counted, but no longer judged.
      let isJudged = !suite.isInvalid
      if isJudged, let command = step.command { suite.append(command) }
      for event in step.events {
        note(event)
        guard isJudged else { continue }
        suite.observe(event)
        keep(TimedEvent(event, mono: step.mono, given: step.command))
        result.eventCount += 1
      }
    }
    result.reconciledCount = join.reconciledCount
    result.openCount = join.openCount
    result.unreportedCount = join.unreportedCount
    result.ambiguousCount = join.ambiguousCount
    result.participants = header.plan.header.actors.compactMap { tally[$0.id] }
      .filter { $0.lives > 0 }
    result.checkers = suite.verdicts.map(Self.answer).map { answer in
      // A trace without ticks cannot decide this invariant; the run has measured wake-ups by its
      // own clock.
      answer.checker == WakeUp.name ? Self.wakeUp(result) ?? answer : answer
    }
    guard suite.violation != nil else { return nil }
    return TraceCodec.encode(header) + "\n"
      + recent.suffix(Self.excerptCount).map { TraceCodec.encode($0) + "\n" }.joined()
  }

  /// Returns whether an unknown verdict of this checker makes the whole run undecided.
  static func isNeeded(_ checker: String) -> Bool { needed.contains(checker) }

  /// Returns the verdict on wake-ups of processes by commits; `nil` if no wake-up was measured.
  ///
  /// The verdict is `valid` if each measured commit was merged within the time limit by all running
  /// processes except the one that committed.
  private static func wakeUp(_ result: StressResult) -> Answer? {
    guard let sleeper = result.sleepers.first else {
      guard result.counts.wakeUps > 0 else { return nil }
      return Answer(checker: WakeUp.name, verdict: "valid", because: nil)
    }
    return Answer(checker: WakeUp.name, verdict: "invalid", because: sleeper)
  }

  private static func answer(_ checker: String, _ verdict: Verdict) -> Answer {
    switch verdict {
    case .valid: Answer(checker: checker, verdict: "valid", because: nil)
    case .invalid(let violation):
      Answer(checker: checker, verdict: "invalid", because: violation.because)
    case .unknown(let reason): Answer(checker: checker, verdict: "unknown", because: reason)
    }
  }

  private mutating func keep(_ event: TimedEvent) {
    var event = event
    if case .called = event.event.kind {} else { event.given = nil }
    recent.append(event)
    if recent.count > 2 * Self.excerptCount { recent.removeFirst(Self.excerptCount) }
  }

  /// Counts an actor's event.
  private mutating func note(_ event: Event) {
    guard let actor = event.actor else { return }
    switch event.kind {
    case .registered, .launched: tally[actor]?.lives += 1
    case .committed: tally[actor]?.written += 1
    case .merged(let names):
      tally[actor]?.merges += 1
      tally[actor]?.merged += names.count
    case .recorded: tally[actor]?.records += 1
    case .purged(let names): tally[actor]?.purged += names.count
    case .ended(_, .failed(let failure)), .ended(_, .unknown(let failure)):
      if failure.code != .crashed { tally[actor]?.note(failure) }
    default: break
    }
  }
}

/// The model and the actors of stress runs.
enum StressModel {
  static let entity = "Item"
  /// The entity of the objects that are written under ``noiseAuthor``.
  static let noise = "Noise"
  /// The author of bursts of writes by the first actor; the second actor ignores this author.
  static let noiseAuthor = "noise"
  static let bucketCount: Int64 = 8
  /// The member ID of the run itself, which registers so that unread history is not purged.
  static let run = MemberID("run")

  /// The name of the attribute that only the newer version of the model has.
  static let newAttribute = "stars"
  /// The default value of ``newAttribute``.
  private static let stars: Int64 = 3

  static let model = Model(
    unchecked: [
      Entity(
        entity,
        [
          Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("count", .int), Attribute("bucket", .int),
          Attribute(newAttribute, .int, defaultValue: .int(stars)),
        ]
      ),
      Entity(noise, [Attribute("count", .int)]),
    ],
    version: 2
  )

  /// Returns the actors whose processes write from the start of the run.
  static func processes(_ count: Int) -> [ActorID] { (1...count).map { ActorID("process-\($0)") } }

  /// Returns the guests: the actors that join and retire while other actors write.
  static func guests(_ count: Int) -> [ActorID] {
    count == 0 ? [] : (1...count).map { ActorID("guest-\($0)") }
  }

  /// Returns the plan header that describes the actors to the checkers.
  static func header(_ actors: [ActorID], seed: UInt64) -> PlanHeader {
    let noisy = actors.count > 1 ? actors[0] : nil
    let deaf = actors.count > 1 ? actors[1] : nil
    var header = PlanHeader(
      model: model,
      actors: actors.map { id in
        var actor = PlannedActor(id, author: id.name, launched: false)
        // One process has the older version of the model, like a program that was not updated yet.
        if id == (actors.dropFirst(2).first ?? deaf) { actor.modelVersion = 1 }
        if id == deaf {
          actor.ignores = [noiseAuthor]
          actor.page = 3
        }
        return actor
      }
    )
    header.seed = seed
    if noisy != nil { header.batchAuthors = [noiseAuthor] }
    return header
  }

  /// Returns the plan header of a run.
  ///
  /// If a Python script writes plain SQL, the header declares that the store captures such writes.
  static func header(_ actors: [ActorID], of settings: StressSettings) -> PlanHeader {
    var header = header(actors, seed: settings.seed)
    if settings.hasPlainSQL { header.foreignWrites = .captured }
    return header
  }

  /// Creates a store with the older version of the model, and opens it with the newer one.
  ///
  /// - Throws: ``HistoryError`` if the file cannot be opened.
  static func create(
    _ path: String,
    capturesPlainSQL: Bool = false
  ) throws(HistoryError) -> Store {
    var configuration = StoreConfiguration()
    if capturesPlainSQL { configuration.foreignWrites = .captured }
    _ = try Store(
      path: path,
      model: header([], seed: 0).olderModel,
      configuration: configuration
    )
    // The run itself must not wait long for a lock: a process that the run has stopped may hold it.
    configuration.busyTimeout = .milliseconds(200)
    return try Store(path: path, model: model, configuration: configuration)
  }
}

/// A deduplicator that removes no objects, and traces each merge before the cursor is recorded.
struct StressMergeNotes: TransactionDeduplicator {
  let hooks: StressHooks

  func deduplicate(_ transactions: [HistoryTransaction], in contexts: [ObjectContext]) {
    hooks.note(merged: transactions.map(\.number.rawValue))
  }
}
