/// The settings of a property run; `nil` values are taken from an outer scope.
///
/// The environment has the highest precedence, then the trait of the test, then the traits of
/// enclosing suites, from the inside out.
struct PropertySettings: Sendable {
  /// The number of cases to run.
  var cases: Int?
  /// The seed; `nil` draws a random one.
  var seed: UInt64?
  /// The time limit of a property, including shrinking.
  var time: Duration?
  /// The folder of the cases that failed in earlier runs.
  var corpus: String?
  /// The line of a single case to run instead of all cases.
  var replay: String?
  /// Whether to print the statistics of the cases.
  var showsStatistics: Bool?

  /// The settings of the traits that apply to the current task.
  @TaskLocal static var current = PropertySettings()

  /// Returns these settings, with missing values taken from others.
  func or(_ others: PropertySettings) -> PropertySettings {
    PropertySettings(
      cases: cases ?? others.cases,
      seed: seed ?? others.seed,
      time: time ?? others.time,
      corpus: corpus ?? others.corpus,
      replay: replay ?? others.replay,
      showsStatistics: showsStatistics ?? others.showsStatistics
    )
  }
}

extension PropertySettings {
  /// Reads the settings from environment variables.
  ///
  /// The variables are `PROPERTY_CASES`, `PROPERTY_SEED`, `PROPERTY_TIME` (seconds),
  /// `PROPERTY_CORPUS`, `PROPERTY_REPLAY` and `PROPERTY_STATISTICS` (1 or 0).
  ///
  /// - Throws: ``PropertySettingsError`` if a variable has an invalid value.
  init(environment: [String: String]) throws(PropertySettingsError) {
    func value<Value>(
      _ name: String,
      _ meaning: String,
      _ read: (String) -> Value?
    ) throws(PropertySettingsError) -> Value? {
      guard let text = environment[name], !text.isEmpty else { return nil }
      guard let value = read(text) else {
        throw PropertySettingsError(name: name, value: text, meaning: meaning)
      }
      return value
    }
    cases = try value("PROPERTY_CASES", "a number of cases, 1 or more") { text in
      Int(text).flatMap { $0 > 0 ? $0 : nil }
    }
    seed = try value("PROPERTY_SEED", "a whole number of up to 64 bits") { UInt64($0) }
    time = try value("PROPERTY_TIME", "a number of seconds above 0") { text in
      Double(text).flatMap { $0 > 0 && $0 < 1e9 ? .seconds($0) : nil }
    }
    corpus = environment["PROPERTY_CORPUS"].flatMap { $0.isEmpty ? nil : $0 }
    replay = environment["PROPERTY_REPLAY"].flatMap { $0.isEmpty ? nil : $0 }
    showsStatistics = try value("PROPERTY_STATISTICS", "1 or 0") { ["1": true, "0": false][$0] }
  }
}

/// An invalid setting of a property: an environment variable or a line to replay.
public struct PropertySettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the setting.
  public let name: String
  /// The invalid value.
  public let value: String
  /// A description of valid values.
  public let meaning: String

  /// A sentence with the name, the value and a description of valid values.
  public var description: String { "\(name) is \"\(value)\"; give \(meaning)." }
}
