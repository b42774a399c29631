import Synchronization
import Systems
import Traces

extension LabSystem {
  /// The system with a name: one of this build, or a program, which is started once and asked what it
  /// can do.
  ///
  /// - Throws: a usage error for another name, and that nothing can be decided when a program does not
  ///   say what it can do.
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

  /// What stands behind such a name.
  static let externalSentence =
    "Any program that /bin/sh runs and that answers as the wire says, such as history-lab serve."

  /// Whether it is a program of its own.
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

/// What the programs under test of a run have in common: how long they may take, and where what they say
/// on standard error is kept.
final class ProgramShelf: Sendable {
  let timeout: Duration
  private let texts = Mutex<[StandardErrorText]>([])

  init(seconds: Double = ExternalProgram.secondsByDefault) { timeout = .seconds(seconds) }

  /// A place for what one program says.
  func errors() -> StandardErrorText {
    let text = StandardErrorText()
    texts.withLock { $0.append(text) }
    return text
  }

  /// What all of them said, in the order of their starts; nothing when none said anything.
  var text: String? {
    let texts = texts.withLock { $0.map(\.text) }
    let told = texts.enumerated().filter { !$0.element.isEmpty }
    guard !told.isEmpty else { return nil }
    return told.map { "== program \($0.offset + 1) ==\n\($0.element)" }.joined(separator: "\n")
  }

  /// The file of a run's folder that holds it.
  static let file = "standard-error.txt"
}
