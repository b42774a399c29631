package import Commands

/// The verbs of this room, for the table of the whole command.
extension VerbSpec {
  /// `inspect`: what the history of a store file holds.
  package static var inspect: VerbSpec { InspectVerb.spec }
  /// `advise`: what the history of a store file costs, and who would lose what by a purge.
  package static var advise: VerbSpec { AdviseVerb.spec }
  /// `convert`: a store file's history in another layout.
  package static var convert: VerbSpec { ConvertVerb.spec }
}
