import Synchronization
import Systems
import Traces

extension LabSystem {
  /// Returns the system with a name: one of this build, or an external program.
  ///
  /// An external program is started once, to ask for its capabilities.
  ///
  /// - Throws: a usage error for an unknown name; an undecided error when a program does not answer
  ///   with its capabilities.
  static func find(
    _ name: String,
    _ programs: ProgramShelf
  ) throws(LabError) -> LabSystem {
    if let command = ExternalProgram.command(in: name) {
      return try external(name, command, programs)
    }
    guard let system = named(name) else {
      throw .usage("there is no system \(name.quoted) in this build.")
    }
    return system
  }

  /// The description of external systems in the catalogue.
  static let externalSentence =
    "Any program that /bin/sh runs and that answers as the wire says, such as history-lab serve."

  /// Whether the system is an external program.
  var isExternal: Bool { ExternalProgram.command(in: name) != nil }

  private static func external(
    _ name: String,
    _ command: String,
    _ programs: ProgramShelf
  ) throws(LabError) -> LabSystem {
    let program = ExternalProgram(command, timeout: programs.timeout)
    let hello: WireHello
    do throws(SystemTrouble) {
      let errors = programs.errors()
      hello = try ExternalSystem.greet { () throws(WireTrouble) in
        try PipedProgram(program, errors: errors)
      }
    } catch {
      throw .undecided(
        "nothing can be said about \(name.quoted): \(error)",
        try: "protocol check \(command.shellQuoted)"
      )
    }
    return LabSystem(
      name: name,
      sentence: "\(hello.system) \(hello.version), a program of its own.",
      timestamps: hello.timestamps,
      capabilities: hello.abilities,
      knows: { _ in true },
      strategyWords: [],
      make: {
        let errors = programs.errors()
        return ExternalSystem(hello) { () throws(WireTrouble) in
          try PipedProgram(program, errors: errors)
        }
      }
    )
  }
}

/// The shared timeout and the collected standard error of a run's external programs.
final class ProgramShelf: Sendable {
  let timeout: Duration
  private let texts = Mutex<[StandardErrorText]>([])

  init(seconds: Double = ExternalProgram.secondsByDefault) { timeout = .seconds(seconds) }

  /// Creates the buffer for the standard error of one program.
  func errors() -> StandardErrorText {
    let text = StandardErrorText()
    texts.withLock { $0.append(text) }
    return text
  }

  /// The standard error of all programs in the order of their starts; `nil` if all of it is empty.
  var text: String? {
    let texts = texts.withLock { $0.map(\.text) }
    let told = texts.enumerated().filter { !$0.element.isEmpty }
    guard !told.isEmpty else { return nil }
    return told.map { "== program \($0.offset + 1) ==\n\($0.element)" }.joined(separator: "\n")
  }

  /// The name of the file in the run's folder that contains the text.
  static let file = "standard-error.txt"
}
