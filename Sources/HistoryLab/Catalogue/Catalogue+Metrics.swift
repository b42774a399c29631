extension Catalogue {
  /// What the benchmarks measure.
  static let metrics = [
    Entry("wall", "Time on the wall, in nanoseconds; the medians of rounds, and their ratios."),
    Entry("cpu", "Time of the measuring thread on a processor, in nanoseconds."),
  ]
}
