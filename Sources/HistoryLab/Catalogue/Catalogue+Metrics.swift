extension Catalogue {
  /// What the benchmarks measure.
  static let metrics = [
    Entry("wall", "Time on the wall, in nanoseconds; the medians of rounds, and their ratios."),
    Entry("cpu", "Time of the measuring thread on a processor, in nanoseconds."),
    Entry("bytes a change", "What one change of a history takes in its file."),
    Entry("peak memory", "The most memory that a process had, as Linux counts it, in bytes."),
    Entry("memory growth", "By how much that is more than before the work, in bytes."),
    Entry("missed", "Commits that were not told to a process that watches."),
  ]
}
