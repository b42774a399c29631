import Basics

/// The record of one part of a run that was split over several machines and merged.
package struct RunPart: Sendable, Hashable, Codable {
  /// The number of the part and how many there are, such as `2/4`.
  package var part: String
  /// The name of the part's folder.
  package var folder: String
  /// The command line as a list of words.
  package var commandLine: [String]
  /// The machine, the versions and the time of the part.
  package var environment: RunEnvironment
  /// `valid`, `invalid` or `unknown`; `nil` if it was not finished.
  package var verdict: String?
  /// The explanation of the verdict in a sentence.
  package var because: String?

  /// Creates the record of a part.
  package init(
    part: String,
    folder: String,
    commandLine: [String],
    environment: RunEnvironment,
    verdict: String?,
    because: String?
  ) {
    self.part = part
    self.folder = folder
    self.commandLine = commandLine
    self.environment = environment
    self.verdict = verdict
    self.because = because
  }
}

extension RunEnvironment {
  /// Joins the environments of the parts of one run; `nil` for none.
  ///
  /// Machines and systems are all named. The time is the earliest, the load the highest, and
  /// processors and memory are the lowest. What must be equal in all parts is that of the first.
  package init?(joining parts: [RunEnvironment]) {
    guard var joined = parts.first else { return nil }
    joined.machine = parts.map(\.machine).uniqued.joinedWithAnd
    joined.system = parts.map(\.system).uniqued.joinedWithAnd
    joined.processors = parts.map(\.processors).min() ?? joined.processors
    joined.memory = parts.map(\.memory).min() ?? joined.memory
    joined.time = UTCTime(
      secondsSince1970: parts.map(\.time.secondsSince1970).min() ?? joined.time.secondsSince1970
    )
    joined.load = parts.compactMap(\.load).max()
    self = joined
  }
}
