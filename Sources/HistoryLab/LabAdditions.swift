import Checkers
import Commands
import Foundation
package import HistorySystems
import PropertyTesting
import Synchronization
import Systems
import Traces
import Workloads

/// The systems, checkers and conditions that another package adds to the command.
package struct LabAdditions: Sendable {
  private let systems: [LabSystem]
  private let checkers: [any HistoryChecker.Type]
  private let conditions: [any PlanCondition]

  /// The conditions that other packages have added to this process.
  private static let added = Mutex<[any PlanCondition]>([])
  /// The systems that other packages have added to this process.
  private static let addedSystems = Mutex<[LabSystem]>([])

  package init(
    systems: [(name: String, sentence: String, subject: Subject)],
    checkers: [any HistoryChecker.Type],
    conditions: [any PlanCondition]
  ) {
    self.systems = systems.map(LabSystem.init)
    (self.checkers, self.conditions) = (checkers, conditions)
  }

  /// Adds the systems, checkers and conditions to this process; call it before the command line is read.
  package func add() {
    Self.addedSystems.withLock { $0 += systems }
    Self.added.withLock { $0 += conditions }
    CheckerSuite.add(
      checkers.map { type in
        AddedChecker(
          name: type.name,
          sentence: "Verifies that \(type.verifies). Does not verify \(type.doesNotVerify)."
        ) { OwnChecker(type, $0) }
      }
    )
  }

  /// The systems that other packages have added to this process.
  static var currentSystems: [LabSystem] { addedSystems.withLock { $0 } }

  /// The conditions that other packages have added to this process.
  static var currentConditions: [any PlanCondition] { added.withLock { $0 } }

  /// Returns the change that an added condition makes to a plan; `nil` if no condition has the name.
  ///
  /// If the changed plan names an unknown entity, attribute or member, the process ends with a
  /// usage error, because no counterexample of such plans could be replayed.
  static func change(_ name: String) -> (@Sendable (inout Plan, inout ChoiceSource) -> Void)? {
    guard let condition = currentConditions.first(where: { $0.name == name }) else { return nil }
    return { plan, source in
      do throws(SystemFailure) {
        plan = try condition.changed(plan, &source)
      } catch {
        FileHandle.standardError.write(Data("history-lab: \(error.message)\n".utf8))
        exit(ExitCode.usage.rawValue)
      }
    }
  }
}

extension LabSystem {
  /// Creates a lab system from a system that another package has added.
  fileprivate init(_ name: String, _ sentence: String, _ subject: Subject) {
    self.init(
      name: name,
      sentence: sentence,
      timestamps: subject.timestamps,
      capabilities: subject.capabilities,
      knows: { _ in false },
      strategyWords: [],
      make: subject.make
    )
    excludedActions = Set(PlanAction.allCases).subtracting(subject.actions)
    hasSchedules = subject.hasSchedules
  }
}

/// Applies a checker of another package to one trace.
struct OwnChecker: Checker {
  static let name = "a checker of one's own"
  private var check: OwnCheck

  init(_ type: any HistoryChecker.Type, _ header: TraceHeader) {
    check = OwnCheck(type, HistoryPlan(header.plan))
  }

  init(_ header: TraceHeader) { fatalError("A custom checker needs its type: use init(_:_:).") }

  mutating func observe(_ event: Event) {
    if !check.isBroken { check.observe(HistoryEvent(event)) }
  }

  var verdict: Verdict { check.verdict }
}
