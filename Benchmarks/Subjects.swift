/// Every benchmark, by the file that holds it.
package enum Subjects {
  /// The files beside this one, each with its benchmarks.
  package static let files: [(name: String, subjects: [BenchmarkSubject])] = [
    ("Inserts", Inserts.all),
    ("Updates", Updates.all),
    ("Deletes", Deletes.all),
    ("Saves", Saves.all),
    ("Fetches", Fetches.all),
    ("Merges", Merges.all),
    ("Passes", Passes.all),
    ("Purges", Purges.all),
    ("Members", Members.all),
    ("Signals", Signals.all),
    ("Readers", Readers.all),
    ("Registrations", Registrations.all),
    ("Sizes", Sizes.all),
    ("Peers", Peers.all),
    ("Large", Large.all),
  ]

  /// All of them, in the order of measuring.
  package static let all = files.flatMap(\.subjects)

  /// Those that a run measures unless someone names others.
  package static let usual = all.filter { !$0.isNamedOnly }

  /// The numbers of rows that one batch request writes.
  static let batchSizes = [1, 10, 100, 1000]
}
