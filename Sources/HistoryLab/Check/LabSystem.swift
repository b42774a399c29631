import HistoryStore
import HistoryTracking
import Systems
import Traces

/// A system under test by name: what it is, how it is made, and what its plans may hold.
struct LabSystem: Sendable {
  var name: String
  let sentence: String
  /// How its store makes timestamps.
  let timestamps: TimestampPolicy
  /// What it can be asked to do.
  let capabilities: Set<Capability>
  /// What its authors made it for; nothing for ours, which is made for every condition.
  var statedUse: StatedUse?
  /// Whether it knows a strategy that a plan names.
  var knows: @Sendable (_ strategy: String) -> Bool = { PurgeStrategy(planned: $0) != nil }
  /// The strategies that it knows, as plans write them.
  var strategyWords = PurgeStrategy.plannedWords
  /// Whether it is our tracker, which has two drivers.
  var hasDrivers = false
  let make: @Sendable () -> any SystemUnderTest

  /// What it is and, where others made it, what they made it for.
  var description: String {
    statedUse.map { "\(sentence) Stated use: \($0.sentence)" } ?? sentence
  }

  /// The name of the design with one mistake, which nobody has published.
  static let mistaken = "greatest-cursor"

  /// Every system of this build, in the order in which they are listed.
  static let all: [LabSystem] =
    [
      LabSystem(
        name: "tracker",
        sentence: "Our tracker and store: the real code.",
        timestamps: .monotone,
        capabilities: TrackerSystem.abilities,
        hasDrivers: true,
        make: { TrackerSystem() }
      )
    ] + published + [
      LabSystem(
        name: mistaken,
        sentence: "A design in memory with one mistake, for trying the lab out: it purges what the "
          + "fastest member has merged.",
        timestamps: .monotone,
        capabilities: LogSystem<GreatestCursorLog>.abilities,
        make: { LogSystem<GreatestCursorLog>() }
      )
    ] + Mutant.all.map(LabSystem.init)

  /// The system with a name, or nothing.
  static func named(_ name: String) -> LabSystem? { all.first { $0.name == name } }
}

extension LabSystem {
  /// Our tracker with one edit of its source; all that a process runs at a time have the same.
  init(_ mutant: Mutant) {
    name = Mutant.prefix + mutant.name
    sentence = mutant.sentence
    timestamps = .monotone
    capabilities = TrackerSystem.abilities
    hasDrivers = true
    make = {
      mutant.turnOn()
      return TrackerSystem()
    }
  }
}
