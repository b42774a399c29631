import Foundation
import HistoryTypes
import Traces

/// The settings of a stress run, as its command line gives them.
package struct StressSettings: Hashable, Sendable {
  /// The number of processes that write to the store from the start.
  package var processes = 3
  /// The time during which the processes write.
  package var duration = Duration.seconds(60)
  /// The mean number of kills per second.
  package var killsPerSecond = 1.0
  /// The number of transactions that each process writes per second; 0 writes without pauses.
  package var rate = 25.0
  /// The name of the seeded bug that the processes enable; `nil` for none.
  package var mutant: String?
  /// The disk fault; `nil` for a sound disk.
  package var disk: StressDisk?
  package var seed: UInt64 = 0
  /// Whether a Python script that does not use the library writes to the file with plain SQL.
  package var hasPlainSQL = false

  package init() {}

  /// The number of processes that join and retire while others write.
  package var guests: Int { killsPerSecond > 0 ? min(max(processes / 3, 1), 6) : 0 }
}

/// An error of a stress run, with its message.
package struct StressError: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  /// Creates the error for a file that cannot be written, with the error number of the failed call.
  init(writing path: String) {
    self.init(
      "\(path) cannot be written: \(String(cString: strerror(errno))). Check the permissions and the free "
        + "space of its folder."
    )
  }
}

/// The result of a stress run.
package struct StressResult: Codable, Hashable, Sendable {
  /// The activity of one actor over all of its processes, counted from the joined trace.
  package struct Participant: Codable, Hashable, Sendable {
    package let name: String
    package var lives = 0
    /// The number of transactions that the actor wrote.
    package var written = 0
    /// The number of pages of transactions that the actor merged.
    package var merges = 0
    /// The number of transactions that the actor merged.
    package var merged = 0
    /// The number of times that the actor recorded its cursor.
    package var records = 0
    /// The number of transactions that the actor's purges removed from history.
    package var purged = 0
    /// The number of errors that reached a caller, by code.
    package var errors: [String: Int] = [:]
    package var firstError: String?

    package init(name: String) { self.name = name }

    /// Counts an error, and keeps the message of the first one.
    ///
    /// If the first errors came from a suspended store that refused calls, the message of the first
    /// error with another cause replaces theirs.
    mutating func note(_ failure: SystemFailure) {
      let isFirst = errors.keys.allSatisfy { $0 == StressResult.suspended }
      if firstError == nil || isFirst && failure.code != .suspended { firstError = failure.message }
      errors[failure.code.rawValue, default: 0] += 1
    }
  }

  /// The seed, in hexadecimal after `0x`.
  package let seed: String
  /// The seeded bug in the processes; `nil` if there was none.
  package let mutant: String?
  /// The disk fault of the run; `nil` if the disk was sound.
  package let disk: StressDisk?
  /// The number of times that a real file system was filled up; `nil` if the run fills none.
  package var filledCount: Int?
  /// The number of processes that wrote from the start.
  package let processes: Int
  /// The time during which the processes wrote, in seconds.
  package var seconds = 0.0
  package var participants: [Participant] = []
  package var counts = StressCounts()
  /// The counts of the Python script with plain SQL; `nil` if the run had no script.
  package var plainSQL: PlainSQLWriter.Counts?
  /// The total number of committed transactions.
  package var committed: Int64 = 0
  /// The number of objects at the end.
  package var objectCount = 0
  /// The number of times that the store was sampled while the processes wrote.
  package var sampleCount = 0
  /// The greatest number of transactions that history contained when the store was sampled.
  package var heldMax = 0
  /// The greatest lag of a member when the store was sampled, in transactions.
  package var lagMax = 0
  /// The number of transactions in history at the end, after every process has merged everything.
  package var heldAtEnd = 0
  /// The problem that SQLite's integrity check found; `nil` if it found none.
  package var integrityProblem: String?
  /// Sentences about commits that a running process did not merge in time.
  package var sleepers: [String] = []
  /// Sentences about processes that held a lock although their store was suspended.
  package var locksWhileSuspended: [String] = []
  /// Sentences about unexpected behaviour of processes.
  package var failures: [String] = []
  /// Whether the run was ended early.
  package var isInterrupted = false

  /// The number of events of the joined trace that the checkers observed, up to the first violation.
  package var eventCount = 0
  /// The number of writes whose unknown outcome was determined from history.
  package var reconciledCount = 0
  /// The number of writes whose outcome remained unknown.
  package var openCount = 0
  /// The number of transactions in the store that no process reported.
  package var unreportedCount = 0
  /// The number of purges that may have deleted transactions before a member recorded their merge.
  ///
  /// For these purges, the traces do not show whether the purge or the record came first.
  package var ambiguousCount = 0
  package var checkers: [StressChecks.Answer] = []

  /// The number of transactions up to which the length of history is never a fault.
  ///
  /// If history is longer, its limit is a quarter of all committed transactions: a process that
  /// gets no processor time for a second may lag by some thousands of transactions.
  private static let heldAlways: Int64 = 10_000

  package init(_ settings: StressSettings) {
    seed = "0x" + String(settings.seed, radix: 16)
    mutant = settings.mutant
    disk = settings.disk
    processes = settings.processes
  }

  /// `invalid` if an expectation was violated, `unknown` if the run is undecided, else `valid`.
  package var verdict: String {
    if !faults.isEmpty { return "invalid" }
    return ambiguities.isEmpty ? "valid" : "unknown"
  }

  /// The verdict in a sentence.
  package var because: String {
    if !faults.isEmpty { return faults.joined(separator: "; ") + "." }
    if !ambiguities.isEmpty { return ambiguities.joined(separator: " ") }
    return
      "all views equal the store's data, no transaction was purged too early or lost, and history "
      + "held \(heldMax.inGroups) of \(Int(committed).counted("transaction")) at most and "
      + "\(heldAtEnd.inGroups) at the end."
  }

  /// The violated expectations, each as a clause.
  package var faults: [String] {
    var faults = failures + locksWhileSuspended
    faults += checkers.filter { $0.verdict == "invalid" }
      .map { "\($0.checker): \($0.because ?? "")" }
    if let integrityProblem { faults.append("the file is damaged: \(integrityProblem)") }
    faults += errorFaults
    if unreportedCount > openCount {
      faults.append(
        "the store holds \(unreportedCount.counted("transaction")) that no process reported"
      )
    }
    return faults + historyFaults
  }

  /// Returns the number of errors that should not have reached an actor.
  ///
  /// Errors that a faulty disk or a suspension causes do not count.
  package func faultCount(of participant: Participant) -> Int {
    participant.errors.reduce(0) { sum, error in
      let isOfDisk = disk != nil && Self.diskErrors.contains(error.key)
      let isOfSuspension = counts.suspensionRequests > 0 && error.key == Self.suspended
      return isOfDisk || isOfSuspension ? sum : sum + error.value
    }
  }

  private var errorFaults: [String] {
    participants.compactMap { participant in
      let count = faultCount(of: participant)
      guard count > 0 else { return nil }
      return
        "\(participant.name) met \(count.counted("error")), first: \(participant.firstError ?? "")"
    }
  }

  private static let diskErrors: Set<String> = ["full", "io", "busy"]
  private static let suspended = SystemFailure.Code.suspended.rawValue

  /// The number of disk errors that reached a caller.
  private var diskErrorCount: Int {
    participants.reduce(0) { sum, participant in
      sum + Self.diskErrors.reduce(0) { $0 + (participant.errors[$1] ?? 0) }
    }
  }

  private var historyFaults: [String] {
    guard !isInterrupted else { return [] }
    var faults: [String] = []
    if heldMax > max(Self.heldAlways, committed / 4) {
      faults.append(
        "history grew to \(heldMax.inGroups) of \(Int(committed).counted("transaction"))"
      )
    }
    // A process that ended by itself is still a member, so that history is kept for it.
    if heldAtEnd > 1, failures.isEmpty {
      faults.append(
        "history still holds \(heldAtEnd.counted("transaction")) that every member merged"
      )
    }
    return faults
  }

  /// The reasons why the run is undecided, each as a sentence.
  private var ambiguities: [String] {
    if isInterrupted {
      return ["it was interrupted after \(Int(seconds.rounded())) s, before the checkers ran."]
    }
    if let disk, diskErrorCount == 0 {
      return ["the disk was \(disk.rawValue), and no error reached a caller. Try a longer run."]
    }
    let unknown = checkers.filter { $0.verdict == "unknown" && StressChecks.isNeeded($0.checker) }
    return unknown.map { "\($0.checker) cannot be decided: \($0.because ?? "")" }
  }
}

/// The counts of the disturbances in a stress run.
package struct StressCounts: Codable, Hashable, Sendable {
  /// The number of processes killed at an arbitrary point.
  package var killedAnywhere = 0
  /// The number of processes killed at a place in their own code, by the name of the place.
  package var killedAt: [String: Int] = [:]
  /// The number of processes that were stopped and continued.
  package var stops = 0
  /// The number of orders to suspend a store; some processes are killed before they answer.
  package var suspensionRequests = 0
  /// The number of processes that suspended their store, were stopped, and resumed it.
  package var suspensions = 0
  /// The number of times that the locks of a suspended process were read.
  package var lockReadings = 0
  /// The number of processes started because the actor's previous process had died.
  package var restarts = 0
  /// The number of times that a guest joined: an actor that is a member for only part of the run.
  package var joins = 0
  /// The number of times that a guest (see ``joins``) ended its membership, and its process exited.
  package var retires = 0
  /// The number of commits after which the run waited for all other processes to merge them.
  package var wakeUps = 0
  /// The longest time from a commit counted in `wakeUps` until all other running processes had merged
  /// it, in ms.
  ///
  /// A process has merged a commit when its recorded cursor has reached it.
  package var wakeUpMsMax = 0

  package var kills: Int { killedAnywhere + killedAt.values.reduce(0, +) }

  /// Counts a killed process.
  mutating func kill(at place: StressPlace?) {
    if let place { killedAt[place.rawValue, default: 0] += 1 } else { killedAnywhere += 1 }
  }
}
