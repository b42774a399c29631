import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts

extension TrackerScript {
  /// Merges with a merger and a deduplicator that fail at first; then a hook replaces the merge.
  func replaceMerge(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let context = ObjectContext.retaining(reader, author: "own", name: "view")
    let base = ObjectDeduplicator(store: reader, entity: "Item", by: ["name"], author: "own")
    let tracker = HistoryTracker(
      "merger",
      store: reader,
      contexts: [context],
      configuration: settings {
        $0.merger = PlannedMerger(plan: plan)
        $0.deduplicator = PlannedDeduplicator(plan: plan, base: base)
      }
    )
    try ask { () async throws(HistoryError) in _ = try await tracker.launch() }
    for _ in 0..<2 { try write("app", "twin", into: writer) }
    let failureCount = 1 + seed.draw(2)
    plan.left = ["merger": failureCount, "deduplicator": 1]
    for _ in 0...failureCount {
      expect(.stopped, of: "a pass whose merger or deduplicator throws") {
        () throws(HistoryError) in
        try ask { () async throws(HistoryError) in _ = try await tracker.pass() }
      }
    }
    let reports = try ask { () async throws(HistoryError) in
      [try await tracker.pass(), try await tracker.pass(), try await tracker.pass()]
    }
    let counts = reports.map(\.transactionCount)
    expect(counts == [2, 1, 0], "passes with a deduplicator merge \(counts), not 2, 1 and 0")
    expectDurations(reports.map(\.durations), [2, 2, 0])
    let calls = plan.takeCalls()
    let once = ["merger", "deduplicator"]
    expect(
      calls == Array(repeating: "merger", count: failureCount) + once + once + once,
      "with \(failureCount) failures, the calls of the merger and the deduplicator are \(calls)"
    )
    let names = try names(context.registeredObjects("Item"))
    expect(
      try names == self.names(writer) && names.count { $0.contains("twin") } == 1,
      "after a removal of duplicates, a context contains \(names)"
    )
    try finishMerge(tracker, context, writer)
  }

  /// Checks the reported durations of passes without hooks.
  ///
  /// `counts` contains the number of calls of the merger and the deduplicator in each pass. A call
  /// takes one second.
  private func expectDurations(_ durations: [PassReport.Durations], _ counts: [Int]) {
    let found = durations.map { "\($0.hooks) \($0.merge)" }
    let wanted = counts.map { "\(Duration.zero) \(Duration.seconds($0))" }
    expect(found == wanted, "the durations of hooks and merges are \(found), not \(wanted)")
  }

  /// Registers a hook that replaces the merge: the cursor advances, and the merger is not called.
  private func finishMerge(
    _ tracker: HistoryTracker,
    _ context: ObjectContext,
    _ writer: Store
  ) throws(HistoryError) {
    try ask { () async throws(HistoryError) in
      _ = try await tracker.registerMergeHook { _ in .finish }
    }
    let before = try names(context.registeredObjects("Item"))
    let number = try write("app", into: writer)
    let report = try ask { () async throws(HistoryError) in try await tracker.pass() }
    let calls = plan.takeCalls()
    expect(
      calls.isEmpty && report.cursor?.number == number,
      "after a hook that replaces the merge, a pass calls \(calls) and reports \(report)"
    )
    let after = try names(context.registeredObjects("Item"))
    expect(after == before, "a pass merges \(after), although a hook replaces the merge")
    try ask { () async throws(HistoryError) in
      await tracker.removeAllMergeHooks()
      try await tracker.resync()
      try await tracker.retire()
    }
    expect(
      try names(context.registeredObjects("Item")) == names(writer),
      "after a resync, the context's objects differ from those of the writer"
    )
  }

  /// Merges changes of many objects in random order, and repeated changes of some, into a context.
  func mergeMany(_ writer: Store) throws(HistoryError) {
    let by = BatchAuthor("batch")
    let context = ObjectContext.retaining(writer, author: "own", name: "view")
    // With the layout `packed`, the keys of the changed objects differ in 12 bits. The layout
    // `coreData` takes more time for each object, so there are fewer objects.
    var left = layout == .packed ? 2300 + seed.draw(200) : 300
    let made = try writer.batchInsert(into: "Item", by: by, result: .objectIDs) { row in
      left -= 1
      row.set(.int(0), at: 1)
      return left >= 0
    }
    let start = try context.loadAll()
    var shuffled: [ObjectID] = []
    for id in made.objectIDs where seed.draw(made.count) < 190 {
      shuffled.insert(id, at: seed.draw(shuffled.count + 1))
    }
    let counts = try update(shuffled, writer)
    let deleted = Set(shuffled.prefix(1 + seed.draw(9)))
    var rest = Array(deleted)
    try writer.batchDelete("Item", by: by) { rest.popLast() }
    let number = TransactionNumber(try write("app", into: writer))
    let inserted = try writer.transaction(number)?.changes.map(\.objectID) ?? []
    let page = try writer.fetch(HistoryRequest(after: start, transactionCountMax: .max))
    let delta = try context.merge(page.transactions)
    let updated = shuffled.filter { !deleted.contains($0) }.sorted()
    expect(
      delta.inserted == inserted && delta.updated == updated
        && delta.deleted == deleted.sorted(),
      "a merge of \(page.changes.count) changes inserts \(delta.inserted), updates "
        + "\(delta.updated) and deletes \(delta.deleted)"
    )
    for id in shuffled {
      let count = try context.object(id)?["count"]
      let wanted = deleted.contains(id) ? nil : counts[id]
      expect(count == wanted, "\(id) has the count \(count ?? .null), not \(wanted ?? .null)")
    }
  }

  /// Sets the counts of items in several transactions, those of some items twice.
  ///
  /// - Returns: The last count of each item.
  private func update(
    _ items: [ObjectID],
    _ writer: Store
  ) throws(HistoryError) -> [ObjectID: Value] {
    var counts: [ObjectID: Value] = [:]
    // A transaction has its changes in the order of their keys, so random order needs several.
    let size = 20 + seed.draw(40)
    var batches = stride(from: 0, to: items.count, by: size).map { items[$0...].prefix(size) }
    batches.append(items.suffix(20 + seed.draw(20)))
    for (place, batch) in batches.enumerated() {
      var rest = batch
      let by = BatchAuthor("batch")
      try writer.batchUpdate("Item", setting: ["count"], by: by) { row in
        let value = Value.int(Int64(1000 * place + rest.count))
        row.set(value, at: 1)
        if let id = rest.first { counts[id] = value }
        return rest.popFirst()
      }
    }
    return counts
  }
}

private struct PlannedMerger: TransactionMerger {
  let plan: HookPlan

  func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) async throws {
    try plan.call("merger")
    try DefaultMerger().merge(transactions, into: contexts)
  }
}

private struct PlannedDeduplicator: TransactionDeduplicator {
  let plan: HookPlan
  let base: ObjectDeduplicator

  func deduplicate(
    _ transactions: [HistoryTransaction],
    in contexts: [ObjectContext]
  ) async throws {
    try plan.call("deduplicator")
    try base.deduplicate(transactions, in: contexts)
  }
}
