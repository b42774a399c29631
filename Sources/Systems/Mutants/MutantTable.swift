extension Mutant {
  /// All seeded bugs of this build.
  ///
  /// Empty here: `scripts/mutants` replaces this file in its copy of the sources.
  package static let all: [Mutant] = []
  /// The seeded bugs that `scripts/mutants` generates by rules; ``all`` does not contain them.
  ///
  /// Empty here: `scripts/mutants` replaces this file in its copy of the sources.
  package static let generated: [Mutant] = []
}

/// The switch that selects, at run time, one of the seeded bugs in the code.
enum MutantSwitch {
  /// Selects a seeded bug by its number; does nothing in this build, which has no seeded bugs.
  static func set(_ number: Int32) {}
}
