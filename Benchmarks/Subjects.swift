/// Every benchmark, by the file that holds it.
package enum Subjects {
  /// The files beside this one, each with its benchmarks.
  package static let files: [(name: String, subjects: [BenchmarkSubject])] = [
    ("Inserts", Inserts.all),
    ("Updates", Updates.all),
    ("Deletes", Deletes.all),
    ("Saves", Saves.all),
    ("Fetches", Fetches.all),
    ("Filters", Filters.all),
    ("Merges", Merges.all),
    ("Passes", Passes.all),
    ("Purges", Purges.all),
    ("Members", Members.all),
    ("Resyncs", Resyncs.all),
    ("Openings", Openings.all),
    ("Signals", Signals.all),
    ("Readers", Readers.all),
    ("Registrations", Registrations.all),
    ("Sizes", Sizes.all),
    ("Peers", Peers.all),
    ("Rereads", Rereads.all),
    ("Published", Published.all),
    ("OpenLoops", OpenLoops.all),
    ("Large", Large.all),
  ]

  /// All of them, in the order of measuring.
  package static let all = files.flatMap(\.subjects)

  /// Those that a run measures unless someone names others.
  package static let usual = all.filter { !$0.isNamedOnly }

  /// The benchmark with a name, in another condition where the name says so.
  static func named(_ name: String) -> BenchmarkSubject? {
    measured(all, at: [nil] + BenchmarkAxis.allCases).first { $0.name == name }
  }

  /// The numbers of rows that one batch request writes.
  static let batchSizes = [1, 10, 100, 1000]

  /// The benchmarks in some conditions, nothing among them for the base point; each stands beside the
  /// same in its other conditions.
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
  /// At which sizes of history a request of so many rows is measured: in full for one size of it.
  var batchSizes: BenchmarkSubject.Sizes { self == 10 ? .all : .three }

  /// The conditions in which it is measured besides.
  var batchAxes: [BenchmarkAxis] { self == 10 ? [.coreData, .full] : [] }
}
