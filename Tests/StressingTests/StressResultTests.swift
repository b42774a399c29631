import Basics
import Foundation
import HistoryTypes
import Testing
import Traces

@testable import Stressing

@Suite struct `The result of a stress run` {
  @Test func `A run in which every check held is good`() {
    #expect(StressResult.good.verdict == "valid")
    #expect(
      StressResult.good.because
        == "all views equal the store's data, no transaction was purged too early or lost, and "
        + "history held 40 of 100 transactions at most and 1 at the end."
    )
  }

  @Test func `Every violated check is reported`() {
    let failure = StressChecks.Answer(checker: "PurgeSafety", verdict: "invalid", because: "gone")
    let breaks: [((inout StressResult) -> Void, String)] = [
      ({ $0.checkers.append(failure) }, "PurgeSafety: gone."),
      ({ $0.participants[0].errors["io"] = 2 }, "process-1 met 2 errors, first: "),
      ({ $0.heldAtEnd = 2 }, "history still holds 2 transactions that every member merged"),
      ({ $0.heldMax = 10_001 }, "history grew to 10,001 of 100 transactions"),
      ({ $0.unreportedCount = 1 }, "the store holds 1 transaction that no process reported"),
      ({ $0.integrityProblem = "page 3" }, "the file is damaged: page 3"),
      (
        { $0.locksWhileSuspended = ["process-1 held store while suspended"] },
        "Process-1 held store while suspended"
      ), ({ $0.participants[0].errors["suspended"] = 2 }, "process-1 met 2 errors, first: "),
      ({ $0.failures = ["process-2 did not pause"] }, "Process-2 did not pause"),
    ]
    for (change, sentence) in breaks {
      var result = StressResult.good
      change(&result)
      #expect(result.verdict == "invalid", "\(sentence)")
      #expect(
        result.because.capitalised.contains(sentence.capitalised),
        "\(result.because)"
      )
    }
  }

  @Test func `Calls refused by a suspension do not count as failures`() {
    var result = StressResult.good
    result.counts.suspensionRequests = 1
    result.participants[0].errors["suspended"] = 2
    #expect(result.verdict == "valid")
    #expect(result.faultCount(of: result.participants[0]) == 0)
  }

  @Test func `The first error is one that no suspension explains`() {
    var result = StressResult.good
    result.counts.suspensionRequests = 1
    for (code, message) in [(SystemFailure.Code.suspended, "a"), (.io, "b"), (.full, "c")] {
      result.participants[0].note(SystemFailure(code, message))
    }
    #expect(result.participants[0].firstError == "b")
    #expect(result.faultCount(of: result.participants[0]) == 2)
  }

  @Test func `The third process has the older version of the model`() {
    let header = StressModel.header(["process-1", "process-2", "process-3", "guest-1"], seed: 1)
    #expect(header.actors.map(\.id).filter(header.isOlder) == ["process-3"])
    let names = { (model: Model) in model.entities[0].attributes.map(\.name) }
    #expect(names(header.model(of: "process-3")) == ["title", "count", "bucket"])
    #expect(names(header.model) == ["title", "count", "bucket", "stars"])
  }

  @Test func `Errors are not failures of ours if the disk caused them`() {
    var result = StressResult(.sample(disk: .full))
    result.checkers = StressResult.good.checkers
    result.participants = StressResult.good.participants
    result.participants[0].errors["full"] = 9
    #expect(result.verdict == "valid")
    result.participants[0].errors["conflict"] = 1
    #expect(result.verdict == "invalid")
    result.participants[0].errors = [:]
    #expect(result.verdict == "unknown")
  }

  @Test func `A run with too little coverage is undecided`() {
    var result = StressResult.good
    result.checkers[0] = .init(checker: "Convergence", verdict: "unknown", because: "No views.")
    #expect(result.verdict == "unknown")
    #expect(result.because == "Convergence cannot be decided: No views.")
    result.checkers[0] = .init(checker: "WakeUp", verdict: "unknown", because: "No signals.")
    #expect(result.verdict == "valid")
  }

  @Test func `An interrupted run is undecided, whatever its results`() {
    var result = StressResult.good
    result.isInterrupted = true
    result.heldAtEnd = 70
    #expect(result.verdict == "unknown")
  }
}

@Suite struct `The joined result of a stress run's parts` {
  @Test func `Events are added, and the longest history counts`() {
    var parts = [StressResult.good, .good, .good]
    parts[1].heldMax = 70
    parts[2].heldAtEnd = 0
    for place in parts.indices {
      parts[place].seconds = 2
      parts[place].participants[0].written = 5
      parts[place].participants[0].errors = ["busy": 1]
      parts[place].counts.kill(at: .checkpoint)
      parts[place].counts.wakeUpMsMax = 10 * (place + 1)
    }
    parts[2].participants.append(.init(name: "guest-1"))
    parts[1].plainSQL = .init()
    parts[1].plainSQL?.written = 7
    let joined = StressResult(joining: parts, seed: 10)
    #expect(joined.committed == 300 && joined.seconds == 6 && joined.counts.kills == 3)
    #expect(joined.heldMax == 70 && joined.heldAtEnd == 1 && joined.counts.wakeUpMsMax == 30)
    #expect(joined.participants.map(\.name) == ["process-1", "process-2", "guest-1"])
    #expect(joined.participants[0].written == 15 && joined.participants[0].errors == ["busy": 3])
    #expect(joined.plainSQL?.written == 7 && joined.filledCount == nil && joined.seed == "0xa")
  }

  @Test func `A checker's violation in one part is the joined verdict, and a held one decides`() {
    func result(_ verdict: String) -> StressResult {
      var result = StressResult.good
      result.checkers = [.init(checker: "Convergence", verdict: verdict, because: verdict)]
      return result
    }
    for (parts, verdict) in [
      (["valid", "invalid"], "invalid"), (["unknown", "valid"], "valid"),
      (["unknown", "unknown"], "unknown"),
    ] {
      let joined = StressResult(joining: parts.map(result), seed: 1)
      #expect(joined.checkers.map(\.verdict) == [verdict], "\(parts)")
    }
  }
}

@Suite struct `Orders to the processes of a stress run` {
  @Test func `A process order is parsed back as it was written`() {
    let orders = [StressOrder(.pause), StressOrder(dyingAt: .checkpoint, visit: 7)]
    for order in orders { #expect(StressOrder(order.line) == order) }
    #expect(StressOrder("sing") == nil)
  }

  @Test func `The nemesis repeats its actions with the same seed`() {
    var first = StressNemesis(killsPerSecond: 5, seed: 3)
    var second = StressNemesis(killsPerSecond: 5, seed: 3)
    #expect((0..<20).map { _ in first.seed() } == (0..<20).map { _ in second.seed() })
    let late = ContinuousClock.now + .seconds(60)
    #expect(first.disturbances(at: late).count == 3)
    var kind = StressNemesis(killsPerSecond: 0, seed: 3)
    #expect(kind.disturbances(at: late).isEmpty)
  }

  @Test func `A role is passed to the process unchanged`() throws {
    var role = StressRole(
      name: "process-1",
      actors: ["process-1", "process-2"],
      life: 2,
      seed: .max,
      store: "/a b/'c.store",
      traces: "/t",
      rate: 0.5
    )
    role.mutant = "x"
    role.disk = .failing
    #expect(try StressRole(argument: role.argument()) == role)
    #expect(role.isNoisy)
  }
}

extension StressSettings {
  fileprivate static func sample(disk: StressDisk? = nil) -> StressSettings {
    var settings = StressSettings()
    settings.disk = disk
    return settings
  }
}

extension StressResult {
  /// The result of a run of two processes in which every check held.
  fileprivate static var good: StressResult {
    var result = StressResult(.sample())
    result.participants = ["process-1", "process-2"].map(Participant.init)
    result.checkers = [.init(checker: "Convergence", verdict: "valid", because: nil)]
    result.committed = 100
    result.heldMax = 40
    result.heldAtEnd = 1
    return result
  }
}
