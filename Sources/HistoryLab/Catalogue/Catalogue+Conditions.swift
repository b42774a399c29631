package import Commands
import Traces

extension Catalogue {
  /// The kinds of trouble that a plan may contain, with the evidence on whether they really occur.
  ///
  /// The evidence from real stores is from 42 stores (one of Apple Notes, 40 of Photos, one of
  /// SwiftData) with 18,464 transactions in total.
  package static let conditions =
    clockConditions + lifeConditions + writingConditions + limitConditions

  private static let clockConditions = [
    Entry(
      "steady",
      "The clock rises strictly, and no other trouble occurs.",
      .observed("every one of 18,464 real transactions is later than the one before it")
    ),
    Entry(
      "ties",
      "Two transactions carry the same timestamp.",
      .hypothetical("none in 18,464 real transactions; the least gap is 316 us")
    ),
    Entry(
      "clock-back",
      "The clock steps back, so that a later transaction carries an earlier timestamp.",
      .hypothetical("none in 18,464 real transactions")
    ),
    Entry(
      "clock-jump",
      "The clock jumps by days and stays there.",
      .hypothetical("in a real store a jump cannot be distinguished from a pause")
    ),
    Entry(
      "stamp-before-commit",
      "A write reads the clock before it has the lock, so other writes may commit in between.",
      .hypothetical("no time in 18,464 real transactions is earlier than the one before")
    ),
    Entry(
      "pause",
      "Nothing happens for days.",
      .observed("nine gaps of more than a day in one Notes store")
    ),
  ]

  private static let lifeConditions = [
    Entry(
      "crash",
      "An actor crashes at any step, and loses what it had in memory.",
      .documented("an app crashes at each launch before its cursor moves (quran-ios issue 989)")
    ),
    Entry(
      "restart",
      "An actor stops and is launched again.",
      .documented("users report that writes before the launch are not announced after it")
    ),
    Entry(
      "suspension",
      "The system suspends a process that has closed its store, and resumes it later.",
      .documented(
        "apps are ended with 0xdead10cc when they are suspended with a lock (GRDB's guide)"
      )
    ),
    Entry(
      "lost-notification",
      "A notification of a change does not arrive.",
      .documented("PersistentHistoryTrackingKit subscribes some time after start() returns")
    ),
    Entry(
      "same-author-twice",
      "Two processes write under the same author.",
      .hypothetical(
        "PersistentHistoryTrackingKit keeps one cursor per author, which both would share"
      )
    ),
    Entry(
      "same-actor-twice",
      "Two running processes use the identity of one actor.",
      .hypothetical("no report of such a case is known")
    ),
    Entry(
      "late-join",
      "An actor launches for the first time after history was written.",
      .documented(
        "PersistentHistoryTrackingKit 1.0.4 to 1.3 does not wait for members that never recorded"
      )
    ),
  ]

  private static let writingConditions = [
    Entry(
      "background-writes",
      "An actor writes through a background or batch context of its own.",
      .documented("users report that an app's own batch requests do not reach its view")
    ),
    Entry(
      "absent-author",
      "A transaction names no author.",
      .observed("32 % of 18,464 real transactions, 55 % in a Notes store")
    ),
    Entry(
      "config-skew",
      "Actors have different configurations.",
      .documented(
        "PersistentHistoryTrackingKit's quick start does not share cursors, and has an author that "
          + "only others list"
      )
    ),
    Entry(
      "mirror-lag",
      "A mirror such as CloudKit's reads history later than the actors.",
      .documented(
        "error 134301 after a purge with CloudKit (issue 7 of PersistentHistoryTrackingKit)"
      )
    ),
    Entry(
      "hook-failure",
      "A hook throws in the middle of a pass.",
      .documented("in PersistentHistoryTrackingKit 2 a merge hook that throws ends the whole pass")
    ),
  ]

  private static let limitConditions = [
    Entry(
      "retention",
      "A retention limit deletes history that a member has not merged.",
      .documented("seven days are a common limit; apps find their token expired (Trio issue 1247)")
    ),
    Entry(
      "power-off",
      "The power fails: data that was not synced is lost or torn.",
      .documented("sqlite.org on synchronous=NORMAL: the newest commits may be gone")
    ),
    Entry(
      "call-failure",
      "File system calls and memory allocations fail.",
      .documented("sqlite.org on SQLITE_IOERR, SQLITE_FULL, SQLITE_BUSY and SQLITE_NOMEM")
    ),
    Entry(
      "foreign-writer",
      "A program that knows nothing of history writes to the file with plain SQL.",
      .documented("changes by such programs are not noticed (GRDB issue 1460)")
    ),
    Entry(
      "model-skew",
      "Actors have different versions of the model, and a newer version changes the file.",
      .documented("a widget runs the old program after an update (Pacer issue 98)")
    ),
    Entry(
      "relations",
      "Objects have relations and unique values: a write may delete or change others, or fail.",
      .documented("batch deletes skip Core Data's delete rules, and fail for the rule deny")
    ),
    Entry("all", "All of these."),
  ]
}

extension Catalogue {
  /// The kinds of fault that the lab can inject into a command of a plan.
  static let faults = PlannedFault.Kind.allCases.map { Entry($0.rawValue, $0.sentence) }
}

extension PlannedFault.Kind {
  /// A sentence that describes the effect of the fault on each call that it affects.
  fileprivate var sentence: String {
    switch self {
    case .ioError: "A call fails with an input or output error and does nothing."
    case .full: "A write finds the disk full and does nothing."
    case .busy: "A lock is refused, as if another process held it."
    case .shortRead: "A read gets the first half of its bytes and then zeros."
    case .memory: "SQLite requests memory and gets none."
    case .delay: "A sync is acknowledged, but takes effect only with the file's next sync."
    case .powerOff: "The power fails: data that was not synced is lost."
    case .torn: "The power fails: some of the sectors that were not synced are lost."
    }
  }
}

extension Catalogue {
  /// The metrics of the benchmarks.
  static let metrics = [
    Entry("wall", "Elapsed time, in nanoseconds; the medians of rounds, and their ratios."),
    Entry("cpu", "Processor time of the measuring thread, in nanoseconds."),
    Entry("bytes a change", "The bytes that one change of a history takes in its file."),
    Entry("peak memory", "The peak memory of a process in bytes, as Linux counts it."),
    Entry("memory growth", "The increase of the peak memory during the work, in bytes."),
    Entry("VM steps", "Instructions of SQLite's virtual machine."),
    Entry("page reads", "Pages that SQLite asked for, from its cache or from the file."),
    Entry("page writes", "Pages that SQLite wrote, including those in the write-ahead log."),
    Entry("rows written", "Rows inserted, updated or deleted, including rows of history."),
    Entry("system calls", "Calls of the measuring thread that read or write."),
    Entry("bytes read", "Bytes that system calls of the measuring thread read."),
    Entry("bytes written", "Bytes that system calls of the measuring thread wrote."),
    Entry("allocations", "Allocations of all threads, counted by jemalloc."),
    Entry("allocated bytes", "Bytes that the measuring thread allocated."),
    Entry("live bytes", "The increase of the bytes that are allocated and not freed."),
    Entry("resident growth", "The increase of resident memory during one measurement."),
    Entry("missed", "Commits that were not signalled to a watching process."),
  ]
}
