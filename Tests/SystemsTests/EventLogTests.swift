import HistoryTypes
import Systems
import Testing
import Traces

@Suite struct `A log of events` {
  private func committed(_ name: TransactionName) -> EventKind {
    .committed(
      CommittedTransaction(
        name: name,
        author: "app",
        context: "view",
        writer: nil,
        timestamp: 0,
        changes: []
      )
    )
  }

  @Test func `The newest transaction is known, including earlier logs`() {
    var log = EventLog()
    #expect(log.newest == nil)
    log.add("app", committed("1"))
    log.add("app", committed("2"))
    log.add("app", .stopped)
    #expect(log.newest == "2")
    var next = EventLog(after: log)
    #expect(next.newest == "2" && next.events.isEmpty)
    next.add("app", committed("3"))
    #expect(next.newest == "3")
    log.restart(after: next)
    #expect(log.newest == "3" && log.events.isEmpty)
    log.restart(after: log)
    #expect(log.newest == "3")
  }

  @Test func `A transaction lost in a power-off is not the newest`() {
    var log = EventLog()
    log.add("app", committed("1"))
    log.add("app", committed("2"))
    log.add(nil, .recovered(through: "1"))
    #expect(log.newest == "1")
    log.add(nil, .recovered(through: nil))
    #expect(EventLog(after: log).newest == nil)
  }
}
