import Programs
package import Traces

/// A system that the lab tests: the tracker, a published protocol, a mutant or an external program.
///
/// A system performs one command at a time and logs events; checkers decide whether the events are
/// correct.
package protocol SystemUnderTest: AnyObject {
  /// The commands and features that the system supports.
  var capabilities: Set<Capability> { get }

  /// The reason why the system did not complete the plan; `nil` if the system completed the plan.
  ///
  /// A plan that was not completed has no verdict.
  var runFailure: RunFailure? { get }

  /// Restarts with an empty store, for the actors of a plan.
  func reset(_ header: PlanHeader, _ environment: SystemEnvironment) throws(SystemFailure)

  /// Releases the store's files.
  func close()

  /// Performs a command, and logs its events.
  func perform(_ action: Action, _ log: inout EventLog) throws(SystemFailure)

  /// Disables all faults after a plan's last command, so that every actor can merge all transactions.
  func recover()

  /// Logs the reports of the live queries in an actor's process.
  ///
  /// The lab calls this function after each command of the actor.
  func reportLists(of actor: ActorID, _ log: inout EventLog)

  /// After a command with a fault, inspects the store and logs the command's unreported effects.
  func reconcile(after action: Action, _ log: inout EventLog) throws(SystemFailure)

  /// Opens the store after a power-off, and logs the effects of the command that was interrupted.
  ///
  /// The power-off has ended all processes.
  ///
  /// - Returns: the content of the store.
  /// - Throws: ``SystemFailure`` when the store cannot be opened or read any more.
  func restart(
    after action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) -> RestartReport

  /// Switches, from the next plan on, between the two ways to run the system, if it has two.
  ///
  /// The tracker, for example, runs with its tasks or through its synchronous core
  /// (``PlannedDriver``). Both ways must give the same results.
  func switchDriver()

  /// Returns a snapshot of the system's files and of the memory of its processes.
  func snapshot() throws(SystemFailure) -> SystemSnapshot

  /// Restores a snapshot that this system has taken in the same plan.
  func restore(_ snapshot: SystemSnapshot) throws(SystemFailure)

  /// Replaces all connections to the store by new ones.
  ///
  /// The files and the memory of the processes do not change.
  func reconnect() throws(SystemFailure)

  /// Adds to `state` all that can affect later steps: data, history, cursors and views.
  func describe(_ state: inout StateSketch) throws(SystemFailure)
}

extension SystemUnderTest {
  /// The default is `nil`: only external programs can fail to complete a plan.
  package var runFailure: RunFailure? { nil }

  /// Does nothing by default; a system that can run in two ways switches to the other way here.
  package func switchDriver() {}

  /// Does nothing by default: most systems have no hooks into which plans inject faults.
  package func recover() {}

  /// Does nothing by default: most systems have no live queries.
  package func reportLists(of actor: ActorID, _ log: inout EventLog) {}

  /// Returns a hash that is equal for equal states: data, history, cursors and views.
  package func digest() throws(SystemFailure) -> UInt64 {
    var state = StateSketch()
    try describe(&state)
    return state.digest
  }

  /// Does nothing by default.
  ///
  /// A system with the capability ``Capability/faults`` implements this function: after a command
  /// with a fault, it logs the command's unreported effects. No other system receives this call.
  package func reconcile(after action: Action, _ log: inout EventLog) throws(SystemFailure) {}

  /// Restores the snapshot's files and memory.
  ///
  /// - Throws: ``SystemFailure`` when the snapshot is of another system, or cannot be restored.
  package func restore(_ snapshot: SystemSnapshot) throws(SystemFailure) {
    guard snapshot.system === self else {
      throw SystemFailure(.failed, "The snapshot is of another system.")
    }
    try snapshot.restoreContents()
  }

  /// The default throws a failure with the code `unsupported`.
  ///
  /// A system that keeps connections open, with prepared statements, can implement this function to
  /// replace them by new ones.
  package func reconnect() throws(SystemFailure) {
    throw SystemFailure(.unsupported, "The system cannot replace its connections.")
  }

  /// The default throws a failure with the code `unsupported`.
  ///
  /// A system with ``Capability/powerOff`` must implement this function, and open the store in it.
  package func restart(
    after action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) -> RestartReport {
    throw SystemFailure(.unsupported, "The system cannot start again after a power-off.")
  }
}

/// The content of a store after a power-off.
package struct RestartReport {
  /// The newest transaction that the store contains; `nil` if history has never had a transaction.
  package var through: TransactionName?
  /// A description of the file's damage; `nil` if the file is intact.
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

/// A command or feature that a system may support; plans for a system use only supported ones.
package enum Capability: String, Sendable, Hashable, CaseIterable {
  /// Supports fetching, merging and recording as separate commands.
  case steps
  /// Supports writes in two commands, `begin` and `commit`, between which other actors may write.
  case begin
  /// Supports a clock that the plan advances.
  case clock
  /// Supports crashes that lose an actor's memory.
  case crash
  /// Supports purges by command.
  case purge
  /// Supports a resync after history was lost.
  case resync
  /// Can report the transactions in history.
  case history
  /// Supports updates and deletes by predicate.
  case batch
  /// Supports consumers, which read history without contexts.
  case consume
  /// Supports writes without an author.
  case nullAuthor
  /// Supports actors with different configurations.
  case config
  /// Supports several contexts per actor.
  case contexts
  /// Supports observers and merge hooks.
  case hooks
  /// Supports plans in which a signal about a commit starts a pass of the actor that receives it.
  case signals
  /// Can poll for new transactions without a signal.
  case poll
  /// Supports launching a second process of a running actor.
  case twice
  /// Supports processes that close their store while the operating system suspends them.
  case suspend
  /// Supports steps that a process performs after another process of its actor has replaced it.
  case belated
  /// Supports fetches with filters, purges of a selected part of history, and live queries.
  case queries
  /// Supports consumers that read page by page, confirm or skip pages, and restart.
  case readings
  /// Supports retention limits: a purge marks members that lag too far behind as lost.
  case retention
  /// Supports a limit on the number of transactions per fetch.
  case pages
  /// Supports saves with a merge policy for conflicts.
  case policies
  /// Supports planned failures of the store's file system calls.
  case faults
  /// Can restart after a power-off.
  case powerOff
  /// Supports stores whose history includes the plain SQL writes of programs without the library.
  case plainSQL
  /// Supports several versions of the model on one file.
  case models
  /// Supports references with delete rules, and unique attributes.
  case relations
}

/// The location of a system's store, with the plan's clock and the seed of random values.
package struct SystemEnvironment: Sendable {
  /// The path of the store's file.
  package var path: String
  /// The SQLite VFS that contains the file; `nil` for the platform's default.
  package var vfs: String?
  /// Whether the VFS uses real files, which cannot be restored beneath open connections.
  package var isOnDisk = false
  package var clock: PlanClock
  /// The seed of all random values of the store.
  package var seed: UInt64
  /// Saves the store's files, and returns a closure that restores them.
  ///
  /// If the files are on the heap, they can be restored under open connections that are outside a
  /// transaction. If they are on disk, all connections must be closed first.
  package var saveFiles: @Sendable () -> @Sendable () -> Void
  /// Returns a number that changes with every write to a file; `nil` if writes are not counted.
  package var writeCount: @Sendable () -> Int? = { nil }
  /// The maximum number of one-millisecond pauses in which a request waits for another thread.
  ///
  /// The default is 10,000. The limit is a count of pauses instead of a time, because a pause lasts
  /// longer when the machine is busy.
  package var patience = 10_000
  /// Creates a VFS for one store alone, so that the lab can list the file locks of this store.
  ///
  /// `nil` if the environment's file system cannot list the locks of a single store, as with real
  /// files.
  package var makeVFS: (@Sendable () -> StoreVFS)?

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

/// A VFS for one store alone, through which the lab can list the locks of this store.
package struct StoreVFS: Sendable {
  package let name: String
  /// Returns the locks on files that were opened through this VFS.
  package let locks: @Sendable () -> [String]

  package init(name: String, locks: @escaping @Sendable () -> [String]) {
    self.name = name
    self.locks = locks
  }
}

/// A snapshot of a system's files and memory, which only the same system can restore.
package struct SystemSnapshot {
  fileprivate let system: any SystemUnderTest
  fileprivate let restoreContents: () throws(SystemFailure) -> Void

  /// Creates a snapshot of `system`; `restoreContents` restores the system's files and memory.
  init(
    of system: any SystemUnderTest,
    restoreContents: @escaping () throws(SystemFailure) -> Void
  ) {
    self.system = system
    self.restoreContents = restoreContents
  }
}

/// The reason why an external program did not complete a plan, which then has no verdict.
package struct RunFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem as a clause about the program, such as "it did not answer within a second".
  package var clause: String
  /// The message to which the program gave no valid answer; `nil` if there is none.
  package var asked: String?
  /// The last line that the program sent; `nil` if it sent none.
  package var said: String?
  /// The program's last output on standard error, if any.
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

  /// The maximum number of characters of each message or output that ``description`` quotes.
  private static let excerptMax = 300

  /// The problem, the unanswered message, and the program's last output.
  package var description: String {
    var sentences = [clause + (asked.map { ", after \(Self.excerpt($0))" } ?? "") + "."]
    sentences.append(
      said.map { "Its last line: \(Self.excerpt($0))" } ?? "It had sent no line."
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
