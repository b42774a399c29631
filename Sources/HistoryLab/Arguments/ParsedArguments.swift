/// The parsed arguments of a verb; every value is already valid for its option.
struct ParsedArguments: Equatable, Sendable {
  /// The texts given for each option, by its name; a flag that was given has one empty text.
  var texts: [String: [String]] = [:]
  /// The positional arguments, in order.
  var positionals: [String] = []

  /// Returns whether an option or flag was given.
  func isGiven(_ name: String) -> Bool { texts[name] != nil }

  func isSet(_ flag: Flag) -> Bool { isGiven(flag.name) }

  /// Returns the values of an option that may repeat, without its default.
  func all<Value>(_ option: Option<Value>) -> [Value] {
    (texts[option.name] ?? []).compactMap(option.reader.read)
  }

  /// Returns the last value given for an option, else its default, else `nil`.
  func value<Value>(_ option: Option<Value>) -> Value? {
    all(option).last ?? option.defaultValue
  }

  /// Returns the last value given for an option, or its default.
  ///
  /// - Throws: a usage error if the option is missing and has no default.
  func required<Value>(_ option: Option<Value>) throws(LabError) -> Value {
    guard let value = value(option) else {
      throw .usage("\(option.spec.dashed) is needed: \(option.reader.expectation).")
    }
    return value
  }
}
