import Checkers
import Faults
import Foundation
import HistoryTypes
import Testing
import Traces

@testable import Simulation
@testable import Systems

/// Makes each call of a command fail in turn, until the command succeeds.
@Suite struct `Failures in commands` {
  /// A plan with a plain actor, one whose tracker has hooks, and a consumer.
  private static func plan(_ command: Action, before: [Action] = []) throws -> Plan {
    var plan = try Plans.make(["app", "widget"])
    plan.header.consumers = ["mirror"]
    plan.header.checkpointPages = 8
    plan.header.retention = PlannedRetention(transactions: 50)
    plan.header.actors[1].hooks = [PlannedHook.observer.rawValue]
    plan.header.actors[1].strategy = "byNotification/1"
    let setup: [Action] = [
      write("app", 1), write("widget", 2), .pass("widget"), write("app", 3), .fetch("app"),
      .merge("app"),
    ]
    plan.commands = (setup + before + [command]).map { Command($0) }
    return plan
  }

  private static let commands: [(Action, before: [Action])] = [
    (write("app", 9), []),
    (.write(PlannedWrite(actor: "app", context: "batch", changes: planned("app", 9).changes)), []),
    (.batch(update("app")), []), (.begin(planned("app", 9)), []),
    (.commit("app"), [.begin(planned("app", 9))]), (.launch("app"), [.stop("app")]),
    (.launch("widget"), [.crash("widget")]), (.launch("app"), [.retire("app")]),
    (.retire("app"), []), (.retire("widget"), []), (.fetch("app"), []), (.merge("app"), []),
    (.record("app"), []), (.fetch("widget"), []), (.merge("widget"), [.fetch("widget")]),
    (.record("widget"), [.fetch("widget"), .merge("widget")]), (.pass("app"), []),
    (.pass("widget"), []), (.purge("app"), [.record("app"), .pass("widget"), .consume("mirror")]),
    (.purge("widget"), [.record("app"), .pass("widget"), .consume("mirror")]),
    (.resync("app"), []), (.resync("widget"), []), (.consume("mirror"), []),
    (.view("app", context: "view"), []), (.data, []), (.history, []),
  ]

  private static func update(_ actor: ActorID) -> PlannedBatch {
    PlannedBatch(
      actor: actor,
      type: .update,
      entity: "Item",
      conditions: [.compare("count", .greater, .int(0))],
      values: ["title": .string("t")]
    )
  }

  private static let files: [(PlannedFault.File, PlannedFault.Call)] =
    PlannedFault.File.allCases.flatMap { file in
      [.read, .write, .sync, .truncate, .lock].map { (file, $0) }
    }

  /// Returns each kind of fault with the calls that it applies to.
  private static func places(
    of kind: PlannedFault.Kind
  ) -> [(PlannedFault.File, PlannedFault.Call)] {
    kind == .memory ? [(.main, .allocate)] : files.filter { kind.calls.contains($0.1) }
  }

  /// The result of one attempt.
  private struct Attempt {
    let hasFired: Bool
    /// The problem; `nil` if there is none.
    let complaint: String?
  }

  /// Runs a plan with a fault in its last command, which is then repeated.
  private static func attempt(
    _ plan: Plan,
    _ fault: PlannedFault,
    _ simulator: Simulator
  ) throws -> Attempt {
    var plan = plan
    let first = plan.commands.count - 1
    let action = plan.commands[first].action
    plan.commands[first].faults = [fault]
    // A commit ends the started write, whatever its outcome.
    if case .commit(let actor) = action { plan.commands.append(Command(.begin(planned(actor, 9)))) }
    let again = plan.commands.count
    plan.commands.append(Command(action))
    plan.commands += [write("widget", 20), .pass("widget")].map { Command($0) }
    let events = try simulator.run(plan)
    let trace = Trace(header: TraceHeader(plan: plan, system: "tracker"), events: events)
    let violation = CheckerSuite(checking: trace, scope: .all).violation
    let refusal = isDone(action, in: events, first, again) ? nil : "the next try failed"
    return Attempt(
      hasFired: events.contains { $0.kind == .fault(fault) },
      complaint: (violation?.because ?? refusal).map {
        "\(action.word) \(action.actor?.name ?? ""), \(fault): \($0)"
      }
    )
  }

  /// Returns whether one of two attempts succeeded; a second launch or retirement cannot.
  private static func isDone(
    _ action: Action,
    in events: [Event],
    _ first: Int,
    _ again: Int
  ) -> Bool {
    let isFirst = events.contains { $0.kind == .ended(command: first, .ok) }
    let isSecond = events.contains { $0.kind == .ended(command: again, .ok) }
    return switch action {
    case .launch, .retire, .begin: isFirst || isSecond
    default: isSecond
    }
  }

  /// Makes each call of every command fail, or one in a few, and returns their number and the first
  /// problem.
  private static func sweep(
    _ kind: PlannedFault.Kind,
    stride: Int
  ) throws -> (failureCount: Int, complaint: String?) {
    let simulator = Simulator(TrackerSystem(), at: .heap())
    var failureCount = 0
    for (number, (command, before)) in commands.enumerated() {
      let plan = try plan(command, before: before)
      for (file, call) in places(of: kind) {
        for from in stride == 1 ? [false, true] : [number.isMultiple(of: 2)] {
          for k in Swift.stride(from: 1 + number % stride, through: 4_000, by: stride) {
            let fault = PlannedFault(kind: kind, file: file, call: call, k: k, from: from)
            let attempt = try attempt(plan, fault, simulator)
            guard attempt.hasFired else { break }
            failureCount += 1
            if let complaint = attempt.complaint { return (failureCount, complaint) }
          }
        }
      }
    }
    print("\(failureCount) failures (\(kind.rawValue)) of \(commands.count) commands")
    return (failureCount, nil)
  }

  /// One of how many calls is made to fail; 1 makes all of them fail.
  private static let stride = ProcessInfo.processInfo.environment["FAILURE_STRIDE"].flatMap(
    Int.init
  )

  @Test(arguments: [PlannedFault.Kind.ioError, .full, .busy])
  func `A failure of any call is an error, the next attempt succeeds, and no data is lost`(
    _ kind: PlannedFault.Kind
  ) throws {
    let (failureCount, complaint) = try Self.sweep(kind, stride: Self.stride ?? 5)
    #expect(complaint == nil)
    #expect(failureCount >= 10)
  }

  /// In a separate process: the allocator must be installed before SQLite is used.
  @Test func `A failure of any allocation is an error, and the next attempt succeeds`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      guard FailingAllocator.isInPlace else { fatalError("the allocator came too late") }
      FailingAllocator.turnOffLookaside()
      let (failureCount, complaint) = try Self.sweep(.memory, stride: Self.stride ?? 61)
      guard complaint == nil, failureCount >= 10 else {
        fatalError("\(failureCount) failures: \(complaint ?? "too few")")
      }
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    for line in output.split(separator: "\n") where line.contains("failures (") { print(line) }
  }
}
