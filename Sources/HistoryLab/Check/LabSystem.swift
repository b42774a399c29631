import Basics
import Commands
import Foundation
import HistoryStore
import HistoryTracking
import Programs
import Synchronization
import Systems
import Traces
import Workloads

/// A system under test: its name and description, its factory, and the limits on its plans.
struct LabSystem: Sendable {
  var name: String
  let sentence: String
  /// The rule by which the system's store assigns timestamps to transactions.
  let timestamps: TimestampPolicy
  /// The operations and conditions that the system supports.
  let capabilities: Set<Capability>
  /// The rules that a published system's authors document for apps; `nil` for all other systems.
  var statedUse: StatedUse?
  /// Returns whether the system supports a purge strategy, given in plan syntax.
  var knows: @Sendable (_ strategy: String) -> Bool = { PurgeStrategy(planned: $0) != nil }
  /// The purge strategies that the system supports, in plan syntax.
  var strategyWords = PurgeStrategy.plannedWords
  /// Whether the system is this project's tracker, with or without a seeded bug.
  ///
  /// The tracker can run in two ways: through its synchronous core, or as an actor
  /// (``PlannedDriver``).
  var hasDrivers = false
  /// The kinds of commands that the system does not support regardless of its capabilities.
  var excludedActions: Set<PlanAction> = []
  /// Whether the system runs tasks in an order that the plan's seed determines.
  var hasSchedules = false
  /// The tracking protocol that the system runs, as a value; `nil` for systems with code of their own.
  var design: TrackingDesign?
  let make: @Sendable () -> any SystemUnderTest

  /// The system's ``sentence`` and, for a published system, its authors' rules for apps.
  var description: String {
    statedUse.map { "\(sentence) Stated use: \($0.sentence)" } ?? sentence
  }

  /// The name of a design with a deliberate bug, for a first try of the lab.
  static let mistaken = "greatest-cursor"

  /// All systems of this build, in the order in which they are listed.
  static var all: [LabSystem] { builtIn + LabAdditions.currentSystems }

  private static let builtIn: [LabSystem] =
    [
      LabSystem(
        name: "tracker",
        sentence: "Our tracker and store: the real code.",
        timestamps: .monotone,
        capabilities: TrackerSystem.abilities,
        hasDrivers: true,
        make: { TrackerSystem() }
      )
    ] + published + [
      LabSystem(
        name: mistaken,
        sentence: "A design in memory with one bug, for a first try of the lab: it purges what the "
          + "fastest member has merged.",
        timestamps: .monotone,
        capabilities: LogSystem<GreatestCursorLog>.abilities,
        make: { LogSystem<GreatestCursorLog>() }
      )
    ] + Mutant.all.map(LabSystem.init)

  /// Returns the system with the given name; `nil` if no system has this name.
  static func named(_ name: String) -> LabSystem? { all.first { $0.name == name } }
}

extension LabSystem {
  /// Creates a system that runs the tracker with one seeded bug.
  ///
  /// `make` enables the bug for the whole process.
  init(_ mutant: Mutant) {
    name = Mutant.prefix + mutant.name
    sentence = mutant.sentence
    timestamps = .monotone
    capabilities = TrackerSystem.abilities
    hasDrivers = true
    make = {
      mutant.turnOn()
      return TrackerSystem()
    }
  }
}

extension LabSystem {
  /// Returns the system that an argument selects.
  ///
  /// The argument is the name of a system in this build, the path of a design file, or `external:`
  /// and the command of an external program. Such a program is started once to read its
  /// capabilities.
  ///
  /// - Throws: a usage error for an unknown name or an invalid file; ``LabError/undecided(_:try:)``
  ///   when a program does not answer with its capabilities.
  static func find(
    _ name: String,
    _ programs: SharedProgramState
  ) throws(LabError) -> LabSystem {
    if let command = ExternalProgram.command(in: name) {
      return try external(name, command, programs)
    }
    if FilePath.isDesign(name) { return try described(by: name) }
    guard let system = named(name) else {
      throw .usage(
        "there is no system \(name.quoted) in this build. Use a name that `list systems` shows."
      )
    }
    return system
  }

  /// Returns the system of the design that a file describes.
  ///
  /// - Throws: a usage error that states the problem and its position in the file.
  private static func described(by path: String) throws(LabError) -> LabSystem {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("--system: \(path.quoted) cannot be read. Pass a design file that you may read.")
    }
    do throws(FormatError) {
      let design = try DesignCodec.decode(String(decoding: data, as: UTF8.self))
      return LabSystem(design, name: path, nil)
    } catch {
      throw .usage(
        "--system: \(path): \(error.description)",
        try: "repair --system kit-2 --describe"
      )
    }
  }

  /// The description of external systems, which are separate programs, for the list of systems.
  static let externalSentence =
    "Any program that /bin/sh runs and that speaks the lab's protocol, such as history-lab serve."

  /// Whether the system is an external program.
  var isExternal: Bool { ExternalProgram.command(in: name) != nil }

  private static func external(
    _ name: String,
    _ command: String,
    _ programs: SharedProgramState
  ) throws(LabError) -> LabSystem {
    let program = ExternalProgram(command, timeout: programs.timeout)
    let hello: WireHello
    do throws(RunFailure) {
      let errors = programs.errors()
      hello = try ExternalSystem.greet { () throws(ProgramError) in
        try PipedProgram(program, errors: errors)
      }
    } catch {
      throw .undecided(
        "\(name.quoted) did not state its name and capabilities: \(error)",
        try: "protocol check \(command.shellQuoted)"
      )
    }
    return LabSystem(
      name: name,
      sentence: "\(hello.system) \(hello.version), an external program.",
      timestamps: hello.timestamps,
      capabilities: hello.abilities,
      knows: { _ in true },
      strategyWords: [],
      make: {
        let errors = programs.errors()
        return ExternalSystem(hello) { () throws(ProgramError) in
          try PipedProgram(program, errors: errors)
        }
      }
    )
  }
}

/// The shared timeout and the collected standard error of a run's external programs.
final class SharedProgramState: Sendable {
  let timeout: Duration
  private let texts = Mutex<[StandardErrorText]>([])

  init(seconds: Double = ExternalProgram.secondsByDefault) { timeout = .seconds(seconds) }

  /// Creates a buffer for the standard error of one program.
  func errors() -> StandardErrorText {
    let text = StandardErrorText()
    texts.withLock { $0.append(text) }
    return text
  }

  /// The standard error of all programs in the order of their starts; `nil` if there is none.
  var text: String? {
    let texts = texts.withLock { $0.map(\.text) }
    let outputs = texts.enumerated().filter { !$0.element.isEmpty }
    guard !outputs.isEmpty else { return nil }
    return outputs.map { "== program \($0.offset + 1) ==\n\($0.element)" }.joined(separator: "\n")
  }

  /// The name of the file for the standard error in the run's folder.
  static let file = "standard-error.txt"
}
