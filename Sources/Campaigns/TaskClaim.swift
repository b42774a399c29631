import Foundation

/// The claim of a worker on a task, which the worker renews with heartbeats.
///
/// A heartbeat increases a counter in the claim's file. The claims on a task are numbered. If another
/// worker sees no new heartbeat of the newest claim for some time, it makes the next claim. The
/// former worker notices the new claim at its own next heartbeat. Each claim is a separate file,
/// which only one worker can create.
struct TaskClaim: Sendable {
  /// The contents of a claim's file: the worker, its heartbeats, and how the claim ended.
  struct Content: Codable, Hashable {
    let worker: String
    /// The number of heartbeats so far, which show that the worker still runs.
    var beat = 0
    /// The reason why the worker gave the task up; `nil` while the worker works.
    var failure: String?
    /// `true` if the worker was interrupted and has released the task; otherwise `nil`.
    var isReleased: Bool?
    /// The number of earlier claims on the task that ended because the worker's command failed.
    ///
    /// `nil` for the first claim on a task.
    var formerFailures: Int?
    /// The number of earlier claims on the task that interrupted workers released.
    ///
    /// `nil` for the first claim on a task.
    var formerReleases: Int?
    /// The campaign's time at the last heartbeat, in seconds, as ``CampaignClock`` defines it.
    var seconds: Double?
  }

  /// The newest claim on a task.
  struct Newest: Hashable {
    let number: Int
    let content: Content

    /// The number of claims on the task, up to this one, that ended because the command failed.
    var failureCount: Int { (content.formerFailures ?? 0) + (content.failure == nil ? 0 : 1) }

    /// Whether the worker was interrupted, and has released the task.
    var isReleased: Bool { content.isReleased == true }

    /// The number of claims on the task, up to this one, that interrupted workers released.
    var releaseCount: Int { (content.formerReleases ?? 0) + (isReleased ? 1 : 0) }
  }

  let task: CampaignTask
  /// The number of the claim, from 1.
  let number: Int
  private let folder: String
  private var content: Content

  /// Claims a task with the next number after the newest claim; `nil` if another worker was faster.
  init?(
    _ task: CampaignTask,
    after newest: Newest?,
    by worker: String,
    at seconds: Double = 0,
    in folder: CampaignFolder
  ) throws(CampaignError) {
    self.task = task
    number = (newest?.number ?? 0) + 1
    self.folder = folder.path
    content = Content(worker: worker)
    content.formerFailures = newest?.failureCount
    content.formerReleases = newest?.releaseCount
    content.seconds = seconds
    guard try Files.create(Self.file(task, number, folder.path), content) else { return nil }
  }

  /// Writes the next heartbeat, with the campaign's time, if the claim is still the newest on its task.
  ///
  /// - Returns: `false` if another worker has made a newer claim on the task.
  mutating func beat(at seconds: Double) throws(CampaignError) -> Bool {
    guard try !Self.exists(task, number + 1, folder) else { return false }
    content.beat += 1
    content.seconds = seconds
    try Files.replace(Self.file(task, number, folder), content)
    return true
  }

  /// Ends the claim after a failed command, so that another worker can claim the task at once.
  mutating func fail(because sentence: String) throws(CampaignError) {
    content.failure = sentence
    try Files.replace(Self.file(task, number, folder), content)
  }

  /// Ends the claim of an interrupted worker, so that another worker can claim the task at once.
  mutating func release() throws(CampaignError) {
    content.isReleased = true
    try Files.replace(Self.file(task, number, folder), content)
  }

  /// Returns the newest claim on each task that has one, by the task's name.
  static func newest(in folder: CampaignFolder) throws(CampaignError) -> [String: Newest] {
    var numbers: [String: Int] = [:]
    for file in try Files.names(in: "\(folder.path)/claims") {
      let parts = file.dropLast(".json".count).split(separator: ".")
      guard parts.count == 2, let number = Int(parts[1]) else { continue }
      let task = String(parts[0])
      numbers[task] = max(numbers[task] ?? 0, number)
    }
    var newest: [String: Newest] = [:]
    for (task, number) in numbers {
      let content: Content? = try Files.read("\(folder.path)/claims/\(task).\(number).json")
      if let content { newest[task] = Newest(number: number, content: content) }
    }
    return newest
  }

  private static func exists(
    _ task: CampaignTask,
    _ number: Int,
    _ folder: String
  ) throws(CampaignError) -> Bool {
    FileManager.default.fileExists(atPath: file(task, number, folder))
  }

  private static func file(_ task: CampaignTask, _ number: Int, _ folder: String) -> String {
    "\(folder)/claims/\(task.name).\(number).json"
  }
}

/// The last heartbeats of other workers, each with the time at which this worker read it.
struct BeatWatch {
  private var seen: [String: (newest: TaskClaim.Newest, since: ContinuousClock.Instant)] = [:]
  private let patience: Duration

  /// Creates a record of heartbeats; a claim counts as lost after `patience` without a heartbeat.
  init(patience: Duration) { self.patience = patience }

  /// Returns whether a claim was ended, or its worker has written no heartbeat for too long.
  mutating func isLost(
    _ newest: TaskClaim.Newest,
    on task: String,
    now: ContinuousClock.Instant
  ) -> Bool {
    if newest.content.failure != nil || newest.isReleased { return true }
    guard let known = seen[task], known.newest == newest else {
      seen[task] = (newest, now)
      return false
    }
    return now - known.since > patience
  }
}
