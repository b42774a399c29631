import HistoryStore
import HistoryTypes
import Testing
import Traces

@testable import Systems

/// Processes that a later launch of their actors has replaced.
@Suite struct `Replaced processes` {
  /// An app that has merged but not recorded a transaction when a second process replaces it.
  private func rig(_ locks: PlannedLocks = .none) throws -> Rig {
    let rig = try Rig(TrackerSystem()) { $0.locks = locks }
    try rig.write("widget", insert(1))
    try rig.write("widget", insert(2))
    try rig.perform(.fetch("app"))
    try rig.perform(.merge("app"))
    if locks == .none { #expect(try rig.perform(.launch("app")) == [.launched(cursor: nil)]) }
    return rig
  }

  @Test func `With member locks a second process is refused`() throws {
    let rig = try rig(.held)
    let refused = #expect(throws: SystemFailure.self) { try rig.perform(.launch("app")) }
    #expect(refused?.code == .inUse)
  }

  @Test(arguments: BelatedStep.allCases)
  func `No command of the replaced process takes effect`(_ step: BelatedStep) throws {
    let rig = try rig()
    let before = rig.eventCount
    let refused = #expect(throws: SystemFailure.self) {
      try rig.perform(.belated("app", step))
    }
    #expect(refused?.code == .superseded)
    #expect(rig.eventCount == before)
    #expect(try rig.perform(.pass("app")).contains(.merged(["1", "2"])))
  }
}
