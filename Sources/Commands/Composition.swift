import Basics
import Programs

/// The catalogue, defaults and factories that the verbs of the command use.
package struct Composition: Sendable {
  /// The named systems, checkers, conditions, faults, metrics and benchmarks of this build.
  package var catalogue = Catalogue()
  /// The default number of plans that run at the same time.
  package var processors = 1
  /// The path of the command's executable, which is launched again for helper processes.
  ///
  /// `nil` in a process that runs another executable, such as the tests.
  package var command: String?
  /// Draws the seed of a run without `--seed`.
  package var drawSeed: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
  /// The parts that were set, by type.
  private var parts: [ObjectIdentifier: any CompositionPart] = [:]

  package init() {}

  /// The part of a type; its default unless one was set.
  package subscript<Part: CompositionPart>(type: Part.Type) -> Part {
    get { parts[ObjectIdentifier(type)] as? Part ?? Part() }
    set { parts[ObjectIdentifier(type)] = newValue }
  }
}

/// Settings of some verbs in a composition, which the rooms of these verbs declare.
package protocol CompositionPart: Sendable {
  /// Creates the default settings.
  init()
}

extension Composition {
  /// Checks that a name is a known system or holds the command line of an external one.
  ///
  /// - Throws: a usage error that suggests the nearest name.
  package func checkSystem(_ name: String) throws(LabError) {
    if let command = ExternalProgram.command(in: name) {
      guard command.allSatisfy(\.isWhitespace) else { return }
      throw .usage(
        "\(name.quoted) names no program. Write its command line after \(ExternalProgram.namePrefix)"
      )
    }
    if FilePath.isDesign(name) { return try FilePath.checkReadable(name, for: "--system") }
    let known = catalogue.names(.systems)
    guard !known.contains(name) else { return }
    throw unknown("system", name, known, try: "list systems")
  }

  /// Returns the error for an unknown name, which suggests the nearest known one.
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
