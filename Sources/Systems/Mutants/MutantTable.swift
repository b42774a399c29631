extension Mutant {
  /// Every seeded bug of this build: none but in the copy that `scripts/mutants` makes, where another
  /// file stands in the place of this one.
  package static let all: [Mutant] = []
  /// The edits that rules have made, in that copy.
  package static let generated: [Mutant] = []
}

/// What turns edits on and off.
enum MutantSwitch {
  /// Turns on the edit with a number; there is none in this build.
  static func set(_ number: Int32) {}
}
