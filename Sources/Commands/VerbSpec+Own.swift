/// The verbs of this room, for the table of the whole command.
extension VerbSpec {
  /// `inspect`: what the history of a store file holds.
  package static var inspect: VerbSpec { InspectVerb.spec }
  /// `convert`: a store file's history in another layout.
  package static var convert: VerbSpec { ConvertVerb.spec }
  /// `list`: the systems, checkers and conditions of this build.
  package static var list: VerbSpec { ListVerb.spec }
  /// `bench list`: the benchmarks of this build.
  package static var benchList: VerbSpec { BenchListVerb.spec }
}
