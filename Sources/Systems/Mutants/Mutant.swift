/// A seeded bug: one edit of this project's source, which the checkers should detect.
///
/// The edits are in `Tests/Mutants`. `scripts/mutants` builds a copy of the sources that contains all
/// edits; a switch selects one of them at run time. Names are stable, because runs and plans contain
/// them.
package struct Mutant: Sendable {
  /// The name without the prefix `mutant/`; its first word is the step that the bug affects.
  package let name: String
  /// A sentence that describes the bug.
  package let sentence: String
  /// The conditions needed to detect the bug, by name; empty if ordinary plans suffice.
  package let conditions: [String]
  /// The number of commands of the shortest known plan that detects the bug; 0 if none is known.
  package let least: Int
  /// The reason why no plan can detect the bug; `nil` if a plan can.
  package let equivalence: String?
  /// The number that selects the bug; 0 selects the code without seeded bugs.
  private let number: Int32

  package init(
    _ name: String,
    number: Int32,
    least: Int = 0,
    under conditions: [String] = [],
    sameBecause equivalence: String? = nil,
    _ sentence: String
  ) {
    self.name = name
    self.sentence = sentence
    self.conditions = conditions
    self.least = least
    self.equivalence = equivalence
    self.number = number
  }

  /// Returns the seeded bug with a name, with or without `mutant/`; `nil` if no bug has the name.
  package static func named(_ name: String) -> Mutant? {
    let own = name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : name[...]
    return all.first { $0.name == own }
  }

  /// The prefix of a mutant's name among the names of systems.
  package static let prefix = "mutant/"

  /// Enables this seeded bug, and disables all others, from now on in the whole process.
  package func turnOn() { MutantSwitch.set(number) }

  /// Disables all seeded bugs from now on in the whole process.
  package static func turnAllOff() { MutantSwitch.set(0) }
}
