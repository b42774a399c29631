import HistoryStore
import HistoryTypes
import ObjectContexts
import TestSupport
import Testing
import Traces

@testable import Stressing

@Suite struct `The outcome of a write during which a process was killed` {
  private let folder: TemporaryFolder
  private let store: Store
  private let role: StressRole

  init() throws {
    folder = try TemporaryFolder()
    store = try StressModel.create(folder.path("store"))
    role = StressRole(
      name: "process-1",
      actors: ["process-1", "process-2"],
      life: 0,
      seed: 1,
      store: folder.path("store"),
      traces: folder.path(""),
      rate: 0
    )
  }

  /// Inserts an object by an author.
  private func insert(by author: String) throws -> HistoryTransaction {
    let view = ObjectContext(store: store, author: author, name: "view")
    try view.insert(StressModel.entity, ["title": .string("a")])
    try view.save()
    return try #require(try store.transaction(TransactionNumber(store.currentToken().number)))
  }

  /// Writes the trace of a process that was killed before it reported the outcome of a write.
  private func cutOff(at number: TransactionNumber) throws {
    let write = PlannedWrite(
      actor: role.id,
      changes: [PlannedChange(.insert, ObjectName(StressModel.entity, -1), ["title": .string("a")])]
    )
    try StressTrace(role.writerTrace, of: role.id).add([
      .init(.called(command: 1, word: "write"), at: 1, given: Command(.write(write)))
    ])
    try StressNumberFile(role.numberFile).note(number.rawValue, ofWrite: 1)
  }

  private func outcome(
    purged: [TransactionNumber: HistoryTransaction] = [:]
  ) throws -> ProcessTrace.CutOff {
    try StressReconciler(store: store).reconcile(role, after: 0, purged: purged).cutOff
  }

  /// Removes all history before the newest transaction.
  private func purge() throws {
    _ = try insert(by: "process-2")
    let registration = try store.join("process-2")
    try store.record(registration, through: store.currentToken())
    _ = try store.purge()
  }

  @Test func `A write that is found in history counts as committed`() throws {
    let transaction = try insert(by: "process-1")
    try cutOff(at: transaction.number)
    let reported = CommittedTransaction(store.model, transaction, writer: "process-1")
    #expect(try outcome() == .committed(reported))
  }

  /// The tracker's thread turns captured changes into a transaction after the write has committed.
  @Test func `A number that another thread notes is not that of the write`() throws {
    let hooks = try StressHooks(role, servesAllFiles: false)
    let observer = try #require(try hooks.configuration().actionObserver)
    let command = Command(.write(PlannedWrite(actor: role.id, changes: [])))
    let transaction = try hooks.write(command) {
      let transaction = try insert(by: "process-1")
      observer.writes(transaction.number.rawValue)
      return transaction
    }
    observer.writes(try insert(by: "plain-sql.1.1").number.rawValue)
    #expect(StressNumberFile.read(role.numberFile)?.number == transaction.number.rawValue)
    let reported = CommittedTransaction(store.model, transaction, writer: "process-1")
    #expect(try outcome() == .committed(reported))
  }

  @Test func `A transaction of another author with the noted number is another write`() throws {
    let transaction = try insert(by: "process-2")
    try cutOff(at: transaction.number)
    #expect(try outcome() == .nothing)
  }

  @Test func `A purged write is known if the run has read it before`() throws {
    let transaction = try insert(by: "process-1")
    try cutOff(at: transaction.number)
    try purge()
    #expect(try store.transaction(transaction.number) == nil)
    let reported = CommittedTransaction(store.model, transaction, writer: "process-1")
    #expect(try outcome(purged: [transaction.number: transaction]) == .committed(reported))
    #expect(try outcome() == .open)
  }
}
