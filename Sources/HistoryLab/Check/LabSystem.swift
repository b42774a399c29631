import HistoryStore
import Systems
import Traces
import Workloads

/// A system under test by name: what it is, how it is made, and what its plans may hold.
struct LabSystem: Sendable {
  let name: String
  let sentence: String
  /// How its store makes timestamps.
  let timestamps: TimestampPolicy
  /// The kinds of commands that it knows what to do with.
  var actions = Set(PlanAction.allCases)
  let make: @Sendable () -> any SystemUnderTest

  /// Every system of this build, in the order in which they are listed.
  static let all: [LabSystem] =
    [
      LabSystem(
        name: "tracker",
        sentence: "Our tracker and store: the real code.",
        timestamps: .monotone
      ) { TrackerSystem() },
      LabSystem(
        name: "article",
        sentence: "The manager of the 2021 article; its cleaner runs by command.",
        timestamps: .wallClock
      ) { ArticleSystem() },
      LabSystem(
        name: "article-eager",
        sentence: "The manager of the 2021 article; its cleaner runs after every pass.",
        timestamps: .wallClock
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
    make = { TrackerSystem(rules: mutant.rules) }
  }
}
