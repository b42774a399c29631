/// Every benchmark, by the file that defines it.
package enum Subjects {
  package static let files: [(name: String, subjects: [BenchmarkSubject])] = [
    ("Inserts", Inserts.all),
    ("Updates", Updates.all),
    ("Deletes", Deletes.all),
    ("Saves", Saves.all),
    ("Fetches", Fetches.all + Filters.all),
    ("Queries", Queries.all),
    ("Passes", Merges.all + Passes.all + Rereads.all),
    ("Purges", Purges.all),
    ("Members", Members.all + Resyncs.all + Registrations.all),
    ("Openings", Openings.all),
    ("Signals", Signals.all),
    ("Readers", Readers.all),
    ("Sizes", Sizes.all + Large.all),
    ("Peers", Peers.all + Published.all),
    ("OpenLoops", OpenLoops.all),
    ("Growth", Growth.all),
    ("Processes", Processes.all),
  ]

  /// All benchmarks, in the order of measuring.
  package static let all = files.flatMap(\.subjects)

  /// The benchmarks that a run measures by default.
  package static let usual = all.filter { !$0.isNamedOnly }

  /// Returns the benchmark with a name, such as `write insert 10` or `write insert 10 at full`.
  ///
  /// The word after `at` names an additional condition (``BenchmarkAxis``).
  static func named(_ name: String) -> BenchmarkSubject? {
    measured(all, at: [nil] + BenchmarkAxis.allCases).first { $0.name == name }
  }

  /// The numbers of rows written by one batch request.
  static let batchSizes = [1, 10, 100, 1000]

  /// Returns the benchmarks in the given conditions; `nil` stands for the usual conditions.
  ///
  /// Each benchmark is next to its variants in the other conditions.
  package static func measured(
    _ subjects: [BenchmarkSubject],
    at axes: [BenchmarkAxis?]
  ) -> [BenchmarkSubject] {
    subjects.flatMap { subject in
      axes.compactMap { axis in axis.map { subject.measured(at: $0) } ?? subject }
    }
  }
}

extension Int {
  /// The history sizes at which a request of this many rows is measured.
  ///
  /// For 10 rows, these are all sizes of the run; else the smallest, the middle and the largest.
  var batchSizes: BenchmarkSubject.Sizes { self == 10 ? .all : .three }

  /// The additional conditions in which a request of this many rows is measured.
  var batchAxes: [BenchmarkAxis] { self == 10 ? [.coreData, .full, .captured] : [] }
}
