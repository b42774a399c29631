extension ArgumentParser {
  /// Returns the error for an option that the verb does not have.
  func unknownOption(_ typed: String) -> LabError {
    let name = String(typed.drop { $0 == "-" })
    let known = verb.options.map(\.name) + ["help"]
    if let nearest = NearestWord.find(name, among: known) {
      return .usage(#"unknown option \#(typed.quoted). Did you mean "--\#(nearest)"?"#)
    }
    let owners = others.filter { $0.option(name) != nil }.map(\.name)
    if !owners.isEmpty {
      let have = owners.count == 1 ? "has" : "have"
      return .usage(
        "\(verb.name) has no option \(typed.quoted); \(owners.joinedWithAnd) \(have) it."
      )
    }
    return .usage("unknown option \(typed.quoted).")
  }

  /// Returns the error for a positional argument that the verb does not accept.
  func surplus(_ argument: String) -> LabError {
    guard !verb.positionals.isEmpty else {
      return .usage(
        "unexpected argument \(argument.quoted): \(verb.name) takes options only."
      )
    }
    let places = verb.positionals.map(\.value.placeholder).joinedWithAnd
    return .usage("unexpected argument \(argument.quoted): \(verb.name) takes one \(places).")
  }
}
