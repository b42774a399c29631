import Foundation
import Testing

@testable import Measuring

@Suite struct `The work meter` {
  @Test func `A meter counts only between start and stop, and adds up`() {
    let hand = HandCounts()
    let meter = WorkMeter([hand.source([.vmSteps, .pageReads]), hand.source([.rowsWritten])])
    var watch = Stopwatch(counting: meter)
    hand.value = 100
    watch.time { hand.value += 5 }
    hand.value += 1_000
    watch.time { hand.value += 2 }
    #expect(meter.metrics == [.vmSteps, .pageReads, .rowsWritten])
    #expect(meter.take() == [7, 7, 7])
    #expect(meter.take() == [0, 0, 0])
  }

  @Test func `The counter read last before the work is read first after it`() {
    var order = ""
    let sources = ["a", "b"].map { name in
      WorkMeter.Source([.vmSteps]) { _ in order += name }
    }
    let meter = WorkMeter(sources)
    meter.begin()
    meter.end()
    #expect(order == "abba")
  }

  #if os(Linux)
  @Test func `Reads and writes are counted to the byte, and no work counts zero`() throws {
    let io = try #require(ThreadIO())
    let meter = WorkMeter([io.source])
    var watch = Stopwatch(counting: meter)
    watch.time {}
    #expect(meter.take() == [0, 0, 0])
    let zeros = open("/dev/zero", O_RDONLY)
    let nothing = open("/dev/null", O_WRONLY)
    defer {
      close(zeros)
      close(nothing)
    }
    var bytes = [UInt8](repeating: 1, count: 1_000)
    let moved = watch.time { (read(zeros, &bytes, 700), write(nothing, bytes, 300)) }
    #expect(moved == (700, 300))
    #expect(meter.take() == [2, 700, 300])
  }
  #endif

  @Test func `Without jemalloc allocations are nil, not zero`() {
    #expect(AllocationCounter() == nil)
  }
}

/// Counters that a test sets.
private final class HandCounts {
  var value: Int64 = 0

  func source(_ metrics: [Metric]) -> WorkMeter.Source {
    WorkMeter.Source(metrics) { counts in
      for index in counts.indices { counts[index] = self.value }
    }
  }
}
