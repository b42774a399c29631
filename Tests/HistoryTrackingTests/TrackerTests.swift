import HistoryStore
import HistoryTypes
import ObjectContexts
import PropertyTesting
import PropertyTraits
import StoreFixtures
import Testing

@testable import HistoryTracking

@Suite(.inEveryLayout) struct `A tracker` {
  let shared: SharedStore
  let other: ObjectContext

  init() throws {
    shared = try SharedStore()
    other = try shared.writer("other")
  }

  /// A tracker with its view, on a new connection.
  private func make(
    _ member: MemberID,
    _ strategy: PurgeStrategy = .whenMerged
  ) throws -> (tracker: HistoryTracker, view: ObjectContext) {
    // The tracker gets no signals here: every pass is requested.
    let store = try shared.open {
      $0.signalsChanges = false
      $0.changePollInterval = .seconds(3600)
    }
    let view = ObjectContext(store: store, author: member.name, name: "view")
    let tracker = HistoryTracker(member, store: store, contexts: [view], strategy: strategy)
    return (tracker, view)
  }

  @Test func `Starting registers and catches up`() async throws {
    try other.write("a")
    let (app, view) = try make("app")
    #expect(try shared.cursor("app") == nil)
    let report = try await app.start()
    #expect(report.transactionCount == 0 && report.cursor?.number == 1)
    #expect(try view.titles == ["a"])
    try other.write("b")
    #expect(try await app.start().transactionCount == 1)
    #expect(try view.titles == ["a", "b"])
  }

  @Test func `A pass merges, records, and purges the history that every member has merged`()
    async throws
  {
    let (app, view) = try make("app")
    try await app.start()
    try other.write("a", "b", "c")
    let report = try await app.pass()
    #expect(report.transactionCount == 3 && report.changeCount == 3)
    #expect(report.cursor?.number == 3 && report.purgedThrough == 2)
    #expect(try view.store.heldNumbers() == [3])
    #expect(try await app.pass().transactionCount == 0)
  }

  @Test func `With the strategy none only a manual purge removes history`() async throws {
    let (app, view) = try make("app", .none)
    try await app.start()
    try other.write("a", "b", "c")
    let report = try await app.pass()
    #expect(report.transactionCount == 3 && report.purgedThrough == nil)
    #expect(try view.store.heldNumbers() == [1, 2, 3])
    let result = try await app.purge()
    #expect(result.transactionCount == 2 && result.purgedThrough == 2)
  }

  @Test func `A stopped tracker is notified of missed commits at its next start`() async throws {
    let (app, view) = try make("app")
    try await app.start()
    await app.stop()
    try other.write("a", "b")
    #expect(try view.titles.isEmpty)
    let (widget, _) = try make("widget")
    try await widget.start()
    #expect(try other.store.heldNumbers() == [1, 2])
    let report = try await app.start()
    #expect(report.transactionCount == 2)
    #expect(try view.titles == ["a", "b"])
  }

  @Test func `A retired tracker retains no history and is new when it starts again`() async throws {
    let (app, view) = try make("app")
    try await app.start()
    try await app.retire()
    #expect(try shared.cursor("app") == nil)
    try other.write("a", "b")
    #expect(try await app.start().transactionCount == 0)
    #expect(try shared.cursor("app") == 2 && view.titles == ["a", "b"])
  }

  @Test func `A second process of a member supersedes the first, which may start again`()
    async throws
  {
    let (first, firstView) = try make("app")
    let (second, _) = try make("app")
    try await first.start()
    try await second.start()
    try other.write("a")
    await #expect(throws: HistoryError.superseded("app")) { try await first.pass() }
    #expect(try await second.pass().transactionCount == 1)
    await first.stop()
    #expect(try await first.start().transactionCount == 0)
    #expect(try firstView.titles == ["a"])
  }

  @Test(arguments: [false, true])
  func `A tracker that was cut off resyncs, running or starting`(_ runs: Bool) async throws {
    let (app, view) = try make("app")
    try await app.start()
    try other.write("a")
    try shared.cutOff("app")
    if !runs { await app.stop() }
    await #expect(throws: HistoryError.lost("app")) { try await app.start() }
    #expect(try await app.resync().number == 1)
    #expect(try view.titles == ["a"])
    try other.write("b")
    #expect(try await app.pass().transactionCount == 1)
  }

  /// The next step of a tracker or of its view.
  private struct Step {
    enum Kind: CaseIterable { case write, pass, set, delete }

    let side: Int
    let kind: Kind
    /// Which object is set or deleted: a place in the view's list, counted in rounds.
    let place: Int
  }

  private static let steps = Generator { source in
    Step(
      side: source.index(below: 3),
      kind: Step.Kind.allCases[source.weighted([3, 2, 2, 1])],
      place: source.int(in: 0...99)
    )
  }

  @Test(.property(cases: 3, seed: 7))
  func `Trackers that write and pass in any order end with the same objects`() async throws {
    var titleCount = 0
    try await property(
      Self.steps.array(count: 0...50, length: .mostlyLongest, element: "step")
    ) { steps in
      let test = try Self()
      let sides = try ["app", "widget", "share"].map { try test.make(MemberID($0)) }
      for side in sides { try await side.tracker.start() }
      for (number, step) in steps.enumerated() {
        let (tracker, view) = sides[step.side]
        try await Self.perform(step, number, tracker, view)
      }
      for side in sides { try await side.tracker.pass() }
      let truth = try test.shared.writer(nil)
      try truth.loadAll()
      titleCount += try truth.titles.count
      for side in sides {
        #expect(try side.view.contents == truth.contents)
      }
      #expect(try truth.store.heldNumbers().count < 10)
    }
    #expect(titleCount > 10)
  }

  /// Performs a step; without an object to set or delete, one is inserted.
  private static func perform(
    _ step: Step,
    _ number: Int,
    _ tracker: HistoryTracker,
    _ view: ObjectContext
  ) async throws {
    let known = try view.registeredObjects("Item")
    switch step.kind {
    case .pass: try await tracker.pass()
    case .set where !known.isEmpty:
      try known[step.place % known.count].set(.int(Int64(number)), for: "count")
      try view.saveUnlessConflict()
    case .delete where !known.isEmpty:
      known[step.place % known.count].delete()
      try view.saveUnlessConflict()
    default: try view.write("\(number)")
    }
  }
}

extension ObjectContext {
  /// Saves the edits, or discards them on a conflict.
  fileprivate func saveUnlessConflict() throws {
    do {
      try save()
    } catch  where error.code == .conflict {
      rollback()
    }
  }

  /// Every item with its values.
  fileprivate var contents: [String] {
    get throws {
      try registeredObjects("Item").map { object in
        "\(object.id) \(try String(describing: [object["title"], object["count"]]))"
      }
    }
  }
}
