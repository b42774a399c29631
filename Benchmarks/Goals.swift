import BenchmarkFloor
import HistoryTypes
package import Measuring

/// The table of all benchmark goals, each with the figure that it limits.
package enum Goals {
  /// All goals, in the order in which they are reported.
  package static let all =
    tracked + besideBestPlan + inSwift + saves + reading + purging + merging + readers + signals
    + peers + sizes

  // MARK: Writing

  /// Goals for writes that notify no other process, compared with raw SQLite in C without tracking.
  private static let tracked = writes(
    "tracked / raw SQLite in C",
    .ratio(to: MeasuredWork.floor)
  ) { verb, size in size == 1 ? 1.40 : size == 10 ? 1.25 : verb == "delete" ? 1.20 : 1.10 }

  /// Goals for writes that notify no other process, compared with the fastest way to write in C.
  ///
  /// Several contenders in C write the same rows without tracking, each with another ``WritePlan``.
  /// The fastest of them counts.
  private static let besideBestPlan = writes(
    "tracked / SQLite in C, best plan",
    .ratioToFastest(of: WritePlan.allCases.map(\.contender))
  ) { _, size in size == 1 ? 1.40 : size == 10 ? 1.25 : 1.10 }

  /// Goals for writes that notify no other process, compared with SQLite in C with tracking.
  ///
  /// Both sides write the same rows with their history, so the ratio shows what Swift costs over C.
  private static let inSwift = writes(
    "Swift / C",
    .ratio(to: MeasuredWork.trackedFloor)
  ) { _, _ in 1.02 }

  /// Returns a goal for each kind and size of a batch write.
  private static func writes(
    _ comparison: String,
    _ figure: BenchmarkGoal.Figure,
    atMost limit: (_ verb: String, _ size: Int) -> Double
  ) -> [BenchmarkGoal] {
    Subjects.batchSizes.flatMap { size in
      ["insert", "update", "delete"].map { verb in
        goal(
          "write \(verb) \(size)",
          "batch \(verb) of \(size.rows), \(comparison)",
          figure,
          atMost: limit(verb, size)
        )
      }
    }
  }

  private static let saves = [1, 10, 100].map { count in
    goal(
      "write save \(count)",
      "context save of \(count.counted("object")) / raw SQLite in C",
      .ratio(to: MeasuredWork.floor),
      atMost: count == 10 ? 1.6 : nil
    )
  }

  // MARK: Reading, purging, merging

  private static let reading = [
    goal(
      "fetch newest 1000",
      "fetch of 1000 transactions of 10, Swift / C",
      .ratio(to: MeasuredWork.floor),
      atMost: 1.2
    ),
    goal(
      "fetch newest 10",
      "fetch of 10 new transactions, long history / 1,000",
      .growth(from: 1_000),
      atMost: 1.10
    ),
    goal(
      "query 1000",
      "fetch of 1000 objects by an index, Swift / C",
      .ratio(to: MeasuredWork.floor),
      atMost: 1.5
    ),
    goal(
      "live query",
      "limited live query after one foreign update / fetch of one object",
      .ratio(to: Queries.oneObject),
      atMost: 3
    ),
  ]

  private static let purging = [
    goal(
      "purge 1000",
      "purge of 1000 transactions, long history / 10,000",
      .growth(from: 10_000),
      atMost: 1.20
    ),
    goal(
      "purge 1000",
      "purge of 1000 transactions, Swift / C",
      .ratio(to: MeasuredWork.floor),
      atMost: 1.2
    ),
    goal(
      "purge lock",
      "purge of all history, longest hold of the write lock",
      by: LockWatch.contender,
      .quantile(1),
      atMost: 10 * millisecond
    ),
  ]

  private static let merging = [
    goal(
      "merge refetch",
      "refetch of changed rows / raw C join from a key table",
      .ratio(to: MeasuredWork.floor),
      atMost: 1.15
    ),
    goal(
      "pass 1000",
      "pass over 1000 transactions of 10 / its fetch and refetch",
      .ratio(to: Passes.floor),
      atMost: 1.3
    ),
  ]

  // MARK: Concurrent processes and other designs

  private static let readers = [
    goal(
      "write beside pinned reader",
      "commit while a reader is pinned / not",
      .ratio(to: Readers.free),
      atMost: 1.4
    ),
    goal(
      "member register",
      "register beside a writer, longest hold of the write lock",
      by: LockWatch.contender,
      .quantile(1),
      atMost: 10 * millisecond
    ),
  ]

  private static let signals: [BenchmarkGoal] = {
    let thread = SignalPath.thread.rawValue
    let sequence = SignalPath.sequence.rawValue
    return [
      signal("commit to readable, watching thread, p50", thread, .quantile(0.5), 25),
      signal("commit to readable, watching thread, p99", thread, .quantile(0.99), 150),
      signal("cost for the writer, p50", SignalPath.thread.writer, .quantile(0.5), 4),
      signal("commit to readable, AsyncSequence, p50", sequence, .quantile(0.5), 80),
      signal("commits missed, watching thread", thread, .quantile(1, .missed), 0),
      signal("commits missed, AsyncSequence", sequence, .quantile(1, .missed), 0),
    ]
  }()

  private static func signal(
    _ measure: String,
    _ contender: String,
    _ figure: BenchmarkGoal.Figure,
    _ limitUs: Double
  ) -> BenchmarkGoal {
    goal(
      "signal latency",
      "signal: " + measure,
      by: contender,
      figure,
      atMost: limitUs * microsecond
    )
  }

  private static let peers: [BenchmarkGoal] = {
    let limits = [("insert", [0.45, 0.36, 0.32]), ("update", [0.52, 0.36, 0.32])]
    let writes = (limits + [("delete", limits[0].1)]).flatMap { verb, limits in
      Peers.batchSizes.flatMap { size in
        zip(PeerKind.all.map(\.name), limits).map { peer, limit in
          goal(
            "peers \(verb) \(size)",
            "batch \(verb) of \(size.rows) / \(peer)",
            .ratio(to: peer),
            atMost: size < 100 ? nil : limit
          )
        }
      }
    }
    let session = PeerKind.session.name
    let fetch = goal(
      "peers fetch",
      "fetch of 1000 transactions / \(session)",
      .ratio(to: session),
      atMost: 0.06
    )
    return writes + [fetch]
  }()

  // MARK: Sizes

  private static let sizes = [
    goal(
      "history bytes",
      "bytes a change, packed / coreData layout",
      .ratio(to: Sizes.coreDataLayout, .bytesPerChange),
      atMost: 0.25
    ),
    goal(
      "history stream",
      "memory to stream all changes, above the start",
      .quantile(1, .memoryGrowth),
      atMost: 32 * mebibyte
    ),
    large("building", "built in", .quantile(1), 60_000 * millisecond),
    large("building", "memory of building", .quantile(1, .peakMemory), 256 * mebibyte),
    large("inspecting", "inspected in", .quantile(1), 10_000 * millisecond),
    large("inspecting", "memory of inspecting", .quantile(1, .peakMemory), 256 * mebibyte),
  ]

  private static func large(
    _ contender: String,
    _ measure: String,
    _ figure: BenchmarkGoal.Figure,
    _ limit: Double
  ) -> BenchmarkGoal {
    goal("large", "store of 10,000,000 changes, " + measure, by: contender, figure, atMost: limit)
  }

  private static let microsecond = 1e3
  private static let millisecond = 1e6
  private static let mebibyte = 1_048_576.0

  private static func goal(
    _ name: String,
    _ measure: String,
    by contender: String = MeasuredWork.store,
    _ figure: BenchmarkGoal.Figure,
    atMost limit: Double?
  ) -> BenchmarkGoal {
    guard let subject = Subjects.all.first(where: { $0.name == name }) else {
      fatalError("there is no benchmark \(name) for the goal of \(measure)")
    }
    var goal = BenchmarkGoal(
      measure,
      benchmark: subject.title,
      contender: contender,
      figure,
      atMost: limit
    )
    goal.obstacle = Obstacles.all[measure]
    return goal
  }
}
