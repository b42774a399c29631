import HistoryStore
import Systems
import Traces

/// A system under test by name: what it is, how it is made, and what its plans may hold.
struct LabSystem: Sendable {
  let name: String
  let sentence: String
  /// How its store makes timestamps.
  let timestamps: TimestampPolicy
  /// What it can be asked to do.
  let capabilities: Set<Capability>
  let make: @Sendable () -> any SystemUnderTest

  /// Every system of this build, in the order in which they are listed.
  static let all: [LabSystem] =
    [
      LabSystem(
        name: "tracker",
        sentence: "Our tracker and store: the real code.",
        timestamps: .monotone,
        capabilities: TrackerSystem.abilities
      ) { TrackerSystem() },
      LabSystem(
        name: "article",
        sentence: "The manager of the 2021 article; its cleaner runs by command.",
        timestamps: .wallClock,
        capabilities: ArticleSystem.abilities
      ) { ArticleSystem() },
      LabSystem(
        name: "article-eager",
        sentence: "The manager of the 2021 article; its cleaner runs after every pass.",
        timestamps: .wallClock,
        capabilities: ArticleSystem.abilities
      ) { ArticleSystem(cleansAfterPass: true) },
    ] + Mutant.all.map(LabSystem.init)

  /// The system with a name, or nothing.
  static func named(_ name: String) -> LabSystem? { all.first { $0.name == name } }
}

extension LabSystem {
  /// Our tracker with one rule replaced.
  init(_ mutant: Mutant) {
    name = "mutant/" + mutant.name
    sentence = mutant.sentence
    timestamps = .monotone
    capabilities = TrackerSystem.abilities
    make = { TrackerSystem(rules: mutant.rules) }
  }
}
