/// A verb with everything that it needs to run.
protocol Verb: Sendable {
  /// Runs the verb and returns the exit code.
  ///
  /// - Throws: A usage error if an argument turns out to be wrong; a lab error if the lab itself
  ///   failed.
  func run() async throws(LabError) -> ExitCode
}
