import HistoryTracking
import HistoryTypes
import ObjectContexts
import Testing
import Traces

@testable import Systems

/// Explorations restore processes from snapshots.
///
/// A stored property that a snapshot lacks makes their verdicts wrong, and no other check detects
/// it.
@Suite struct `Contents of snapshots` {
  /// Returns the names of the stored properties of a value, as declared.
  private func properties(_ value: Any) -> Set<String> {
    Set(Mirror(reflecting: value).children.compactMap(\.label))
  }

  /// Returns the properties missing from the snapshot and not known to be constant.
  private func forgotten(_ value: Any, in snapshot: Any, fixed: Set<String>) -> Set<String> {
    properties(value).subtracting(properties(snapshot)).subtracting(fixed)
  }

  private func tracked() throws -> (Rig, TrackedProcess) {
    let system = TrackerSystem()
    let rig = try Rig(system) { header in header.actors[0].hooks = ["observer-retry"] }
    return (rig, try #require(system.host.running["app"]))
  }

  @Test func `A snapshot has a process's contexts and its started write`() throws {
    let (rig, tracked) = try tracked()
    defer { withExtendedLifetime(rig) {} }
    let process = tracked.process
    // A restore opens a new connection; the state of the old one is saved.
    // The references are those of the store's model. A process with live queries has no snapshot.
    #expect(forgotten(process, in: try process.snapshot(), fixed: ["references", "lists"]) == [])
    #expect(
      forgotten(tracked, in: try tracked.snapshot(), fixed: []) == []
    )
  }

  @Test func `A snapshot has all of a tracker's changing state`() throws {
    let (rig, tracked) = try tracked()
    defer { withExtendedLifetime(rig) {} }
    let engine = try #require(tracked.engine as? CoreEngine)
    guard case .core(let snapshot) = engine.snapshot else {
      throw SystemFailure(.failed, "no memory")
    }
    // Hooks are registered again in the same order, and their notes are removed after each step.
    let fixed: Set = ["notes", "observers", "mergeHooks"]
    #expect(forgotten(engine, in: snapshot, fixed: fixed) == [])
    let core = try #require(Mirror(reflecting: engine).descendant("core") as? TrackerCore)
    let given: Set = ["member", "store", "contexts", "configuration", "log", "hooks"]
    #expect(forgotten(core, in: core.snapshot, fixed: given) == [])
    // Of the hooks only the call counts change.
    #expect(properties(core.hooks) == ["observers", "mergeHooks", "lastNumber"])
    #expect(properties(core.snapshot).contains("called"))
    let session = try #require(core.session)
    // The fetched page contains both.
    let derived: Set = ["member", "store", "contexts", "awaitingMerge", "hasMore"]
    #expect(forgotten(session, in: session.snapshot, fixed: derived) == [])
  }

  @Test func `A snapshot has a consumer's registration and token`() throws {
    let system = TrackerSystem()
    let rig = try Rig(system) { $0.consumers = ["mirror"] }
    try rig.perform(.launch("mirror"))
    try rig.perform(.consume("mirror"))
    let consumer = try #require(system.host.consumers["mirror"])
    #expect(forgotten(consumer, in: try consumer.snapshot(), fixed: []) == [])
  }

  @Test func `A property missing from the snapshot is detected`() {
    struct Process { var cursor = 1, forgotten = 2 }
    struct Snapshot { var cursor = 1 }
    #expect(forgotten(Process(), in: Snapshot(), fixed: []) == ["forgotten"])
  }
}
