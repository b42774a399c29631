import Foundation
import Measuring

extension ResultsExport {
  /// The percentiles of one row as HdrHistogram's tools write and draw them, values in microseconds
  /// (https://github.com/HdrHistogram/HdrHistogram, `outputPercentileDistribution`).
  package static func histogram(_ samples: [Double]) -> String {
    let sorted = SortedSamples(samples)
    let count = sorted.values.count
    var lines = ["       Value     Percentile TotalCount 1/(1-Percentile)", ""]
    for share in shares(count) {
      // 55 of 100 samples are a share of 0.55, though the product of the two is a little more.
      let within = Int((share * Double(count) - 1e-9).rounded(.up))
      let value = sorted.values[max(0, within - 1)] / 1_000
      let start = String(format: "%12.3f %2.12f %10d", value, share, max(1, within))
      lines.append(share < 1 ? start + String(format: " %14.2f", 1 / (1 - share)) : start)
    }
    let mean = sorted.mean
    let variance = sorted.values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
    let most = sorted.values[count - 1]
    lines += [
      String(
        format: "#[Mean    = %12.3f, StdDeviation   = %12.3f]",
        mean / 1_000,
        variance.squareRoot() / 1_000
      ),
      String(format: "#[Max     = %12.3f, Total count    = %12d]", most / 1_000, count),
      String(format: "#[Buckets = %12d, SubBuckets     = %12d]", 1, count),
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The rows whose slow samples say something: a hundred samples of wall time or more, by a name
  /// that a file may have.
  package var histograms: [(name: String, text: String)] {
    rows.filter { $0.row.metric == .wall && $0.row.samples.count >= 100 }.map { row, _ in
      (PageSection.anchor(from: Self.name(row)), Self.histogram(row.samples))
    }
  }

  /// Five steps to each halving of what is left, as HdrHistogram takes them, up to the last sample.
  private static func shares(_ count: Int) -> [Double] {
    var shares: [Double] = []
    var (left, start) = (1.0, 0.0)
    while left * Double(count) >= 1 {
      shares += (0..<5).map { start + left / 2 * Double($0) / 5 }
      start += left / 2
      left /= 2
    }
    return shares + [1]
  }
}
