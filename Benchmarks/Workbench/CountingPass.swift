import BenchmarkFloor
import Measuring

/// The untimed pass over a benchmark: what each of its contenders does in one measurement, counted.
///
/// Nothing is timed here: counting costs time, and an allocator that keeps counts costs more.
struct CountingPass {
  let subject: BenchmarkSubject
  /// The stores at the sizes that the benchmark is measured at.
  let settings: [BenchmarkSetting]
  let seed: UInt64
  /// The conditions that all benchmarks share.
  let condition: String
  /// Why allocations cannot be counted, where they cannot.
  var withoutAllocations = "this process cannot be started again under jemalloc"

  /// Measurements before the one that is counted: the first fills caches and prepares statements.
  private static let warmUp = 2

  /// Counts, where the benchmark is measured in rounds; others have nothing to repeat.
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
  /// The conditions of the benchmark's own and those that all share, as rows tell them.
  func fullCondition(_ shared: String) -> String {
    [condition, shared].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
