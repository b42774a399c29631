/// What a command line gave to a verb; every value is already known to be of its option's kind.
struct ParsedArguments: Equatable, Sendable {
  /// The texts given to each option, by its name; a flag that was given has one empty text.
  var texts: [String: [String]] = [:]
  /// The arguments without a name, in order.
  var positionals: [String] = []

  /// Whether an option or flag was given.
  func isGiven(_ name: String) -> Bool { texts[name] != nil }

  /// Whether a flag was given.
  func isSet(_ flag: Flag) -> Bool { isGiven(flag.name) }

  /// The values of an option that may be given more than once, without its default.
  func all<Value>(_ option: Option<Value>) -> [Value] {
    (texts[option.name] ?? []).compactMap(option.reader.read)
  }

  /// The value of an option, or its default, or nothing.
  func value<Value>(_ option: Option<Value>) -> Value? {
    all(option).last ?? option.defaultValue
  }

  /// The value of an option, or its default.
  ///
  /// - Throws: a usage error if the option was not given and has no default.
  func required<Value>(_ option: Option<Value>) throws(LabError) -> Value {
    guard let value = value(option) else {
      throw .usage("\(option.spec.dashed) is needed: \(option.reader.expectation).")
    }
    return value
  }
}
