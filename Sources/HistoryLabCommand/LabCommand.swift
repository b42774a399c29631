internal import HistoryLab
@_exported public import HistorySystems
public import Systems

/// The command `history-lab` with custom systems, checkers and conditions.
///
///     await LabCommand(systems: [.system("my-tracker", "Our tracker.", MyTracker.self)]).main()
public struct LabCommand: Sendable {
  private let systems: [LabSubject]
  private let checkers: [any HistoryChecker.Type]
  private let conditions: [any PlanCondition]

  /// Creates the command with additions to its built-in systems, checkers and conditions.
  ///
  /// - Parameters:
  ///   - systems: Custom systems; each needs a name that `history-lab list systems` does not show yet.
  ///   - checkers: Custom invariants, which are checked for every plan in addition to the built-in ones.
  ///   - conditions: Custom conditions, which `--conditions` accepts by their names.
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

/// A custom system for the command.
///
///     LabSubject.design("my-log", "Our design.", MyLog.self)
public struct LabSubject: Sendable {
  let name: String
  let sentence: String
  let subject: Subject

  /// Returns a custom system for the command from a design of history tracking.
  ///
  /// - Parameters:
  ///   - name: The name of the system, as the option `--system` accepts it.
  ///   - sentence: The description of the system in `history-lab list systems`.
  ///   - log: The type of the design.
  /// - Returns: The system, for ``LabCommand/init(systems:checkers:conditions:)``.
  public static func design<Log: HistoryLog>(
    _ name: String,
    _ sentence: String,
    _ log: Log.Type
  ) -> LabSubject {
    LabSubject(name: name, sentence: sentence, subject: Subject(log: log))
  }

  /// Returns a system for the command, made from a tracker of your own and its store.
  ///
  /// - Parameters:
  ///   - name: The name of the system, as the option `--system` accepts it.
  ///   - sentence: The description of the system in `history-lab list systems`.
  ///   - system: The type of the tracker.
  /// - Returns: The system, for ``LabCommand/init(systems:checkers:conditions:)``.
  public static func system<System: HistorySystem>(
    _ name: String,
    _ sentence: String,
    _ system: System.Type
  ) -> LabSubject {
    LabSubject(name: name, sentence: sentence, subject: Subject { try await System($0) })
  }
}
