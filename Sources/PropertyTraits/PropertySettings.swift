/// How properties are run, as far as it is said: what is nil is left to whoever stands further out.
///
/// The environment counts most, then the trait of the test, then those of the suites around it.
struct PropertySettings: Sendable {
  /// How many cases to run.
  var cases: Int?
  /// The seed; a random one if nobody says it.
  var seed: UInt64?
  /// How long a property may take, shrinking included.
  var time: Duration?
  /// The folder of the cases that failed earlier.
  var corpus: String?
  /// The line of a case to run instead of all others.
  var replay: String?
  /// Whether to print what the cases were like.
  var showsStatistics: Bool?

  /// What the traits around the present task say.
  @TaskLocal static var current = PropertySettings()

  /// Returns these settings, and the others' where these say nothing.
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
  /// Reads `PROPERTY_CASES`, `PROPERTY_SEED`, `PROPERTY_TIME` (seconds), `PROPERTY_CORPUS`,
  /// `PROPERTY_REPLAY` and `PROPERTY_STATISTICS`.
  ///
  /// - Throws: ``PropertySettingsError`` where one is set to something else than it means.
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

/// An environment variable of a property that does not say what it should.
public struct PropertySettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the variable.
  public let name: String
  /// What it says.
  public let value: String
  /// What it should say.
  public let meaning: String

  /// One sentence with the name, the value and what to give instead.
  public var description: String { "\(name) is \"\(value)\"; give \(meaning)." }
}
