import Programs
package import Traces

/// A system that can be tested: the tracker, a published protocol, a mutant or a program.
///
/// It performs one command at a time and logs events; it never decides whether they are correct.
package protocol SystemUnderTest: AnyObject {
  /// The commands and features that the system supports.
  var capabilities: Set<Capability> { get }

  /// The reason why the system cannot complete the plan, which has no verdict; `nil` if it can.
  var runFailure: RunFailure? { get }

  /// Restarts with an empty store, for the actors of a plan.
  func reset(_ header: PlanHeader, _ environment: SystemEnvironment) throws(SystemFailure)

  /// Releases the store's files.
  func close()

  /// Performs a command, and logs its events.
  func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure)

  /// Disables all faults, after a plan's last command, so that every actor can catch up.
  func recover()

  /// Inspects the store after a command with an injected fault, and logs its unreported effects.
  func reconcile(after action: Action, _ log: inout EventLog) throws(SystemFailure)

  /// Opens the store after a power-off, and logs the outcome of the interrupted command.
  ///
  /// All processes lost their memory at the same time.
  ///
  /// - Returns: the content of the store.
  /// - Throws: ``SystemFailure`` when the store cannot be opened or read any more.
  func restart(
    after action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) -> RestartReport

  /// Switches to the system's other driver, if it has two, from the next plan on.
  ///
  /// The results must be the same.
  func switchDriver()

  /// Returns a snapshot of the files and the memory.
  func snapshot() throws(SystemFailure) -> SystemSnapshot

  /// Restores a snapshot of the same plan.
  func restore(_ snapshot: SystemSnapshot) throws(SystemFailure)

  /// Adds all state that affects the next steps: data, history, cursors and views.
  func describe(_ state: inout StateSketch) throws(SystemFailure)
}

extension SystemUnderTest {
  /// Always `nil`: only a system that the lab did not start itself can fail this way.
  package var runFailure: RunFailure? { nil }

  /// Does nothing: most systems have one driver.
  package func switchDriver() {}

  /// Does nothing: in most systems a plan makes no hook fail.
  package func recover() {}

  /// Returns a hash that is equal for equal states: data, history, cursors and views.
  package func digest() throws(SystemFailure) -> UInt64 {
    var state = StateSketch()
    try describe(&state)
    return state.digest
  }

  /// Does nothing; called only for systems with ``Capability/faults``.
  package func reconcile(after action: Action, _ log: inout EventLog) throws(SystemFailure) {}

  /// The default, which throws: a system with ``Capability/powerOff`` has its own.
  package func restart(
    after action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) -> RestartReport {
    throw SystemFailure(.unsupported, "The system cannot start again after a power-off.")
  }
}

/// The content of a store after a power-off.
package struct RestartReport {
  /// The newest transaction, or `nil` if history never had one.
  package var through: TransactionName?
  /// The damage of the file, if any.
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

/// A command or feature that a system may support; plans for the system use no others.
package enum Capability: String, Sendable, Hashable, CaseIterable {
  /// Fetching, merging and recording as single steps.
  case steps
  /// A write that starts, lets others write, and then commits.
  case begin
  /// A clock that the plan advances.
  case clock
  /// Crashes that lose an actor's memory.
  case crash
  /// Purging by command.
  case purge
  /// Resyncing after history was lost.
  case resync
  /// Reporting the transactions in history.
  case history
  /// Updates and deletes by predicate.
  case batch
  /// Consumers without a view.
  case consume
  /// Writes without an author.
  case nullAuthor
  /// Actors with different configurations.
  case config
  /// Several contexts per actor.
  case contexts
  /// Observers and merge hooks.
  case hooks
  /// A pass when a signal reaches an actor.
  case signals
  /// Polling for new transactions without a signal.
  case poll
  /// A second process of a running actor.
  case twice
  /// Steps of a process that a later launch of its actor has replaced.
  case belated
  /// Requests for history with filters, and purges of a part of it.
  case queries
  /// Consumers that read page by page, confirm or not, and start again.
  case readings
  /// Retention limits beyond which a member is lost.
  case retention
  /// A plan's limit on the number of transactions per fetch.
  case pages
  /// Saves with a plan's merge policy for conflicts.
  case policies
  /// A store whose file system calls the lab can make fail.
  case faults
  /// Restarting after a power-off.
  case powerOff
}

/// The location of a system's store, and its clock and seed.
package struct SystemEnvironment: Sendable {
  /// The path of the store's file.
  package var path: String
  /// The SQLite VFS that contains the file; `nil` for the platform's default.
  package var vfs: String?
  /// Whether the VFS uses real files, which cannot be restored beneath open connections.
  package var isOnDisk = false
  /// The plan's clock.
  package var clock: PlanClock
  /// The seed of all random values of the store.
  package var seed: UInt64
  /// Saves the files, and returns a closure that restores them.
  ///
  /// On the heap it restores beneath open connections that are outside a transaction, on disk only
  /// after all connections are closed.
  package var saveFiles: @Sendable () -> @Sendable () -> Void
  /// Returns a number that changes with every write to a file; `nil` if writes are not counted.
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

/// A snapshot of a system: a closure that restores its files, and its memory.
package struct SystemSnapshot {
  let restoreFiles: @Sendable () -> Void
  let contents: Any

  init(restoreFiles: @escaping @Sendable () -> Void, contents: Any) {
    self.restoreFiles = restoreFiles
    self.contents = contents
  }
}

/// The reason why a plan has no verdict: the system under test did not complete it.
package struct RunFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, as a clause such as "it did not answer within a second".
  package var clause: String
  /// The message that was not answered, if one was sent.
  package var asked: String?
  /// The last line that was read, if any.
  package var said: String?
  /// The last output on standard error, if any.
  package var errors: String?

  package init(
    clause: String,
    asked: String? = nil,
    said: String? = nil,
    errors: String? = nil
  ) {
    self.clause = clause
    self.asked = asked
    self.said = said
    self.errors = errors
  }

  /// The maximum number of characters of a line in the description.
  private static let excerptMax = 300

  /// The problem, the message before it, and the last output.
  package var description: String {
    var sentences = [clause + (asked.map { ", after \(Self.excerpt($0))" } ?? "") + "."]
    sentences.append(
      said.map { "The last that it said: \(Self.excerpt($0))" } ?? "It had said nothing."
    )
    if let errors { sentences.append("On standard error: \(Self.excerpt(errors, fromEnd: true))") }
    return sentences.joined(separator: " ")
  }

  private static func excerpt(_ text: String, fromEnd: Bool = false) -> String {
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " | ")
      .unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : String($0) }.joined()
    guard line.count > excerptMax else { return line }
    return fromEnd ? "..." + line.suffix(excerptMax - 3) : line.prefix(excerptMax - 3) + "..."
  }
}
