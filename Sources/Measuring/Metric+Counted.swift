extension Metric {
  /// Instructions of SQLite's virtual machine, of every statement that ended.
  package static let vmSteps = Metric(name: "VM steps", kind: .exact, unit: "steps")

  /// Pages that SQLite asked for, from its cache or from the file.
  package static let pageReads = Metric(name: "page reads", kind: .exact, unit: "pages")

  /// Pages that SQLite wrote, into the write-ahead log too.
  package static let pageWrites = Metric(name: "page writes", kind: .exact, unit: "pages")

  /// Rows that were inserted, updated or deleted, those of history among them.
  package static let rowsWritten = Metric(name: "rows written", kind: .exact, unit: "rows")

  /// Calls of the system that read or write.
  package static let systemCalls = Metric(name: "system calls", kind: .exact, unit: "calls")

  /// Bytes that such calls read, from files and elsewhere.
  package static let bytesRead = Metric(name: "bytes read", kind: .exact, unit: "B")

  /// Bytes that such calls wrote.
  package static let bytesWritten = Metric(name: "bytes written", kind: .exact, unit: "B")

  /// Allocations of all threads.
  package static let allocations = Metric(name: "allocations", kind: .exact, unit: "allocations")

  /// Bytes that the measuring thread allocated, as the allocator rounds them up.
  package static let allocatedBytes = Metric(name: "allocated bytes", kind: .exact, unit: "B")

  /// By how much the bytes that are allocated and not freed rose; what stays after much work is a leak.
  package static let liveBytes = Metric(name: "live bytes", kind: .exact, unit: "B")

  /// By how much more memory was resident during one measurement than before it.
  package static let residentGrowth = Metric(name: "resident growth", kind: .exact, unit: "B")

  /// What a counting pass counts of each contender, without memory.
  package static let counted = [
    vmSteps, pageReads, pageWrites, rowsWritten, systemCalls, bytesRead, bytesWritten,
  ]

  /// What the system gives and takes in pages of its own choice: counted, and yet not the same in every
  /// run.
  package static let varying = [peakMemory, memoryGrowth, residentGrowth]

  /// What it counts besides under an allocator that keeps counts.
  package static let allocator = [allocations, allocatedBytes, liveBytes]
}
