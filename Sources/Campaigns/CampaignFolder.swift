import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The folder of a campaign: a search that any number of workers divide, on a shared file system.
///
/// The folder has a subfolder for each kind of file: the tasks into which the work is divided
/// (`tasks`), the claims of workers on tasks (`claims`), the results (`done`), and the
/// counterexamples (`failures`). Older versions of the lab recorded failures without symptoms, by
/// which similar failures are grouped (``FailureSymptom``). When a newer version reads such
/// failures, it finds the symptoms and saves them in the subfolder `progress`.
///
/// Each file is written under a temporary name and then renamed or linked, so that no reader sees a
/// partial file. Only claims and the campaign's HTML page change later. SQLite is not used, because
/// its locks are unreliable on network file systems (https://sqlite.org/useovernet.html). Clocks of
/// different machines are never compared.
package struct CampaignFolder: Sendable {
  package let path: String
  /// The program that created the campaign; other programs may not add tasks or work on them.
  package let program: CampaignProgram
  /// The program that opened the folder; `nil` if it is unknown.
  package let reader: CampaignProgram?

  private static let record = "campaign.json"
  private static let folders = ["tasks", "claims", "done", "failures", "work"]

  /// Creates a campaign in a new or empty folder.
  ///
  /// - Throws: ``CampaignError`` if the folder has other contents or cannot be written.
  package init(creating path: String, by program: CampaignProgram) throws(CampaignError) {
    self.path = path
    self.program = program
    reader = program
    if FileManager.default.fileExists(atPath: path) {
      guard try Files.names(in: path).isEmpty else {
        throw .usage("\"\(path)\" is neither empty nor a campaign. Name a new folder.")
      }
    } else {
      try Files.makeFolder(path)
    }
    for folder in Self.folders { try Files.makeFolder("\(path)/\(folder)") }
    let content = Record(campaign: Record.version, program: program)
    guard try Files.create("\(path)/\(Self.record)", content) else {
      throw .usage("another process is creating a campaign in \"\(path)\". Try again.")
    }
  }

  /// Opens a campaign to read it or to drain it (stop its workers), whichever program created it.
  ///
  /// Older versions recorded failures without symptoms (``FailureSymptom``). When such failures are
  /// read, the checkers of this program find the symptoms. Another build may find different ones,
  /// so they are saved separately for each build. `reader` describes this program and its build. If
  /// it is `nil`, the symptoms are not saved.
  ///
  /// - Throws: ``CampaignError`` if the folder is not a campaign, or has a newer format.
  package init(opening path: String, reader: CampaignProgram? = nil) throws(CampaignError) {
    let file = "\(path)/\(Self.record)"
    let remedy = "Copy it from a backup, or start a new campaign in another folder."
    guard let record: Record = try Files.read(file, ifDamaged: remedy) else {
      throw .usage("\"\(path)\" is not the folder of a campaign: it has no \(Self.record).")
    }
    guard record.campaign <= Record.version else {
      throw .usage(
        "\"\(path)\" has version \(record.campaign) of the format of campaigns, and this program reads "
          + "up to version \(Record.version). Use the program that created the campaign."
      )
    }
    self.path = path
    program = record.program
    self.reader = reader
  }

  /// Opens a campaign to add tasks or to work on them.
  ///
  /// - Throws: ``CampaignError`` if the folder is not a campaign, or if another program created it:
  ///   results of several programs must not be counted together.
  package init(opening path: String, by program: CampaignProgram) throws(CampaignError) {
    try self.init(opening: path, reader: program)
    let differences = program.differences(from: self.program)
    guard differences.isEmpty else {
      throw .usage(
        "\"\(path)\" was created by another program: \(differences.joined(separator: "; ")). Start the "
          + "same build everywhere."
      )
    }
  }

  /// Returns whether a folder is a campaign.
  package static func exists(at path: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(path)/\(record)")
  }

  private struct Record: Codable {
    /// The version of the folder's format.
    ///
    /// Since version 2, a task may have a round: it must wait for all tasks of the earlier rounds
    /// of its group. Programs that know only version 1 would start such a task too early.
    static let version = 2
    let campaign: Int
    let program: CampaignProgram
  }

  // MARK: Tasks

  /// Adds tasks as a new group.
  ///
  /// - Parameter words: The command line of each task.
  /// - Returns: The group's number, from 1.
  /// - Throws: ``CampaignError`` if a file cannot be written.
  package func add(_ words: [[String]]) throws(CampaignError) -> Int {
    try add(words.map { (nil, $0) })
  }

  /// Adds tasks as a new group of rounds.
  ///
  /// A round starts when all tasks of the earlier rounds have a result.
  ///
  /// - Parameter rounds: The command lines of the tasks, by round. The last task joins the results
  ///   of all rounds.
  /// - Returns: The group's number, from 1.
  /// - Throws: ``CampaignError`` if a file cannot be written.
  package func add(rounds: [[[String]]]) throws(CampaignError) -> Int {
    try add(rounds.enumerated().flatMap { round, words in words.map { (round, $0) } })
  }

  private func add(_ parts: [(round: Int?, words: [String])]) throws(CampaignError) -> Int {
    var group = (try tasks().map(\.group).max() ?? 0) + 1
    // If two processes add groups at the same time, the one that creates the first file gets the number.
    while try !Files.create(file(of: task(group, 1, of: parts)), task(group, 1, of: parts)) {
      group += 1
    }
    // The tasks of earlier rounds are first, so that a worker never sees a round without them.
    for number in parts.indices.dropFirst() {
      let task = task(group, number + 1, of: parts)
      _ = try Files.create(file(of: task), task)
    }
    return group
  }

  private func task(
    _ group: Int,
    _ number: Int,
    of parts: [(round: Int?, words: [String])]
  ) -> CampaignTask {
    var task = CampaignTask(
      group: group,
      number: number,
      count: parts.count,
      words: parts[number - 1].words
    )
    task.round = parts[number - 1].round
    return task
  }

  private func file(of task: CampaignTask) -> String { "\(path)/tasks/\(task.name).json" }

  /// Returns all tasks, sorted by group and number.
  ///
  /// - Throws: ``CampaignError`` if a file cannot be read.
  package func tasks() throws(CampaignError) -> [CampaignTask] {
    var tasks: [CampaignTask] = []
    for name in try Files.names(in: "\(path)/tasks") where name.hasSuffix(".json") {
      let file = "\(path)/tasks/\(name)"
      let remedy = "Copy it from a backup, or remove it and add the work of this task again."
      guard let task: CampaignTask = try Files.read(file, ifDamaged: remedy) else { continue }
      tasks.append(task)
    }
    return tasks.sorted { ($0.group, $0.number) < ($1.group, $1.number) }
  }

  // MARK: Results

  /// Returns the folder of a task's result.
  package func result(of task: CampaignTask) -> String {
    "\(path)/\(Self.resultPath(ofTask: task.name))"
  }

  /// Returns the path of a task's result folder, relative to the campaign's folder.
  package static func resultPath(ofTask name: String) -> String {
    "done/\(name.prefix { $0 != "-" })/\(name)"
  }

  /// Returns the names of the tasks that have a result.
  package func finished() throws(CampaignError) -> Set<String> {
    var names: Set<String> = []
    for group in try Files.names(in: "\(path)/done") {
      for name in try Files.names(in: "\(path)/done/\(group)")
      where Self.isResult("\(path)/done/\(group)/\(name)") {
        names.insert(name)
      }
    }
    return names
  }

  /// Reads a JSON file of a task's result, by the task's name; `nil` if there is none.
  func read<Value: Decodable>(
    _ file: String,
    inResultOf task: String
  ) throws(CampaignError) -> Value? {
    let place = "\(path)/\(Self.resultPath(ofTask: task))"
    let remedy = "Remove the folder \"\(place)\"; a worker then does its task again."
    return try Files.read("\(place)/\(file)", ifDamaged: remedy)
  }

  /// Moves a folder with a task's result into the campaign, unless the task already has a result.
  ///
  /// A result folder without the file ``TaskResult/file`` does not count as a result, and is
  /// replaced. Such a folder remains if a user removes a damaged result file.
  ///
  /// - Returns: Whether `folder` was moved.
  func publish(_ folder: String, as task: CampaignTask) throws(CampaignError) -> Bool {
    let place = result(of: task)
    try Files.makeFolder("\(path)/done/\(task.group)")
    if try Files.moveFolder(folder, to: place) { return true }
    if Self.isResult(place) { return false }
    let former = "\(folder)-former"
    guard try Files.moveFolder(place, to: former) else { return false }
    // Another worker may have replaced the folder in the meantime.
    if Self.isResult(former), try Files.moveFolder(former, to: place) { return false }
    Files.removeFolder(former)
    return try Files.moveFolder(folder, to: place)
  }

  private static func isResult(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/\(TaskResult.file)")
  }

  // MARK: Draining

  private var drainFile: String { "\(path)/drain" }

  /// Whether the campaign is drained: workers take no new tasks.
  package var isDrained: Bool { FileManager.default.fileExists(atPath: drainFile) }

  /// Makes all workers stop taking tasks, or lets them take tasks again.
  package func setDrained(_ isDrained: Bool) throws(CampaignError) {
    if isDrained {
      _ = try Files.create(drainFile, ["drain": true])
    } else {
      unlink(drainFile)
    }
  }
}

/// One part of a campaign's work: a command line that writes a run into a folder.
package struct CampaignTask: Codable, Hashable, Sendable {
  /// The number of the task's group, from 1; tasks that are added together are a group.
  package let group: Int
  /// The task's position in its group, from 1.
  package let number: Int
  /// The number of tasks in the task's group: all tasks that were added together.
  package let count: Int
  /// The arguments of the lab's command, without the folder of its output.
  package let words: [String]
  /// The number of the task's round, from 0; `nil` if the group has no rounds.
  ///
  /// The tasks of a round need the results of all earlier rounds of their group.
  ///
  /// If a group explores plans in rounds, round n explores those with n commands. After the round of
  /// the longest plans, the last round has one task, which is also the last task of the group. It
  /// joins the results of all rounds, even if some tasks were given up.
  package var round: Int?

  /// Whether the task joins the results of all other tasks of its group.
  ///
  /// `true` only for the last task of a group whose tasks are ordered in rounds (``round``).
  var joinsRounds: Bool { round != nil && number == count }

  /// The task's name in file names, such as `2-0015` for task 15 of group 2.
  package var name: String {
    "\(group)-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private var digits: String { String(number) }
}

/// The properties of a build that affect the results.
package struct CampaignProgram: Codable, Hashable, Sendable {
  /// The version of the lab.
  package let lab: String
  /// The commit that was built, or a hash of the executable if the commit is unknown.
  package let build: String
  /// The versions of Swift and SQLite.
  package let libraries: String

  package init(lab: String, build: String, libraries: String) {
    (self.lab, self.build, self.libraries) = (lab, build, libraries)
  }

  /// Returns the differences between this program and another one as phrases; empty if they are equal.
  package func differences(from other: CampaignProgram) -> [String] {
    [
      ("the lab", lab, other.lab), ("the build", build, other.build),
      ("the libraries", libraries, other.libraries),
    ]
    .filter { $0.1 != $0.2 }.map { "\($0.0): \($0.2) there, \($0.1) here" }
  }
}

/// An error of a campaign's folder.
package enum CampaignError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The folder is not a valid campaign, or the caller's request is invalid.
  case usage(String)
  /// A file could not be read or written, for example because the disk is full.
  case failed(String)

  package var description: String {
    switch self {
    case .usage(let sentence), .failed(let sentence): sentence
    }
  }
}
