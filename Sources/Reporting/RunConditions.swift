package import Measuring

/// Describes the environment of a run.
package enum RunConditions {
  /// Returns the facts of an environment for the footer of a page.
  package static func facts(of environment: RunEnvironment) -> [ReportPage.Fact] {
    let gigabytes = Double(environment.memory) / 1_073_741_824
    return [
      .init("Machine", environment.machine),
      .init("Processors", String(environment.processors)),
      .init("Load before", environment.load.map(NumberText.significant) ?? "not known"),
      .init("Memory", NumberText.significant(gigabytes) + " GiB"),
      .init("System", environment.system),
      .init("Swift", environment.swift + (environment.optimized ? ", release" : ", debug")),
      .init("SQLite", environment.sqlite),
      .init("Commit", environment.commit ?? "not known"),
      .init("Time", environment.time.readable),
      .init("Seed", "0x" + String(environment.seed, radix: 16)),
    ]
  }
}
