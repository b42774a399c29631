/// Where, with what and when something was measured: results mean nothing without it.
package struct RunEnvironment: Sendable, Hashable, Codable {
  /// The processor's name and architecture.
  package var machine: String
  /// The operating system and its version.
  package var system: String
  /// How many processors the process may use.
  package var processors: Int
  /// The memory of the machine, in bytes.
  package var memory: UInt64
  /// The compiler that built the program.
  package var swift: String
  /// The SQLite library that was linked.
  package var sqlite: String
  /// The commit that was built; nil when the program cannot know.
  package var commit: String?
  /// When the run began.
  package var time: UTCTime
  /// From what all choices of the run follow.
  @HexCoded package var seed: UInt64
  /// Whether the program was built with optimization; what a debug build measures says little.
  package var optimized: Bool
  /// How many processes wanted a processor in the minute before the run, on average; nil when that is
  /// not known, or an older program measured.
  package var load: Double?

  /// Makes an environment from known facts.
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

  /// Whether others wanted the machine's processors too, so that times on the wall say little.
  package var isBusy: Bool { (load ?? 0) > Double(processors) / 2 }
}
