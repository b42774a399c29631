/// One JSON object whose keys are read by name, with a sentence for each thing that is wrong.
///
/// A null counts as a key that is not there.
struct Fields {
  /// What the object is, with its article, for sentences.
  let what: String
  let place: Place
  let members: [String: JSONValue]

  init(_ value: JSONValue, as what: String, at place: Place) throws(FormatError) {
    guard let members = value.members else {
      throw place.error("\(what) is not an object", "Write {\"key\":value,...}.")
    }
    self.init(members, as: what, at: place)
  }

  init(_ members: [String: JSONValue], as what: String, at place: Place) {
    self.what = what
    self.place = place
    self.members = members
  }

  /// The same keys under another name.
  func named(_ what: String) -> Fields { Fields(members, as: what, at: place) }

  /// Whether the key is there and not null.
  func has(_ key: String) -> Bool { (members[key] ?? .null) != .null }

  /// Refuses keys that are not known, unless they are to be passed over.
  func allow(_ known: [String]) throws(FormatError) {
    if place.lenient { return }
    guard let key = members.keys.filter({ !known.contains($0) }).min() else { return }
    throw place.of(key).error("\(what) has no key \"\(key)\"", Self.advice(key, known))
  }

  /// A sentence that names the nearest known name, or all of them.
  static func advice(_ name: String, _ known: [String]) -> String {
    if let nearest = NearestName.of(name, among: known) { return "Did you mean \"\(nearest)\"?" }
    return "Known are \(known.sorted().map { "\"\($0)\"" }.joined(separator: ", "))."
  }

  /// The value of a key, or nothing when it is not there.
  func find<T>(
    _ key: String,
    _ wanted: String,
    _ convert: (JSONValue) -> T?
  ) throws(FormatError) -> T? {
    guard let value = members[key], value != .null else { return nil }
    guard let result = convert(value) else {
      throw place.of(key).error(
        "\"\(key)\" of \(what) is \(value.excerpt)",
        "It must be \(wanted)."
      )
    }
    return result
  }

  /// The value of a key that must be there.
  func need<T>(
    _ key: String,
    _ wanted: String,
    _ convert: (JSONValue) -> T?
  ) throws(FormatError) -> T {
    guard let value = try find(key, wanted, convert) else {
      throw place.error("\(what) lacks the key \"\(key)\"", "It must be \(wanted).")
    }
    return value
  }
}

extension Fields {
  func string(_ key: String) throws(FormatError) -> String {
    try need(key, "a string", \.text)
  }

  func string(ifAny key: String) throws(FormatError) -> String? {
    try find(key, "a string", \.text)
  }

  func strings(ifAny key: String) throws(FormatError) -> [String]? {
    try find(key, "a list of strings") { value in
      guard let texts = value.elements?.map(\.text), !texts.contains(nil) else { return nil }
      return texts.compactMap { $0 }
    }
  }

  func bool(_ key: String, default standard: Bool) throws(FormatError) -> Bool {
    try find(key, "true or false", \.truth) ?? standard
  }

  /// A whole number that is not negative.
  func count(ifAny key: String) throws(FormatError) -> Int? {
    try find(key, "a whole number, 0 or more", Self.count)
  }

  func count(_ key: String) throws(FormatError) -> Int {
    try need(key, "a whole number, 0 or more", Self.count)
  }

  private static func count(_ value: JSONValue) -> Int? {
    guard case .integer(let number) = value, number >= 0 else { return nil }
    return Int(number)
  }

  func finite(ifAny key: String) throws(FormatError) -> Double? {
    try find(key, "a number", \.finite)
  }

  func finite(_ key: String) throws(FormatError) -> Double {
    try need(key, "a number", \.finite)
  }

  /// A number of seconds; one that JSON cannot write is kept, so that checkers see it.
  func seconds(_ key: String) throws(FormatError) -> Double {
    try need(key, "a number of seconds", \.double)
  }

  /// The objects of a list, empty when the key is not there; each is named for sentences.
  func objects(_ key: String, as name: String) throws(FormatError) -> [Fields] {
    let list = try find(key, "a list of objects", \.elements) ?? []
    return try list.enumerated().map { (item) throws(FormatError) in
      try Fields(item.element, as: "\(name) \(item.offset + 1) of \(what)", at: place)
    }
  }

  /// One of the words of an enumeration.
  func choice<T: RawRepresentable & CaseIterable>(
    _ key: String,
    as type: T.Type
  ) throws(FormatError) -> T where T.RawValue == String {
    try word(try string(key), of: key)
  }

  func choice<T: RawRepresentable & CaseIterable>(
    _ key: String,
    default standard: T
  ) throws(FormatError) -> T where T.RawValue == String {
    guard let text = try string(ifAny: key) else { return standard }
    return try word(text, of: key)
  }

  private func word<T: RawRepresentable & CaseIterable>(
    _ text: String,
    of key: String
  ) throws(FormatError) -> T where T.RawValue == String {
    guard let result = T(rawValue: text) else {
      let advice = Self.advice(text, T.allCases.map(\.rawValue))
      throw place.of(key).error("\"\(key)\" of \(what) cannot be \"\(text)\"", advice)
    }
    return result
  }
}
