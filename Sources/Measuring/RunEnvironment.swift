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
  /// The start of the run.
  package var time: UTCTime
  /// The seed of all random choices of the run.
  @HexCoded package var seed: UInt64
  /// Whether the program was built with optimization; results of a debug build mean little.
  package var optimized: Bool
  /// The load average of the minute before the run, or `nil` if it is unknown.
  ///
  /// Results of older programs have none.
  package var load: Double?

  /// Creates an environment from known facts.
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

  /// The compiler version is not available at run time; conditional compilation gives its range.
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
