import Basics
import Programs

/// The configuration of a build: the entries that `list` shows, and the settings of its verbs.
///
/// A verb is a subcommand, such as `check`.
package struct Composition: Sendable {
  /// The systems, checkers, conditions, faults, metrics and benchmarks of this build.
  package var catalogue = Catalogue()
  /// The default number of plans that run at the same time.
  package var processors = 1
  /// The path of the command's executable, from which helper processes are launched.
  ///
  /// `nil` if this process runs another executable, such as the tests.
  package var command: String?
  /// Returns a random seed for a run without `--seed`.
  package var drawSeed: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// The settings that were set, by type; a type without an entry here has its default settings.
  private var parts: [ObjectIdentifier: any CompositionPart] = [:]

  package init() {}

  /// The settings of the given type: those that were set, otherwise the type's defaults.
  package subscript<Part: CompositionPart>(type: Part.Type) -> Part {
    get { parts[ObjectIdentifier(type)] as? Part ?? Part() }
    set { parts[ObjectIdentifier(type)] = newValue }
  }
}

/// Settings for some verbs, declared in the module of these verbs.
///
/// A ``Composition`` returns one value of each conforming type: the value that was assigned, or
/// else the defaults.
package protocol CompositionPart: Sendable {
  /// Creates the default settings.
  init()
}

extension Composition {
  /// Checks that a name is that of a known system, a readable design file, or an external program.
  ///
  /// - Throws: a usage error that suggests the nearest name.
  package func checkSystem(_ name: String) throws(LabError) {
    if let command = ExternalProgram.command(in: name) {
      guard command.allSatisfy(\.isWhitespace) else { return }
      throw .usage(
        "\(name.quoted) names no program. Write a command line after \(ExternalProgram.namePrefix)"
      )
    }
    if FilePath.isDesign(name) { return try FilePath.checkReadable(name, for: "--system") }
    let known = catalogue.names(.systems)
    guard !known.contains(name) else { return }
    throw unknown("system", name, known, try: "list systems")
  }

  /// Returns the error for an unknown name, with the most similar known name as a suggestion.
  package func unknown(
    _ kind: String,
    _ name: String,
    _ known: [String],
    try verb: String
  ) -> LabError {
    let hint = NearestWord.hint(for: name, among: known)
    return .usage("unknown \(kind) \(name.quoted).\(hint)", try: verb)
  }
}
