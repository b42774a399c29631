import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts

extension TrackerScript {
  // MARK: Hooks

  /// Makes a hook with the failure policy `stop` fail, which must stop the tracker.
  ///
  /// The next requested pass must launch the tracker again, and call all hooks again.
  func stopByHook(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let tracker = HistoryTracker("stopped", store: reader, configuration: settings())
    let plan = plan
    try ask { () async throws(HistoryError) in
      for (name, policy) in [("a", HookFailurePolicy.retry), ("b", .stop)] {
        _ = try await tracker.registerObserver(
          entity: "Item",
          operation: .insert,
          onFailure: policy
        ) { _ in try plan.call(name) }
      }
      _ = try await tracker.start()
    }
    let number = try write("app", into: writer)
    plan.left = ["b": 1]
    expect(.hookFailed, of: "a pass with a hook that stops the tracker") {
      () throws(HistoryError) in
      try ask { () async throws(HistoryError) in _ = try await tracker.pass() }
    }
    let (isStarted, failure) = try ask { () async throws(HistoryError) in
      (await tracker.isStarted, await tracker.failure)
    }
    expect(
      !isStarted && failure?.code == .hookFailed && log.count(of: "stopped", "tracker stops") == 1,
      "a hook does not stop its tracker, which has the failure \(failure?.message ?? "-")"
    )
    let report = try ask { () async throws(HistoryError) in
      let report = try await tracker.pass()
      try await tracker.retire()
      return report
    }
    let calls = plan.takeCalls()
    expect(calls == ["a", "b", "a", "b"], "around a stop, the called hooks are \(calls)")
    expect(report.numbers == [number], "a pass after a stop merges \(report.numbers)")
  }

  /// Makes requests that a tracker must refuse, some of them inside one of its hooks.
  func refuse(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let tracker = HistoryTracker("refuser", store: reader, configuration: settings())
    let plan = plan
    let (observer, hook) = try ask { () async throws(HistoryError) in
      _ = try await tracker.launch()
      let observer = try await tracker.registerObserver(entity: "Item", operation: .delete) { _ in }
      let hook = try await tracker.registerMergeHook { [weak tracker] _ in
        let requests: [(HistoryTracker) async throws -> Void] = [
          { try await $0.pass() }, { try await $0.start() }, { try await $0.resync() },
          { try await $0.retire() },
        ]
        for request in requests {
          do {
            if let tracker { try await request(tracker) }
            try plan.call("accepted")
          } catch let error as HistoryError { try plan.call("\(error.code)") }
        }
        return .proceed
      }
      return (observer, hook)
    }
    try write("app", into: writer)
    try ask { () async throws(HistoryError) in _ = try await tracker.pass() }
    let codes = plan.takeCalls()
    let wanted = Array(repeating: "\(HistoryError.Code.insideHook)", count: 4)
    expect(codes == wanted, "requests inside a hook end with \(codes), not \(wanted)")
    try removeHooks(tracker, observer, hook)
    try ask { () async throws(HistoryError) in try await tracker.retire() }
  }

  /// Removes an observer and a merge hook; wrong and removed hook IDs must be refused.
  private func removeHooks(
    _ tracker: HistoryTracker,
    _ observer: HookID,
    _ hook: HookID
  ) throws(HistoryError) {
    expect(.unknownHook, of: "a merge hook before an observer") { () throws(HistoryError) in
      try ask { () async throws(HistoryError) in
        _ = try await tracker.registerMergeHook(before: observer) { _ in .proceed }
      }
    }
    expect(.unknownEntity, of: "an observer of an unknown entity") { () throws(HistoryError) in
      try ask { () async throws(HistoryError) in
        _ = try await tracker.registerObserver(entity: "Nowhere", operation: .update) { _ in }
      }
    }
    let removals = try ask { () async throws(HistoryError) in
      [
        await tracker.removeMergeHook(id: observer), await tracker.removeObserver(id: hook),
        await tracker.removeMergeHook(id: hook), await tracker.removeMergeHook(id: hook),
        await tracker.removeObserver(id: observer), await tracker.removeObserver(id: observer),
      ]
    }
    expect(
      removals == [false, false, true, false, true, false],
      "hooks are removed with the answers \(removals)"
    )
    expect(.unknownHook, of: "a merge hook before a removed one") { () throws(HistoryError) in
      try ask { () async throws(HistoryError) in
        _ = try await tracker.registerMergeHook(before: hook) { _ in .proceed }
      }
    }
  }

  /// Compares the properties of all changes that observers receive with the writes.
  func deliver(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let tracker = try indexer(reader)
    let author = seed.pick(["app", nil])
    let context = ObjectContext.retaining(writer, author: author, name: "view")
    var wanted: [String] = []
    func save(_ change: ChangeType, _ ids: [ObjectID], _ rest: String) throws(HistoryError) {
      let number = try context.save()?.number ?? TransactionNumber(0)
      let time = try writer.transaction(number)?.timestamp.timeIntervalSinceReferenceDate ?? 0
      let key = HookContext.Key(member: "index", number: number)
      for id in ids {
        let url = try writer.url(of: id)
        wanted.append("\(key) \(author ?? "-") \(time) \(change) Item \(id) \(url) \(rest)")
      }
    }
    let items = try (0..<(1 + seed.draw(3))).map { number throws(HistoryError) in
      try context.insert("Item", ["name": .string("\(number)")])
    }
    let ids = items.map(\.id).sorted()
    try save(.insert, ids, "[] -")
    for item in items { try item.set(.int(5), for: "count") }
    try save(.update, ids, #"["count"] -"#)
    items[0].delete()
    let tombstone = ["name": Value.string("0")]
    try save(.delete, [items[0].id], "[] \(tombstone)")
    try ask { () async throws(HistoryError) in
      _ = try await tracker.pass()
      try await tracker.retire()
    }
    let lines = plan.takeCalls()
    expect(lines == wanted, "observers receive \(lines), not \(wanted)")
  }

  /// Launches a tracker whose observers note every change.
  private func indexer(_ reader: Store) throws(HistoryError) -> HistoryTracker {
    let tracker = HistoryTracker("index", store: reader, configuration: settings())
    let plan = plan
    try ask { () async throws(HistoryError) in
      _ = try await tracker.launch()
      for operation in ChangeType.allCases {
        _ = try await tracker.registerObserver(entity: "Item", operation: operation) { group in
          for change in group { try plan.call(Self.line(change)) }
        }
      }
    }
    return tracker
  }

  private static func line(_ change: HookContext) -> String {
    let url = change.objectIDURL.map { "\($0)" } ?? "-"
    let tombstone = change.tombstone.map { "\($0)" } ?? "-"
    let time = change.timestamp.timeIntervalSinceReferenceDate
    return "\(change.key) \(change.author ?? "-") \(time) \(change.operation) \(change.entityName) "
      + "\(change.objectID) \(url) \(change.updatedProperties) \(tombstone)"
  }

  // MARK: Members

  /// Checks that passes skip ignored authors, and that the registry has the tracker's options.
  func ignoreAuthors(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let mirror = "NSCloudKitMirroringDelegate."
    let authors: [String?] = ["app", "sync", "sync.2", "syn", "import", mirror + "import", nil]
    let including = seed.draw(2) == 0
    for (place, ignored) in [[], ["sync*", "import"]].enumerated() {
      let context = ObjectContext.retaining(reader, author: "own", name: "view")
      let configuration = settings {
        $0.ignoring = Set(ignored)
        $0.includingCloudKitMirroring = place == 0 || including
        $0.allAuthors = place == 0 ? [] : ["app", "sync"]
        $0.batchAuthors = place == 1 ? [] : ["import"]
        $0.strategy = .byNotification(times: 100 + seed.draw(9))
        $0.retention = place == 0 ? nil : RetentionLimits(transactionCount: 1000)
      }
      let core = TrackerCore(
        "reader",
        store: reader,
        contexts: [context],
        configuration: configuration
      )
      try core.launched()
      let names = ignored + (place == 0 || including ? [] : [mirror + "*"])
      try compareMember(writer, configuration, ignoring: names)
      var wanted: [Int64] = []
      for author in [seed.pick(authors), seed.pick(authors), mirror + "export", "sync.3"] {
        let number = try write(author, author ?? "-", into: writer)
        let isIgnored = names.contains { name in
          name.hasSuffix("*") ? author?.hasPrefix(name.dropLast()) == true : author == name
        }
        if !isIgnored { wanted.append(number) }
      }
      let report = core.pass()
      expect(
        report.numbers == wanted && report.failure == nil,
        "without the authors \(names), a pass merges \(report.numbers), not \(wanted)"
      )
      try core.retire()
    }
  }

  /// Compares the options in the registry of members with those of the tracker's configuration.
  private func compareMember(
    _ store: Store,
    _ configuration: TrackerConfiguration,
    ignoring names: [String]
  ) throws(HistoryError) {
    let found = try store.members().first { $0.id == "reader" }?.configuration
    func listed(_ names: some Sequence<String>) -> String { "\(names.sorted())" }
    let options = [
      found?.authors.map(listed), found?.batchAuthors.map(listed),
      found?.ignoredAuthors.map(listed), found?.strategy, found?.retention.map { "\($0)" },
    ]
    let lists = [configuration.allAuthors, configuration.batchAuthors, Set(names)]
    let wanted =
      lists.map { $0.isEmpty ? nil : listed($0) } + [
        "\(configuration.strategy)", configuration.retention.map { "\($0)" },
      ]
    expect(options == wanted, "a member declares the options \(options), not \(wanted)")
  }

  /// Stops a tracker between two steps of a pass; another tracker continues from its snapshot.
  func handOver(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let contexts = [ObjectContext.retaining(reader, author: "own", name: "view")]
    let trackers = (0..<2).map { _ in
      HistoryTracker("mover", store: reader, contexts: contexts, configuration: settings())
    }
    try ask { () async throws(HistoryError) in _ = try await trackers[0].start() }
    let head = try writer.currentToken().number
    let number = try write("app", into: writer)
    let (places, steps, isStarted) = try ask { () async throws(HistoryError) in
      var steps = [try await trackers[0].perform(.fetch)]
      let snapshot = await trackers[0].snapshot
      var places = [await trackers[0].place]
      await trackers[0].stop()
      places.append(await trackers[0].place)
      try await trackers[1].resume(snapshot)
      places.append(await trackers[1].place)
      let isStarted = await trackers[1].isStarted
      for step in [PassStep.merge, .record] { steps.append(try await trackers[1].perform(step)) }
      places.append(await trackers[1].place)
      await trackers[1].stop()
      return (places, steps, isStarted)
    }
    let texts = places.map { place in
      place.map {
        "\($0.mergedThrough) \($0.recordedThrough) \($0.scannedThrough ?? 0) \($0.awaitingMerge)"
      } ?? "-"
    }
    let fetched = "\(head) \(head) \(number) [\(number)]"
    let wanted = [fetched, "-", fetched, "\(number) \(number) 0 []"]
    expect(
      texts == wanted,
      "the positions of a tracker that is handed over are \(texts), not \(wanted)"
    )
    expect(
      isStarted && steps.map(\.fetched) == [[number], [], []]
        && steps.map(\.merged) == [[], [number], []] && steps[2].cursor?.number == number,
      "the steps of a tracker that is handed over are \(steps)"
    )
    try continueSession(reader, writer, contexts)
  }

  /// Runs a pass of a tracker core that is created with an existing `MemberSession`.
  private func continueSession(
    _ reader: Store,
    _ writer: Store,
    _ contexts: [ObjectContext]
  ) throws(HistoryError) {
    let session = try MemberSession("mover", store: reader, contexts: contexts, author: "own")
    let core = TrackerCore(session, settings())
    let later = try write("app", into: writer)
    let report = core.pass()
    expect(
      core.member == "mover" && report.numbers == [later] && !core.isNews(session.recordedThrough),
      "a pass of an existing session reports \(report)"
    )
    try core.retire()
  }

  /// Purges with a tracker, launched or not, that limits unmerged history to two transactions.
  ///
  /// The purge must cut off the member `slow`, which has left more transactions unmerged.
  func purge(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let slow = TrackerCore("slow", store: reader, contexts: [], configuration: settings())
    try slow.launched()
    let configuration = settings { $0.retention = RetentionLimits(transactionCount: 2) }
    let tracker = HistoryTracker("purger", store: writer, configuration: configuration)
    let launches = seed.draw(2) == 0
    for _ in 0..<(3 + seed.draw(4)) { try write("app", into: writer) }
    let held = try writer.heldNumbers()
    // The newest transaction stays, and so do those of protected authors.
    var kept: [Int64] = []
    for number in held {
      let author = try writer.transaction(TransactionNumber(number))?.author
      let isProtected = author?.hasPrefix("NSCloudKitMirroringDelegate.") == true
      if number == held.last || isProtected { kept.append(number) }
    }
    let result = try ask { () async throws(HistoryError) in
      if launches { _ = try await tracker.launch() }
      return try await tracker.purge()
    }
    let left = try writer.heldNumbers()
    expect(
      left == kept && result.transactionCount == held.count - kept.count,
      "a purge leaves the transactions \(left), not \(kept), and reports \(result)"
    )
    expect(
      result.lostMembers == ["slow"] && log.count(of: "purger", "slow was cut off") == 1,
      "a purge cuts off \(result.lostMembers), not only slow, or does not log it once"
    )
    expect(slow.pass().failure?.code == .lost, "a member that was cut off makes a pass")
    let position = try slow.resync()
    expect(try position == writer.currentToken(), "a resync ends at \(position)")
    try slow.retire()
    try ask { () async throws(HistoryError) in try await tracker.retire() }
  }
}
