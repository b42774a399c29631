// Measures the shrinking challenge, the toy and the engine's speed, and prints a line of JSON for
// each row, for `scripts/shrinking`.
//
// Usage: ShrinkingTable [seeds] (default: 100)
import Foundation
import PropertyTesting
import ShrinkingExamples

let seeds = 0..<(CommandLine.arguments.dropFirst().first.flatMap { UInt64($0) } ?? 100)

/// The processor time of a body, in seconds.
func seconds(_ body: () throws -> Void) rethrows -> Double {
  let start = clock()
  try body()
  return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}

/// Prints one row.
func emit(_ row: [String: Any]) throws {
  let data = try JSONSerialization.data(withJSONObject: row, options: [.sortedKeys])
  print(String(decoding: data, as: UTF8.self))
}

for challenge in Challenge.all {
  let row = ChallengeRow(challenge, seeds: seeds)
  try emit([
    "kind": "challenge", "name": challenge.name, "found": row.found, "share": row.share,
    "evaluations": row.meanEvaluations, "evaluationsMax": row.evaluationsMax,
    "goalEvaluations": challenge.evaluationsMax, "goalShare": challenge.shareMin,
  ])
}

for mistake in SharedLog.Mistake.allCases {
  let row = try SharedLogRow(mistake, seeds: seeds)
  let property = try SharedLog.property(mistake)
  let time = seconds {
    for failure in row.failures {
      _ = Shrinker().shrink(failure.original, label: failure.shrunk.label, property)
    }
  }
  try emit([
    "kind": "toy", "name": mistake.code, "found": row.failures.count, "cases": row.medianCases,
    "evaluations": row.medianEvaluations, "evaluationsMax": row.evaluations.max() ?? 0,
    "least": row.leastCount, "answers": row.answerCount, "goalCases": mistake.casesMax,
    "goalEvaluations": mistake.evaluationsMax,
    "seconds": time / Double(max(row.failures.count, 1)),
  ])
}

let correct = try SharedLog.property(nil)
var steps = 0
let time = seconds {
  _ = PropertyRunner(seed: 1, cases: 5_000).run { source in
    defer { steps += source.sequence.spans.count { $0.label == "step" } }
    return try correct(&source)
  }
}
try emit(["kind": "speed", "steps": steps, "seconds": time])
