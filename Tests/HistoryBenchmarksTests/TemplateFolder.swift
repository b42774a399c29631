import HistoryStore

@testable import HistoryBenchmarks

/// Builds stores of some sizes, passes them and their folder to a closure, and removes them.
func withTemplates(
  _ sizes: [Int],
  _ body: ([StoreTemplate], ScratchFolder) throws -> Void
) throws {
  let scratch = try ScratchFolder()
  let result = Result {
    let builder = TemplateBuilder(folder: scratch.path, seed: 3)
    try body(builder.build(sizes: sizes) { _ in }, scratch)
  }
  try scratch.remove()
  try result.get()
}

/// Passes the setting of a benchmark at one size of history to a closure.
func withSetting(_ size: Int, _ body: (BenchmarkSetting) throws -> Void) throws {
  try withTemplates([size]) { templates, scratch in
    try body(
      BenchmarkSetting(
        historySize: size,
        template: templates[0],
        scratch: scratch,
        repetitionDivisor: 100
      )
    )
  }
}
