import Basics
import Foundation

/// The machine, software and time of a measurement, without which results mean little.
package struct RunEnvironment: Sendable, Hashable, Codable {
  /// The processor's name and architecture.
  package var machine: String
  /// The operating system and its version.
  package var system: String
  /// The number of processors that the process may use, by affinity, cgroup and job scheduler.
  package var processors: Int
  /// The memory of the machine, in bytes.
  package var memory: UInt64
  /// The compiler that built the program.
  package var swift: String
  /// The version of the linked SQLite library.
  package var sqlite: String
  /// The commit that was built, or `nil` if it is unknown.
  package var commit: String?
  /// The time at which the run started.
  package var time: UTCTime
  /// The seed of all random choices of the run.
  @HexCoded package var seed: UInt64
  /// Whether the program was built with optimization; results of a debug build mean little.
  package var optimized: Bool
  /// The load average of the minute before the run, or `nil` if it is unknown.
  ///
  /// Results of older programs have none.
  package var load: Double?

  package init(
    machine: String,
    system: String,
    processors: Int,
    memory: UInt64,
    swift: String,
    sqlite: String,
    commit: String?,
    time: UTCTime,
    seed: UInt64,
    optimized: Bool,
    load: Double? = nil
  ) {
    self.machine = machine
    self.system = system
    self.processors = processors
    self.memory = memory
    self.swift = swift
    self.sqlite = sqlite
    self.commit = commit
    self.time = time
    self.seed = seed
    self.optimized = optimized
    self.load = load
  }

  /// Whether other processes used the machine too, so that wall times are unreliable.
  package var isBusy: Bool { (load ?? 0) > Double(processors) / 2 }
}

extension RunEnvironment {
  /// Describes the current machine and build.
  ///
  /// `sqlite` is the version of the linked library, `commit` the commit that was built if it is
  /// known, `time` the start of the run, and `seed` the seed of all random choices of the run.
  package static func current(
    sqlite: String,
    commit: String?,
    time: UTCTime,
    seed: UInt64
  ) -> RunEnvironment {
    let process = ProcessInfo.processInfo
    return RunEnvironment(
      machine: machineName(),
      system: systemName(process),
      processors: ProcessorCount.available,
      memory: process.physicalMemory,
      swift: compilerVersion,
      sqlite: sqlite,
      commit: commit,
      time: time,
      seed: seed,
      optimized: isOptimized,
      load: loadOfTheLastMinute
    )
  }

  /// The range of versions that contains the version of the compiler.
  ///
  /// The exact version is not available at run time, so conditional compilation selects the range.
  private static var compilerVersion: String {
    #if compiler(>=6.4)
    "6.4 or newer"
    #elseif compiler(>=6.3.2)
    "6.3.2 or newer"
    #elseif compiler(>=6.3.1)
    "6.3.1"
    #else
    "6.3"
    #endif
  }

  private static var loadOfTheLastMinute: Double? {
    var load = 0.0
    return getloadavg(&load, 1) == 1 ? load : nil
  }

  private static var isOptimized: Bool {
    #if DEBUG
    false
    #else
    true
    #endif
  }

  private static var architecture: String {
    #if arch(x86_64)
    "x86_64"
    #elseif arch(arm64)
    "arm64"
    #else
    "another architecture"
    #endif
  }

  private static var operatingSystem: String {
    #if os(Linux)
    "linux"
    #elseif os(macOS)
    "macos"
    #else
    "another system"
    #endif
  }

  /// The platform on which counts depend, as a folder name: `linux-x86_64-swift6.3.1-sqlite3.40.1`.
  ///
  /// Operating system and architecture are those of this program.
  package var platform: String {
    let parts = [
      Self.operatingSystem, Self.architecture, "swift\(swift)", "sqlite\(sqlite)",
    ]
    return parts.joined(separator: "-").split(separator: " ").joined(separator: "-")
  }

  private static func machineName() -> String {
    guard let name = processorName() else { return architecture }
    return "\(name) (\(architecture))"
  }

  #if os(Linux)
  private static func processorName() -> String? {
    value(of: "model name", separator: ":", inFile: "/proc/cpuinfo")
  }

  private static func systemName(_ process: ProcessInfo) -> String {
    let name = value(of: "PRETTY_NAME", separator: "=", inFile: "/etc/os-release")
    let kernel = process.operatingSystemVersionString
    return name ?? kernel
  }

  private static func value(
    of key: String,
    separator: Character,
    inFile path: String
  ) -> String? {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: separator, maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == key else {
        continue
      }
      return parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }
    return nil
  }
  #else
  private static func processorName() -> String? {
    var size = 0
    guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0, size > 1 else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: size)
    guard sysctlbyname("machdep.cpu.brand_string", &bytes, &size, nil, 0) == 0 else {
      return nil
    }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func systemName(_ process: ProcessInfo) -> String {
    "macOS " + process.operatingSystemVersionString
  }
  #endif
}

/// The number of processors that the process may use.
///
/// The number is the lowest of the limits of the scheduler's affinity mask (`taskset`, cpusets),
/// the cgroup's processor time, and the job scheduler.
package enum ProcessorCount {
  /// The number of processors that this process may use, at least 1.
  package static var available: Int {
    least(
      online: ProcessInfo.processInfo.activeProcessorCount,
      environment: ProcessInfo.processInfo.environment,
      read: { path in
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
      }
    )
  }

  /// Returns the number of processors that the process may use, at least 1.
  ///
  /// The number is the lowest of all limits. `online` is the number of active processors, and
  /// `read` returns the text of the file at a path, or `nil`.
  static func least(
    online: Int,
    environment: [String: String],
    read: (String) -> String?
  ) -> Int {
    // Slurm sets these whether or not it also binds the task to processors.
    let job = ["SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"].lazy
      .compactMap { environment[$0].flatMap { Int($0) } }.first { $0 > 0 }
    let limits = [affinity(read), job, quota(read)].compactMap(\.self)
    return max(1, limits.reduce(online, min))
  }

  /// Returns the processor time that the process's cgroups allow, in processors, rounded up.
  ///
  /// The limits of all parent groups apply too. `nil` means no limit.
  private static func quota(_ read: (String) -> String?) -> Int? {
    var least: Double?
    for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
      // The number of the hierarchy, its controllers (none in version 2), and the group.
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let controllers = fields[1].split(separator: ",")
      let isSecondVersion = fields[0] == "0" && controllers.isEmpty
      guard isSecondVersion || controllers.contains("cpu") else { continue }
      let root = "/sys/fs/cgroup" + (isSecondVersion ? "" : "/\(fields[1])")
      for group in groups(String(fields[2])) {
        let quota =
          isSecondVersion
          ? share(read("\(root)\(group)/cpu.max"))
          : share(
            read("\(root)\(group)/cpu.cfs_quota_us"),
            read("\(root)\(group)/cpu.cfs_period_us")
          )
        if let quota { least = min(least ?? quota, quota) }
      }
    }
    return least.map { Int($0.rounded(.up)) }
  }

  /// Returns the path of a cgroup and of all its parents; the root is the empty text.
  private static func groups(_ path: String) -> [String] {
    let names = path.split(separator: "/").filter { $0 != ".." }
    return (0...names.count).map { count in names.prefix(count).map { "/" + $0 }.joined() }
  }

  /// Returns a cgroup's quota divided by its period; `nil` without a limit.
  ///
  /// Version 2 of cgroups has both numbers in one file, version 1 in two.
  private static func share(_ texts: String?...) -> Double? {
    let words = texts.compactMap(\.self).flatMap { $0.split(whereSeparator: \.isWhitespace) }
    guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]),
      quota > 0, period > 0
    else { return nil }
    return quota / period
  }

  /// Returns the number of processors in the affinity mask of the process; `nil` if it is not known.
  ///
  /// The kernel writes the mask of `sched_getaffinity` as groups of hexadecimal digits.
  private static func affinity(_ read: (String) -> String?) -> Int? {
    let key = "Cpus_allowed:"
    let lines = (read("/proc/self/status") ?? "").split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix(key) }) else { return nil }
    let count = line.dropFirst(key.count).compactMap(\.hexDigitValue).reduce(0) {
      $0 + $1.nonzeroBitCount
    }
    return count > 0 ? count : nil
  }
}

/// The record of one part of a run that was split over several machines and merged.
package struct RunPart: Sendable, Hashable, Codable {
  /// The number of this part and the number of all parts of the run, such as `2/4`.
  package var part: String
  /// The name of the folder with the results of this part of the run.
  package var folder: String
  /// The command line as a list of words.
  package var commandLine: [String]
  /// The machine, the versions and the start time of this part of a run that was split.
  package var environment: RunEnvironment
  /// The verdict of this part: `valid`, `invalid` or `unknown`; `nil` if the part did not finish.
  package var verdict: String?
  /// The explanation of ``verdict`` in a sentence.
  package var because: String?

  package init(
    part: String,
    folder: String,
    commandLine: [String],
    environment: RunEnvironment,
    verdict: String?,
    because: String?
  ) {
    self.part = part
    self.folder = folder
    self.commandLine = commandLine
    self.environment = environment
    self.verdict = verdict
    self.because = because
  }
}

extension RunEnvironment {
  /// Joins the environments of the parts of one run; `nil` for none.
  ///
  /// The result names the machines and systems of all parts. It has the earliest time, the highest
  /// load, and the lowest numbers of processors and bytes of memory. Its other values are those of
  /// the first part, because they must be equal in all parts.
  package init?(joining parts: [RunEnvironment]) {
    guard var joined = parts.first else { return nil }
    joined.machine = parts.map(\.machine).uniqued.joinedWithAnd
    joined.system = parts.map(\.system).uniqued.joinedWithAnd
    joined.processors = parts.map(\.processors).min() ?? joined.processors
    joined.memory = parts.map(\.memory).min() ?? joined.memory
    joined.time = UTCTime(
      secondsSince1970: parts.map(\.time.secondsSince1970).min() ?? joined.time.secondsSince1970
    )
    joined.load = parts.compactMap(\.load).max()
    self = joined
  }
}
