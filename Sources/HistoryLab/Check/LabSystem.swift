import HistoryStore
import HistoryTracking
import Systems
import Traces

/// A named system under test: its description, its factory and the limits of its plans.
struct LabSystem: Sendable {
  var name: String
  let sentence: String
  /// The way in which its store creates timestamps.
  let timestamps: TimestampPolicy
  /// The operations and conditions that it supports.
  let capabilities: Set<Capability>
  /// The use that its authors state; `nil` for this project's systems, made for every condition.
  var statedUse: StatedUse?
  /// Returns whether it knows a strategy named in a plan.
  var knows: @Sendable (_ strategy: String) -> Bool = { PurgeStrategy(planned: $0) != nil }
  /// The strategies that it knows, as plans write them.
  var strategyWords = PurgeStrategy.plannedWords
  /// Whether it is this project's tracker, which has two drivers.
  var hasDrivers = false
  let make: @Sendable () -> any SystemUnderTest

  /// The description, with the stated use of a published system.
  var description: String {
    statedUse.map { "\(sentence) Stated use: \($0.sentence)" } ?? sentence
  }

  /// The name of the deliberately broken design, which nobody has published.
  static let mistaken = "greatest-cursor"

  /// All systems of this build, in the order in which they are listed.
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

  /// Returns the system with a name, or `nil`.
  static func named(_ name: String) -> LabSystem? { all.first { $0.name == name } }
}

extension LabSystem {
  /// Creates the tracker with one source edit, which applies to the whole process.
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
