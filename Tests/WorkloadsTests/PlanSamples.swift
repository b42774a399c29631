import PropertyTesting
import Traces

@testable import Workloads

extension Generator<Plan> {
  /// Returns a generator of plans of a style, whose header has the given seed.
  static func plans(_ style: PlanStyle = PlanStyle(), seed: UInt64 = 1) -> Generator {
    Generator { source in PlanGenerator(style).plan(from: &source, seed: seed) }
  }
}
