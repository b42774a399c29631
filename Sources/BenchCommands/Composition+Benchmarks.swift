import Basics
package import Commands
import HistoryBenchmarks

/// The sizes that benchmark runs measure.
package struct BenchmarkSizes: CompositionPart {
  /// The history sizes of a quick run, in transactions.
  package var quick = BenchmarkRun.quickSizes
  /// The history sizes of a full run, in transactions.
  package var all = BenchmarkRun.allSizes
  /// Whether a run first times two contenders with equal work, to estimate the noise of its times.
  package var checksNoise = true

  package init() {}
}

extension Composition {
  /// Checks that a text is the beginning of a benchmark's name.
  ///
  /// - Throws: a usage error that suggests the nearest name.
  func checkBenchmark(_ name: String) throws(LabError) {
    let known = catalogue.names(.benchmarks)
    guard !known.contains(where: { $0.begins(with: name) }) else { return }
    throw unknown("benchmark", name, known, try: "bench list")
  }

  /// Checks that a text names a condition in which benchmarks are measured.
  ///
  /// - Throws: a usage error that suggests the nearest name.
  func checkAxis(_ name: String) throws(LabError) {
    let known = [BenchRunOptions.baseAxis] + catalogue.names(.axes)
    guard !known.contains(name) else { return }
    throw unknown("axis", name, known, try: "bench list")
  }
}

extension VerbSpec {
  /// The verb `bench`, which measures the costs of fetch, merge and purge as history grows.
  package static var bench: VerbSpec { BenchRunVerb.group }
}

extension ToolSpec {
  /// The command with only the benchmark verbs, for parsing the command lines of benchmark runs.
  static var benchmarks: ToolSpec {
    ToolSpec(name: commandName, sentence: "", verbs: [.bench], examples: [])
  }
}
