import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts

extension TrackerScript {
  /// Suspends and resumes a container of two stores, each of which has a tracker.
  func suspend(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let tags = try model([Entity("Tag", [Attribute("name", .string)])])
    let container = try StoreContainer(
      [(writer.path, writer.model), ("\(writer.path)-tags", tags)].map { path, model in
        StoreDescription(path: path, model: model, configuration: configuration())
      }
    )
    var trackers: [HistoryTracker] = []
    for name in ["Item", "Tag"] {
      let context = try container.context(for: name, author: "own", retainsRegisteredObjects: true)
      let tracker = try HistoryTracker(
        "follower",
        container: container,
        contexts: [context],
        configuration: settings()
      )
      try ask { () async throws(HistoryError) in _ = try await tracker.launch() }
      trackers.append(tracker)
    }
    for (tracker, name) in zip(trackers, ["Item", "Tag"]) {
      let number = try ask { () async throws(HistoryError) in
        try await tracker.store.performInBackground(author: "app") {
          context throws(HistoryError) in
          try context.insert(name, ["name": "new"])
          return try context.save()?.number
        }
      }
      try container.suspend()
      for tracker in trackers { expectSuspended(tracker) }
      try container.resume()
      try expectPass(tracker, [number?.rawValue ?? 0])
      try tracker.suspend()
      expectSuspended(tracker)
      try tracker.resume()
      try expectPass(tracker, [])
      let view = tracker.contexts[0]
      let found = try names(view.registeredObjects(name))
      let wanted = try names(ObjectContext(store: tracker.store, author: nil).objects(name))
      expect(found == wanted, "after a suspension, a context contains \(found), not \(wanted)")
    }
    for tracker in trackers {
      try ask { () async throws(HistoryError) in try await tracker.retire() }
    }
  }

  private func expectSuspended(_ tracker: HistoryTracker) {
    expect(.suspended, of: "a pass in a suspended store") { () throws(HistoryError) in
      try ask { () async throws(HistoryError) in _ = try await tracker.pass() }
    }
  }

  private func expectPass(_ tracker: HistoryTracker, _ numbers: [Int64]) throws(HistoryError) {
    let report = try ask { () async throws(HistoryError) in try await tracker.pass() }
    expect(report.numbers == numbers, "a pass merges \(report.numbers), not \(numbers)")
  }

  /// Requests a resync and a pass while a hook waits; they must run after the hook's pass.
  func wait(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let tracker = HistoryTracker("waiter", store: reader, configuration: settings())
    let plan = plan
    try ask { () async throws(HistoryError) in
      _ = try await tracker.launch()
      _ = try await tracker.registerMergeHook { _ in
        try plan.call("begin")
        for _ in 0..<5 { await Task.yield() }
        try plan.call("end")
        return .proceed
      }
    }
    try write("app", into: writer)
    let head = try writer.currentToken()
    let (position, report) = try ask { () async throws(HistoryError) in
      async let first = try? await tracker.pass()
      async let second = result { () async throws(HistoryError) in
        let position = try await tracker.resync()
        try? plan.call("resync")
        return position
      }
      _ = await first
      let position = try await second.get()
      let report = try await tracker.pass()
      try await tracker.retire()
      return (position, report)
    }
    let calls = plan.takeCalls()
    expect(
      calls == ["begin", "end", "resync"] && position == head && report.numbers.isEmpty,
      "around a hook that waits, the calls are \(calls), and a resync ends at \(position)"
    )
  }

  /// Runs a tracker that is created with nothing but a strategy.
  func purgeByStrategy(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let tracker = HistoryTracker("plain", store: reader, strategy: .whenMerged)
    try ask { () async throws(HistoryError) in _ = try await tracker.launch() }
    let number = try write("app", into: writer)
    let report = try ask { () async throws(HistoryError) in
      let report = try await tracker.pass()
      try await tracker.retire()
      return report
    }
    expect(
      report.numbers == [number] && report.purgedCount > 0
        && report.purgedThrough?.rawValue == number - 1,
      "a pass that purges after a merge reports \(report)"
    )
  }
}
