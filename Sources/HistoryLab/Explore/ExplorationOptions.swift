import Commands
import Workloads

// The limits of an exploration are declared once, because `explore` and `repair` both accept them.

extension Option<Int?> {
  /// The maximum number of commands of the explored plans; `shown` is the default as the help shows it.
  static func depth(shown usual: String) -> Option {
    Option(
      "depth",
      .integer("N", 1...12),
      shown: usual,
      "Explores all plans of at most N commands."
    )
  }

  /// The number of actors of the explored plans; `shown` is the default as the help shows it.
  static func exploredActors(shown usual: String) -> Option {
    Option(
      "actors",
      .actors,
      shown: usual,
      "Explores plans with N actors, 1 to \(PlanAlphabet.actorCountMax)."
    )
  }
}

extension Option<Int> {
  /// The maximum number of states to visit for each pair of a condition and a number of actors.
  ///
  /// A condition is a difficulty that plans contain, such as equal timestamps. A million states take
  /// about 0.1 GB of memory and some minutes.
  static func states(_ usual: Int, shown: String? = nil) -> Option {
    Option(
      wrappedValue: usual,
      "states",
      .integer("N", 1...100_000_000),
      shown: shown,
      "Stops exploring a condition after N states per number of actors; its result is then unknown."
    )
  }
}
