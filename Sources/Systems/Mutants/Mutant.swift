/// A seeded bug: our own code with one edit of its source.
///
/// The edits lie in `Tests/Mutants`; `scripts/mutants` builds a copy of the sources that carries all of
/// them behind one switch. Names are stable: runs and plans hold them.
package struct Mutant: Sendable {
  /// The name, without the prefix `mutant/`; it begins with the step that is wrong.
  package let name: String
  /// What is wrong with it.
  package let sentence: String
  /// The kinds of trouble without which it does not show, by their names on the command line; none
  /// where those do that plans contain anyway.
  package let conditions: [String]
  /// The number of commands of the shortest plan that is known to show it; 0 where none is.
  package let least: Int
  /// Why no plan can show it, if none can.
  package let equivalence: String?
  /// What turns it on; 0 is the code as it is.
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

  /// The seeded bug with a name, `mutant/` before it or not; nothing if there is none.
  package static func named(_ name: String) -> Mutant? {
    let own = name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : name[...]
    return all.first { $0.name == own }
  }

  /// What stands before the name of a mutant among those of other systems.
  package static let prefix = "mutant/"

  /// Runs the code with this edit from here on, in the whole process.
  package func turnOn() { MutantSwitch.set(number) }
}
