import Measuring

extension BenchmarkReport {
  /// Returns a tile with the noise between equal work; empty if the run did not measure it.
  func noiseTile() -> [VerdictTile] {
    guard let noise = NoiseFloor(results.rows) else { return [] }
    return [
      VerdictTile(
        subject: "Noise floor",
        state: noise.doubt == nil ? .good : .unknown,
        word: noise.doubt == nil ? "quiet" : "too noisy",
        answer: Self.percent(noise.halfWidth),
        detail: (noise.doubt ?? noise.sentence).prefix(1).uppercased()
          + (noise.doubt ?? noise.sentence).dropFirst() + "."
      )
    ]
  }

  private static func percent(_ share: Double) -> String {
    "\u{B1}\(NumberText.significant(share * 100)) %"
  }
}
