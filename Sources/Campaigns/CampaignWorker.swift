import Basics
import Foundation

/// The way in which a task's command ended.
package enum CommandExit: Hashable, Sendable {
  /// The command ended with a code.
  case code(Int32)
  /// The command was stopped because its result was no longer wanted.
  case unwanted
}

/// The result of a task, as its folder records it.
package struct TaskResult: Codable, Hashable, Sendable {
  static let file = "result.json"

  package let task: String
  package let worker: String
  /// The number of the claim under which the task was done, from 1.
  package let claim: Int
  /// The exit code of the task's command; `nil` if the task was given up.
  package let code: Int32?
  /// The reason why the task was given up; `nil` if it was not.
  package var because: String?
  package let seconds: Double
  /// The campaign's time when the task had ended, in seconds, as ``CampaignClock`` defines it.
  ///
  /// `nil` in results of older versions.
  package var at: Double?
  /// The number of plans that the task ran in checks; 0 if the task ran no check.
  package var plans = 0
  /// The number of steps in the plans that the task ran in checks.
  package var steps = 0
  /// The file with the task's ``StateSample``, within the result's folder; `nil` if the task has
  /// not measured states.
  package var states: String?
}

/// A process that takes the tasks of a campaign one by one until all have a result.
///
/// If a worker is lost, another worker repeats its task; only the first complete result of a task
/// counts. A task is given up after its command has failed three times, or after twenty claims. The
/// limit of twenty claims ends a task that crashes every worker. This limit is higher than that for
/// failures, because a worker may also be lost with its machine. A worker that is interrupted
/// releases its task. A released claim counts neither as a failure nor as one of the twenty claims.
///
/// Tasks that were added together are a group, whose tasks may be ordered in rounds. A task of a
/// later round is claimed when all tasks of the earlier rounds of its group have a result. If a
/// task of an earlier round was given up, the tasks of the later rounds are given up too, except
/// the last task of the group: it joins the results that exist.
package struct CampaignWorker {
  /// Runs a command that writes into the folder `output`, and stops the command when `isWanted`
  /// returns `false`.
  package typealias Run = (_ words: [String], _ output: String, _ isWanted: () -> Bool)
    throws(CampaignError) -> CommandExit

  let folder: CampaignFolder
  /// The unique name of the worker.
  let name: String
  /// The time after which a worker counts as lost if its claim shows no new heartbeat.
  let patience: Duration
  /// Whether the worker must end.
  let isInterrupted: () -> Bool
  let run: Run
  /// Called with `true` when a result was added, and with `false` many times a second while a command runs.
  let onProgress: (_ isResult: Bool) -> Void

  /// The number of failed commands after which a task is given up.
  static let failureCountMax = 3
  /// The number of claims on a task after which the task is given up.
  ///
  /// Claims of workers that vanished count too; claims that interrupted workers released do not.
  static let claimCountMax = 20

  package init(
    _ folder: CampaignFolder,
    name: String,
    patience: Duration,
    isInterrupted: @escaping () -> Bool,
    onProgress: @escaping (_ isResult: Bool) -> Void = { _ in },
    run: @escaping Run
  ) {
    self.folder = folder
    self.name = name
    self.patience = patience
    self.isInterrupted = isInterrupted
    self.onProgress = onProgress
    self.run = run
  }

  /// Runs tasks until all have a result, the worker is interrupted, or the campaign is drained.
  ///
  /// A campaign is drained when a user orders all of its workers to end after their current task.
  ///
  /// - Returns: the number of results that this worker has added.
  /// - Throws: ``CampaignError`` if a file cannot be read or written.
  package func work() throws(CampaignError) -> Int {
    var watch = BeatWatch(patience: patience)
    var clock = CampaignClock(now: .now)
    var count = 0
    while !isInterrupted(), !folder.isDrained {
      let finished = try folder.finished()
      let tasks = try folder.tasks()
      let open = tasks.filter { !finished.contains($0.name) }
      if open.isEmpty { break }
      if let claim = try claim(Self.ready(open), &watch, &clock) {
        if let reason = try folder.obstacle(to: claim.task, tasks) {
          try giveUp(claim.task, by: name, claim.number, reason, at: clock.seconds(now: .now))
          continue
        }
        let isResult = try perform(claim, clock)
        if isResult { count += 1 }
        onProgress(isResult)
      } else {
        pause()
      }
    }
    return count
  }

  /// Waits briefly before the next search for a task to claim.
  private func pause() {
    let end = ContinuousClock.now + min(patience / 4, .seconds(1))
    while ContinuousClock.now < end, !isInterrupted() { usleep(10_000) }
  }

  /// Returns the tasks that can be done now, of the given tasks without a result.
  ///
  /// Tasks that were added together are a group, which may order its tasks in rounds. While a round
  /// has a task without a result, the tasks of the later rounds of this group are left out.
  private static func ready(_ open: [CampaignTask]) -> [CampaignTask] {
    var rounds: [Int: Int] = [:]
    for task in open { rounds[task.group] = min(rounds[task.group] ?? .max, task.round ?? .max) }
    return open.filter { $0.round == nil || $0.round == rounds[$0.group] }
  }

  /// Claims a task on which no other worker works; `nil` if there is none at the moment.
  private func claim(
    _ open: [CampaignTask],
    _ watch: inout BeatWatch,
    _ clock: inout CampaignClock
  ) throws(CampaignError) -> TaskClaim? {
    let newest = try TaskClaim.newest(in: folder)
    let now = ContinuousClock.now
    clock.advance(to: newest.values.compactMap(\.content.seconds).max() ?? 0, now: now)
    // Workers start at different tasks, so that they rarely claim the same one.
    let start = open.isEmpty ? 0 : Int(name.utf8.stableHash % UInt64(open.count))
    for task in open[start...] + open[..<start] {
      let held = newest[task.name]
      if let held {
        guard watch.isLost(held, on: task.name, now: now) else { continue }
        let lost = held.number - held.releaseCount
        if held.failureCount >= Self.failureCountMax || lost >= Self.claimCountMax {
          let reason = held.content.failure ?? "its workers vanished \(lost) times"
          let seconds = clock.seconds(now: now)
          try giveUp(task, by: held.content.worker, held.number, reason, at: seconds)
          continue
        }
      }
      let seconds = clock.seconds(now: now)
      if let claim = try TaskClaim(task, after: held, by: name, at: seconds, in: folder) {
        return claim
      }
    }
    return nil
  }

  private func giveUp(
    _ task: CampaignTask,
    by worker: String,
    _ claim: Int,
    _ reason: String,
    at seconds: Double
  ) throws(CampaignError) {
    var result = TaskResult(
      task: task.name,
      worker: worker,
      claim: claim,
      code: nil,
      because: reason,
      seconds: 0
    )
    result.at = seconds
    let place = try makePlace(for: task, claim)
    try Files.replace("\(place)/\(TaskResult.file)", result)
    if try !folder.publish(place, as: task) { Files.removeFolder(place) }
  }

  private func makePlace(for task: CampaignTask, _ number: Int) throws(CampaignError) -> String {
    let place = "\(folder.path)/work/\(name)-\(task.name)-\(number)"
    Files.removeFolder(place)
    try Files.makeFolder(place)
    return place
  }

  /// Runs a claimed task, and returns whether its result was added.
  private func perform(
    _ claimed: TaskClaim,
    _ clock: CampaignClock
  ) throws(CampaignError) -> Bool {
    var claim = claimed
    let place = try makePlace(for: claim.task, claim.number)
    defer { Files.removeFolder(place) }
    let start = ContinuousClock.now
    var nextBeat = start
    var failure: CampaignError?
    let rounds =
      claim.task.round == nil ? [] : ["--slices", folder.results(ofGroup: claim.task.group)]
    let exit = try run(claim.task.words + rounds, place) {
      if isInterrupted() { return false }
      onProgress(false)
      guard ContinuousClock.now >= nextBeat else { return true }
      nextBeat = ContinuousClock.now + patience / 8
      do throws(CampaignError) {
        return try claim.beat(at: clock.seconds(now: .now))
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    // A scheduler that interrupts the worker also signals the command. Only the exit codes 0 and 1
    // are then results of the task.
    if isInterrupted(), ![.code(0), .code(1)].contains(exit) {
      try claim.release()
      return false
    }
    guard case .code(let code) = exit else { return false }
    // 0, 1 and 2 are verdicts; anything else is a command that failed.
    guard (0...2).contains(code) else {
      try claim.fail(because: "its command ended with code \(code)" + Self.lastError(in: place))
      return false
    }
    var result = TaskResult(
      task: claim.task.name,
      worker: name,
      claim: claim.number,
      code: code,
      seconds: Double((ContinuousClock.now - start) / .milliseconds(1)) / 1_000
    )
    result.at = clock.seconds(now: .now)
    result.states = Self.files(in: place) { $0 == StateSample.file }.first
    for check in try CheckDocument.all(below: place) {
      result.plans += check.systems.map(\.plans).reduce(0, +)
      result.steps += check.systems.map(\.steps).reduce(0, +)
    }
    if code == 1 { try keepFailures(of: claim.task, in: place) }
    try Files.replace("\(place)/\(TaskResult.file)", result)
    return try folder.publish(place, as: claim.task)
  }

  /// Adds the counterexamples of a task's result to the campaign's failures, and confirms the new ones.
  private func keepFailures(of task: CampaignTask, in place: String) throws(CampaignError) {
    for file in Self.counterexamples(in: place) {
      let failure = try CampaignFailure(file: file)
      var isConfirmed: Bool?
      if try folder.isUntried(failure) {
        let scratch = "\(place)/replay"
        try Files.makeFolder(scratch)
        let exit = try run(["replay", file], scratch) { !isInterrupted() }
        Files.removeFolder(scratch)
        // A replay with another code has no answer; the next task that finds the failure tries again.
        if exit == .code(0) || exit == .code(1) { isConfirmed = exit == .code(1) }
      }
      try folder.keep(failure, seenIn: task, by: name, isConfirmed: isConfirmed)
    }
  }

  /// Returns a colon, a space and the last line of a command's standard error.
  ///
  /// The result is empty if the command has written no line.
  private static func lastError(in place: String) -> String {
    let data = FileManager.default.contents(atPath: "\(place)/errors.txt") ?? Data()
    let line = data.suffix(2_000).split(separator: UInt8(ascii: "\n")).last
    return line.map { ": " + String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private static func counterexamples(in place: String) -> [String] {
    files(in: place) { $0.hasPrefix("counterexample-") && $0.hasSuffix(".jsonl") }
      .map { "\(place)/\($0)" }
  }

  /// Returns the files below a folder whose names satisfy a condition, as sorted relative paths.
  private static func files(in place: String, where fits: (Substring) -> Bool) -> [String] {
    let files = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
    return files.filter { fits($0.split(separator: "/").last ?? "") }.sorted()
  }
}
