extension Mutant {
  /// All seeded bugs of this build.
  ///
  /// Empty here: `scripts/mutants` replaces this file in its copy of the sources.
  package static let all: [Mutant] = []
  /// The edits that `scripts/mutants` generates by rules; empty except in its copy of the sources.
  package static let generated: [Mutant] = []
}

/// The switch that selects an edit.
enum MutantSwitch {
  /// Selects an edit by its number; does nothing in this build, which has no edits.
  static func set(_ number: Int32) {}
}
