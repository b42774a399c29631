/// The machine, software and time of a measurement, without which results mean little.
package struct RunEnvironment: Sendable, Hashable, Codable {
  /// The processor's name and architecture.
  package var machine: String
  /// The operating system and its version.
  package var system: String
  /// The number of processors available to the process.
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
