/// The verbs of this room, for the table of the whole command.
extension VerbSpec {
  /// `list`: the systems, checkers and conditions of this build.
  package static var list: VerbSpec { ListVerb.spec }
  /// `bench list`: the benchmarks of this build.
  package static var benchList: VerbSpec { BenchListVerb.spec }
}
