extension Catalogue {
  /// The metrics of the benchmarks.
  static let metrics = [
    Entry("wall", "Time on the wall, in nanoseconds; the medians of rounds, and their ratios."),
    Entry("cpu", "Time of the measuring thread on a processor, in nanoseconds."),
    Entry("bytes a change", "What one change of a history takes in its file."),
    Entry("peak memory", "The most memory that a process had, as Linux counts it, in bytes."),
    Entry("memory growth", "By how much that is more than before the work, in bytes."),
    Entry("VM steps", "Instructions of SQLite's virtual machine."),
    Entry("page reads", "Pages that SQLite asked for, from its cache or from the file."),
    Entry("page writes", "Pages that SQLite wrote, into the write-ahead log too."),
    Entry("rows written", "Rows that were inserted, updated or deleted, those of history too."),
    Entry("system calls", "Calls of the measuring thread that read or write."),
    Entry("bytes read", "Bytes that such calls read."),
    Entry("bytes written", "Bytes that such calls wrote."),
    Entry("allocations", "Allocations of all threads, counted by jemalloc."),
    Entry("allocated bytes", "Bytes that the measuring thread allocated."),
    Entry("live bytes", "By how much the bytes that are allocated and not freed rose."),
    Entry("resident growth", "By how much more memory was resident during one measurement."),
    Entry("missed", "Commits that were not told to a process that watches."),
  ]
}
