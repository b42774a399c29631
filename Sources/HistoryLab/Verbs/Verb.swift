/// A verb with everything that it needs to run.
protocol Verb: Sendable {
  /// Does the work and says how it ended.
  ///
  /// - Throws: a usage error if what an argument names turns out to be wrong, a lab error if the
  ///   lab itself failed.
  func run() async throws(LabError) -> ExitCode
}
