extension Metric {
  /// The instructions of SQLite's virtual machine in all completed statements.
  package static let vmSteps = Metric(name: "VM steps", kind: .exact, unit: "steps")

  /// The pages that SQLite requested, from its cache or from the file.
  package static let pageReads = Metric(name: "page reads", kind: .exact, unit: "pages")

  /// The pages that SQLite wrote, including those to the write-ahead log.
  package static let pageWrites = Metric(name: "page writes", kind: .exact, unit: "pages")

  /// The rows that were inserted, updated or deleted, including rows of history.
  package static let rowsWritten = Metric(name: "rows written", kind: .exact, unit: "rows")

  /// The system calls that read or write.
  package static let systemCalls = Metric(name: "system calls", kind: .exact, unit: "calls")

  /// The bytes read by such calls, from files and elsewhere.
  package static let bytesRead = Metric(name: "bytes read", kind: .exact, unit: "B")

  /// The bytes written by such calls.
  package static let bytesWritten = Metric(name: "bytes written", kind: .exact, unit: "B")

  /// The allocations of all threads.
  package static let allocations = Metric(name: "allocations", kind: .exact, unit: "allocations")

  /// The bytes that the measuring thread allocated, as rounded up by the allocator.
  package static let allocatedBytes = Metric(name: "allocated bytes", kind: .exact, unit: "B")

  /// The growth of the allocated bytes not yet freed; growth after much work is a leak.
  package static let liveBytes = Metric(name: "live bytes", kind: .exact, unit: "B")

  /// The growth of the resident memory during one measurement.
  package static let residentGrowth = Metric(name: "resident growth", kind: .exact, unit: "B")

  /// The metrics of the counting pass, without memory.
  package static let counted = [
    vmSteps, pageReads, pageWrites, rowsWritten, systemCalls, bytesRead, bytesWritten,
  ]

  /// The metrics of memory in pages, which the system controls.
  ///
  /// They are counted, but may differ from run to run.
  package static let varying = [peakMemory, memoryGrowth, residentGrowth]

  /// The additional metrics of the counting pass under an allocator that keeps counts.
  package static let allocator = [allocations, allocatedBytes, liveBytes]
}
