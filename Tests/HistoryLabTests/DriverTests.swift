import Foundation
import HistoryTypes
import LabFixtures
import Simulation
import Systems
import Testing
import Traces
import Workloads

@testable import HistoryLab

/// The tracker has two drivers: the synchronous one, and the Swift actor that apps use.
@Suite struct `The drivers of the tracker` {
  /// The length of the plans: `DRIVER_DEPTH`, which the nightly run sets to 4.
  private static let depth =
    ProcessInfo.processInfo.environment["DRIVER_DEPTH"].flatMap { Int($0) } ?? 2

  @Test(arguments: Condition.allCases.filter { $0 != .callFailure })
  func `The drivers give the same events in every short plan of two actors`(
    _ condition: Condition
  ) throws {
    var comparison = DriverComparison(condition)
    try comparison.compareAll(to: Self.depth)
    print("\(condition): \(comparison.planCount) plans of \(Self.depth) commands compared")
    #expect(comparison.planCount > 10)
    #expect(comparison.differences.isEmpty, "\(comparison.differences.first ?? "")")
  }

  @Test func `Drivers that differ are detected`() throws {
    var comparison = DriverComparison(.steady)
    try comparison.compareAll(to: 1, switching: { _ in Fickle() })
    #expect(!comparison.differences.isEmpty)
  }
}

/// Every plan of two actors under one condition, run through both drivers.
private struct DriverComparison {
  var alphabet: PlanAlphabet
  private(set) var planCount = 0
  private(set) var differences: [String] = []

  init(_ condition: Condition) {
    alphabet = PlanAlphabet(condition, actors: 2, actions: Set(PlanAction.allCases))
  }

  /// Compares all plans of a length, whose prefixes are the shorter ones.
  mutating func compareAll(
    to length: Int,
    switching other: (TrackerSystem) -> any SystemUnderTest = { system in
      system.switchDriver()
      return system
    }
  ) throws {
    let first = Simulator(TrackerSystem(), at: .heap())
    let second = Simulator(other(TrackerSystem()), at: .heap())
    defer {
      first.close()
      second.close()
    }
    for header in alphabet.headers {
      try compare(Plan(header: header, commands: []), first, second, length)
    }
  }

  private mutating func compare(
    _ plan: Plan,
    _ first: Simulator,
    _ second: Simulator,
    _ length: Int
  ) throws {
    let events = try first.run(plan)
    if plan.commands.count == length {
      planCount += 1
      if try second.run(plan) != events {
        differences.append("\(plan.header.actors.map(\.id)): \(plan.commands.map(\.action))")
      }
      return
    }
    for command in alphabet.moves(from: place(after: plan, events)) {
      var longer = plan
      longer.commands.append(command)
      try compare(longer, first, second, length)
    }
  }

  /// Returns the state after the commands of a plan, given the events of each.
  private func place(after plan: Plan, _ events: [Event]) -> ExploredPlanState {
    var place = alphabet.start(plan.header)
    for (index, command) in plan.commands.enumerated() {
      let start = events.firstIndex { $0.kind.isCall(of: index) } ?? events.endIndex
      let rest = events[start...]
      let end = rest.firstIndex { $0.kind.isEnd(of: index) } ?? rest.endIndex
      alphabet.advance(&place, by: command.action, Array(rest[..<min(end + 1, rest.endIndex)]))
    }
    return place
  }
}

extension EventKind {
  fileprivate func isCall(of index: Int) -> Bool {
    if case .called(index, _) = self { true } else { false }
  }

  fileprivate func isEnd(of index: Int) -> Bool {
    if case .ended(index, _) = self { true } else { false }
  }
}
