internal import HistoryLab
@_exported public import HistorySystems
public import Systems

/// The command `history-lab`, with systems, checkers and conditions of one's own.
///
///     await LabCommand(systems: [.system("my-tracker", "Our tracker.", MyTracker.self)]).main()
public struct LabCommand: Sendable {
  private let systems: [LabSubject]
  private let checkers: [any HistoryChecker.Type]
  private let conditions: [any PlanCondition]

  /// Creates a command.
  ///
  /// - Parameters:
  ///   - systems: Systems next to those of `history-lab list systems`; each needs a name of its own.
  ///   - checkers: Invariants that are checked for every plan next to the built-in ones.
  ///   - conditions: Conditions that `--conditions` accepts by their names.
  public init(
    systems: [LabSubject] = [],
    checkers: [any HistoryChecker.Type] = [],
    conditions: [any PlanCondition] = []
  ) {
    (self.systems, self.checkers, self.conditions) = (systems, checkers, conditions)
  }

  /// Runs the command line of this process, and ends the process with the exit code.
  public func main() async -> Never {
    LabAdditions(
      systems: systems.map { ($0.name, $0.sentence, $0.subject) },
      checkers: checkers,
      conditions: conditions
    ).add()
    await LabMain.run()
  }
}

/// A system of one's own for the command.
///
///     LabSubject.design("my-log", "Our design.", MyLog.self)
public struct LabSubject: Sendable {
  let name: String
  let sentence: String
  let subject: Subject

  /// Describes a design.
  public static func design<Log: HistoryLog>(
    _ name: String,
    _ sentence: String,
    _ log: Log.Type
  ) -> LabSubject {
    LabSubject(name: name, sentence: sentence, subject: Subject(log: log))
  }

  /// Describes a real system.
  public static func system<System: HistorySystem>(
    _ name: String,
    _ sentence: String,
    _ system: System.Type
  ) -> LabSubject {
    LabSubject(name: name, sentence: sentence, subject: Subject { try await System($0) })
  }
}
