package import Traces

/// Anything that can be put under test: ours, a published protocol, or a mutant.
///
/// It performs one command at a time and tells what happened; it never decides whether that was right.
package protocol SystemUnderTest: AnyObject {
  /// What it can be asked to do.
  var capabilities: Set<Capability> { get }

  /// Why it cannot go on with the plan, so that nothing can be said about that; nothing if it can.
  var trouble: SystemTrouble? { get }

  /// Starts over with an empty store, for the actors of a plan.
  func reset(_ header: PlanHeader, _ environment: SystemEnvironment) throws(SystemFailure)

  /// Lets go of the store's files.
  func close()

  /// Does what a command says, and tells what happened.
  func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure)

  /// Lets nothing go wrong any more: a plan's last command is over, and everyone is to catch up.
  func heal()

  /// A fault has struck a command, which may have failed: tells what it has done untold, by looking.
  func settle(after action: Action, _ log: inout EventLog) throws(SystemFailure)

  /// The power is on again after everyone lost what they had in memory at once: opens the store, and
  /// tells what it says of the command during which that was.
  ///
  /// - Returns: what the store holds.
  /// - Throws: ``SystemFailure`` when the store cannot be opened or read any more.
  func restart(
    after action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) -> RestartReport

  /// Runs the next plan, and those after it, through the other of its drivers if it has two: the same
  /// must come of it.
  func switchDriver()

  /// Everything that it would take to go on from here: files and memory.
  func snapshot() throws(SystemFailure) -> SystemSnapshot

  /// Goes back to a snapshot of the same plan.
  func restore(_ snapshot: SystemSnapshot) throws(SystemFailure)

  /// Adds everything that decides what comes next: data, history, cursors and views.
  func describe(_ state: inout StateSketch) throws(SystemFailure)
}

extension SystemUnderTest {
  /// Nothing: only what the lab did not start itself can get lost.
  package var trouble: SystemTrouble? { nil }

  /// Does nothing: most systems have one driver.
  package func switchDriver() {}

  /// Does nothing: most systems have nothing that a plan makes fail.
  package func heal() {}

  /// A number that is equal for equal states: data, history, cursors and views.
  package func digest() throws(SystemFailure) -> UInt64 {
    var state = StateSketch()
    try describe(&state)
    return state.digest
  }

  /// Tells nothing: most systems are never asked, for lack of ``Capability/faults``.
  package func settle(after action: Action, _ log: inout EventLog) throws(SystemFailure) {}

  /// Says that it cannot: most systems are never asked, for lack of ``Capability/powerOff``.
  package func restart(
    after action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) -> RestartReport {
    throw SystemFailure(.unsupported, "The system cannot start again after a power-off.")
  }
}

/// What a store holds after a power-off.
package struct RestartReport {
  /// The newest transaction, or nothing when history never had one.
  package var through: TransactionName?
  /// What is wrong with the file, if anything is.
  package var damage: String?
  package var data: Objects
  package var history: [CommittedTransaction]

  package init(
    through: TransactionName?,
    damage: String?,
    data: Objects,
    history: [CommittedTransaction]
  ) {
    self.through = through
    self.damage = damage
    self.data = data
    self.history = history
  }
}

/// What a system can be asked to do; plans hold nothing else for it.
package enum Capability: String, Sendable, Hashable, CaseIterable {
  /// Fetch, merge and record one by one.
  case steps
  /// A write that begins, lets others write, and commits.
  case begin
  /// A clock that the plan moves.
  case clock
  /// Losing an actor's memory.
  case crash
  /// Purging by command.
  case purge
  /// A new snapshot after history was lost.
  case resync
  /// Telling what history holds.
  case history
  /// Updates and deletes by predicate.
  case batch
  /// Consumers without a view.
  case consume
  /// Writes without an author.
  case nullAuthor
  /// Actors whose configuration differs.
  case config
  /// Several contexts an actor.
  case contexts
  /// Observers and merge hooks.
  case hooks
  /// Passing when a signal reaches an actor.
  case signals
  /// Looking whether anything is new without a signal.
  case poll
  /// A second process of an actor that runs.
  case twice
  /// Telling what a process does that a later launch of its actor has replaced.
  case belated
  /// Limits beyond which a member is lost.
  case retention
  /// Fetching no more transactions at a time than the plan says.
  case pages
  /// Saves that end conflicts in the way that the plan says.
  case policies
  /// A store whose calls to the file system the lab can make fail.
  case faults
  /// Starting again after the power has gone.
  case powerOff
}

/// Where a system keeps its store, and what time it is there.
package struct SystemEnvironment: Sendable {
  /// The store's file.
  package var path: String
  /// The SQLite VFS that holds it, or nothing for the platform's own.
  package var vfs: String?
  /// Whether a VFS of its own holds real files, which cannot be put back beneath open connections.
  package var isOnDisk = false
  /// The plan's clock.
  package var clock: PlanClock
  /// The seed of everything that the store draws at random.
  package var seed: UInt64
  /// Saves the files, and answers how to bring them back: on the heap beneath open connections that
  /// are outside a transaction, on disk after all are closed.
  package var saveFiles: @Sendable () -> @Sendable () -> Void
  /// A number that is another one once anything was written to a file; nothing where nobody counts.
  package var writeCount: @Sendable () -> Int? = { nil }

  package init(
    path: String,
    vfs: String?,
    clock: PlanClock,
    seed: UInt64,
    saveFiles: @escaping @Sendable () -> @Sendable () -> Void
  ) {
    self.path = path
    self.vfs = vfs
    self.clock = clock
    self.seed = seed
    self.saveFiles = saveFiles
  }
}

/// A state of a system: how to bring its files back, and what it had in memory.
package struct SystemSnapshot {
  let restoreFiles: @Sendable () -> Void
  let memory: Any

  init(restoreFiles: @escaping @Sendable () -> Void, memory: Any) {
    self.restoreFiles = restoreFiles
    self.memory = memory
  }
}
