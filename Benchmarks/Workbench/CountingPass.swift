import BenchmarkFloor
import Measuring

/// The untimed pass over a benchmark that counts the work of its contenders in one measurement.
///
/// Nothing is timed here, because counting takes time, and more so with an allocator that keeps
/// counts.
struct CountingPass {
  let subject: BenchmarkSubject
  /// The settings, one per history size of the benchmark.
  let settings: [BenchmarkSetting]
  let seed: UInt64
  /// The conditions that all benchmarks share.
  let condition: String
  /// The reason given if allocations cannot be counted.
  var withoutAllocations = "this process cannot be started again under jemalloc"

  /// The number of earlier measurements, which fill caches and prepare statements.
  private static let warmUp = 2

  /// Counts a benchmark that is measured in rounds; returns no rows for other benchmarks.
  func rows() throws -> [BenchmarkRow] {
    guard case .rounds(_, let prepare) = subject.method else { return [] }
    let allocations = AllocationCounter()
    let io = ThreadIO()
    let sources = [io?.source, SQLiteCounts.source, allocations?.source].compactMap(\.self)
    let meter = WorkMeter(sources)
    var rows: [BenchmarkRow] = []
    for setting in settings {
      BenchmarkRandom.restart()
      try SQLiteCounts.counting {
        for work in try prepare(setting) { rows += try count(work, meter, setting.historySize) }
      }
      try setting.scratch.removeCopies()
    }
    if io == nil {
      rows += missing([.systemCalls, .bytesRead, .bytesWritten], "only Linux counts it")
    }
    if allocations == nil { rows += missing(Metric.allocator, withoutAllocations) }
    for index in rows.indices { rows[index].axis = subject.axis?.name }
    return rows
  }

  private func count(
    _ work: MeasuredWork,
    _ meter: WorkMeter,
    _ size: Int
  ) throws -> [BenchmarkRow] {
    let contender = Contender(work.contender, operations: work.operations) {
      _ = try work.measure(&$0)
    }
    for _ in 0..<Self.warmUp { _ = try contender.measure(with: Stopwatch(counting: meter)) }
    _ = meter.take()
    let memory = ResidentMemory()
    _ = try contender.measure(with: Stopwatch(counting: meter))
    let growth = memory?.growthBytes
    var rows = zip(meter.metrics, meter.take()).map { metric, sum in
      row(work.contender, size, metric, Double(sum) / Double(work.operations))
    }
    for index in rows.indices { rows[index].varies = work.varies }
    if let growth {
      var row = row(work.contender, size, .residentGrowth, Double(growth))
      row.varies = SampledRow.memoryVaries
      rows.append(row)
    }
    return rows
  }

  private func row(
    _ contender: String,
    _ size: Int,
    _ metric: Metric,
    _ value: Double
  ) -> BenchmarkRow {
    BenchmarkRow(
      subject: subject.part,
      operation: subject.operation,
      condition: subject.fullCondition(condition),
      contender: contender,
      historySize: size,
      metric: metric,
      samples: [value],
      seed: seed
    )
  }

  private func missing(_ metrics: [Metric], _ reason: String) -> [BenchmarkRow] {
    metrics.map { metric in
      BenchmarkRow(
        subject: subject.part,
        operation: subject.operation,
        condition: subject.fullCondition(condition),
        contender: BenchmarkSubject.ours,
        historySize: settings.last?.historySize ?? 0,
        metric: metric,
        notMeasured: reason,
        seed: seed
      )
    }
  }
}

extension BenchmarkSubject {
  /// Returns the benchmark's own conditions and the shared ones, in the form used by rows.
  func fullCondition(_ shared: String) -> String {
    [condition, shared].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
