import Checkers
import HistoryTypes
import Testing
import Traces

@Suite struct `Durability after a power-off` {
  private static let loss = PlannedFault(kind: .powerOff, file: .wal, call: .write, k: 1)

  private func verdict(_ story: Story) -> Verdict { story.verdict(Durability.self) }

  private func violation(_ story: Story) -> Violation? { verdict(story).violation }

  /// An app that wrote three transactions.
  private func written(_ synchronous: PlannedSynchronous = .normal) throws -> Story {
    var story = try Story("app", "widget")
    story.header.synchronous = synchronous
    for key in 1...3 as ClosedRange<Int64> {
      story.write("app", "\(key)", .insert("Item", key, ["count": .int(key)]))
    }
    return story
  }

  /// Turns the power off during a command; afterwards the store has the given transactions.
  private func lose(
    _ story: inout Story,
    through last: Int64,
    during action: Action = .fetch("app"),
    kind: PlannedFault = loss,
    data: Objects? = nil,
    history: [CommittedTransaction]? = nil,
    _ body: (inout Story) -> Void = { _ in }
  ) {
    let held = story.transactions.prefix(Int(last))
    story.run(action, .unknown(SystemFailure(.crashed, "The power failed."))) { story in
      story.tell(action.actor, .fault(kind))
      body(&story)
      for actor in ["app", "widget"] as [ActorID] { story.crash(actor) }
      story.tell(nil, .recovered(through: last == 0 ? nil : "\(last)"))
      story.tell(nil, .data(data ?? Self.objects(through: last)))
      story.tell(nil, .history(history ?? Array(held)))
    }
  }

  private static func objects(through last: Int64) -> Objects {
    var objects: Objects = [:]
    for key in 0..<last { objects[ObjectName("Item", key + 1)] = ["count": .int(key + 1)] }
    return objects
  }

  private static let delay = EventKind.fault(
    PlannedFault(kind: .delay, file: .wal, call: .sync, k: 1)
  )

  // MARK: Accepted

  @Test func `A delayed sync excuses the loss of writes since then, but not later losses`() throws {
    var story = try written(.full)
    story.run(.fetch("app")) { $0.tell("app", Self.delay) }
    lose(&story, through: 2)
    #expect(verdict(story) == .valid)
    story.relaunch("app", at: nil)
    story.write("app", "3", .insert("Item", 3, ["count": .int(3)]))
    lose(&story, through: 2)
    #expect(
      violation(story)?.because
        == "app wrote #3, which was acknowledged with synchronous=FULL; after a power-off #3 is missing"
    )
  }

  @Test func `A delayed sync does not excuse the loss of transactions that survived a power-off`()
    throws
  {
    for synchronous in [PlannedSynchronous.normal, .full] {
      var story = try written(synchronous)
      lose(&story, through: 3)
      story.run(.fetch("app")) { $0.tell("app", Self.delay) }
      lose(&story, through: 2)
      #expect(violation(story)?.because.contains("which survived an earlier power-off") == true)
    }
  }

  @Test(arguments: [0, 1, 3] as [Int64])
  func `With NORMAL any prefix of the commits may survive`(_ last: Int64) throws {
    var story = try written()
    lose(&story, through: last)
    #expect(verdict(story) == .valid)
    #expect(story.verdict(Convergence.self).violation == nil)
    #expect(story.verdict(HistoryExplainsData.self).violation == nil)
  }

  @Test func `With FULL every commit survives`() throws {
    var story = try written(.full)
    lose(&story, through: 3)
    #expect(verdict(story) == .valid)
  }

  @Test func `An interrupted write may survive if the store reports it`() throws {
    let insert = PlannedChange.insert("Item", 4, ["count": .int(4)])
    let write = Action.write(PlannedWrite(actor: "app", changes: [insert]))
    var story = try written(.full)
    lose(&story, through: 3, during: write)
    #expect(verdict(story) == .valid)
    story = try written(.full)
    let reported = Story.transaction("4", by: "app", [.insert(4)])
    lose(&story, through: 4, during: write, history: story.transactions + [reported]) { story in
      story.commit("app", "4", [.insert(4)])
    }
    #expect(verdict(story) == .valid)
    #expect(story.verdict(Convergence.self).violation == nil)
  }

  @Test func `With NORMAL a lost write may be repeated under the same name`() throws {
    var story = try written()
    lose(&story, through: 1)
    story.relaunch("app", at: nil)
    story.write("app", "2", .insert("Item", 9))
    lose(
      &story,
      through: 2,
      data: Self.objects(through: 1).merging([ObjectName("Item", 9): [:]]) { $1 },
      history: [story.transactions[0], Story.transaction("2", by: "app", [.insert(9)])]
    )
    #expect(verdict(story) == .valid)
  }

  @Test func `A power-off may revert a purge`() throws {
    for isTakenBack in [true, false] {
      var story = try written()
      let held = story.transactions
      story.purge("app", "1")
      lose(&story, through: 3, history: isTakenBack ? held : Array(held.dropFirst()))
      #expect(verdict(story) == .valid)
      #expect(story.verdict(HistoryExplainsData.self).violation == nil)
    }
  }

  @Test func `A disk that delays its syncs may lose transactions that FULL acknowledged`() throws {
    var story = try written(.full)
    story.run(.fetch("app")) { story in
      story.tell("app", .fault(PlannedFault(kind: .delay, file: .wal, call: .sync, k: 1)))
    }
    lose(&story, through: 2)
    #expect(verdict(story) == .valid)
  }

  @Test func `A trace without a power-off is undecided`() throws {
    #expect(verdict(try written()).isUnknown)
  }

  // MARK: Rejected

  @Test func `With FULL a lost acknowledged commit is rejected`() throws {
    var story = try written(.full)
    lose(&story, through: 2)
    #expect(violation(story)?.transaction == "3")
    #expect(
      violation(story)?.because
        == "app wrote #3, which was acknowledged with synchronous=FULL; after a power-off #3 is missing"
    )
  }

  @Test func `Losing transactions that survived an earlier power-off is rejected`() throws {
    var story = try written()
    lose(&story, through: 2)
    lose(&story, through: 1)
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `A last transaction that was never committed is rejected`() throws {
    var story = try written()
    lose(&story, through: 7)
    #expect(violation(story)?.because.contains("#7, which was never committed") == true)
  }

  @Test func `A missing transaction between surviving ones is rejected`() throws {
    var story = try written()
    lose(&story, through: 3, history: [story.transactions[0], story.transactions[2]])
    #expect(violation(story)?.transaction == "2")
  }

  @Test func `A transaction after the last surviving one is rejected`() throws {
    var story = try written()
    lose(&story, through: 2, history: story.transactions)
    #expect(violation(story)?.transaction == "3")
  }

  @Test func `Data and history must agree row by row`() throws {
    for wrong in [Self.objects(through: 3), Self.objects(through: 1)] {
      var story = try written()
      lose(&story, through: 2, data: wrong)
      #expect(
        violation(story)?.because.hasPrefix("after a power-off the data differ from those") == true
      )
    }
    var data = Self.objects(through: 2)
    data[ObjectName("Item", 1)] = ["count": .int(8)]
    var story = try written()
    lose(&story, through: 2, data: data)
    #expect(violation(story) != nil)
  }

  @Test func `The store must open and pass the integrity check`() throws {
    var story = try written()
    story.run(.fetch("app")) { $0.tell(nil, .damaged(because: "row 3 is missing")) }
    #expect(violation(story)?.because.hasSuffix("the store is damaged: row 3 is missing") == true)
  }

  // MARK: The others

  @Test func `A member whose registration was lost registers again`() throws {
    var story = try written()
    story.retire("widget")
    story.register("widget")
    lose(&story, through: 3)
    story.relaunch("app", at: nil)
    story.write("app", "4", .insert("Item", 4))
    story.purge("app", "1", "2", "3")
    story.register("widget")
    story.close()
    #expect(story.verdict(PurgeSafety.self).violation == nil)
    #expect(story.verdict(NoLostTransaction.self).violation == nil)
  }

  @Test func `With FULL a lost registration is rejected`() throws {
    var story = try written(.full)
    lose(&story, through: 3)
    story.relaunch("app", at: nil)
    story.purge("app", "1")
    #expect(story.verdict(PurgeSafety.self).violation?.transaction == "1")
  }

  @Test func `A member must merge again the transactions whose record was lost`() throws {
    var story = try written()
    story.pass("widget", "1", "2", "3")
    lose(&story, through: 3)
    story.relaunch("widget", at: "1")
    var silent = story
    story.pass("widget", "2", "3")
    story.close(data: Self.objects(through: 3))
    silent.close(data: Self.objects(through: 3))
    #expect(story.verdict(NoLostTransaction.self) == .valid)
    #expect(silent.verdict(NoLostTransaction.self).violation?.transaction == "2")
  }
}
