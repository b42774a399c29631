/// A piece of markup whose text is escaped, because there is no other way to make one.
package struct HTML: Sendable, Hashable {
  /// The markup.
  package let markup: String

  /// Elements that end where the next one begins; a page of tables is a fifth shorter for it.
  private static let endless: Set<String> = ["td", "th", "tr"]

  private init(markup: String) { self.markup = markup }

  /// Takes markup of this program's own making as it stands.
  static func own(_ markup: String) -> HTML { HTML(markup: markup) }

  /// Makes text.
  package static func text(_ text: String) -> HTML { HTML(markup: escaped(text)) }

  /// Makes an element with children; an attribute with an empty value is left out.
  package static func element(
    _ name: String,
    _ attributes: KeyValuePairs<String, String> = [:],
    _ children: [HTML]
  ) -> HTML {
    let end = endless.contains(name) ? "" : "</\(name)>"
    return HTML(markup: open(name, attributes) + children.map(\.markup).joined() + end)
  }

  /// Makes an element that holds text.
  package static func element(
    _ name: String,
    _ attributes: KeyValuePairs<String, String> = [:],
    text: String
  ) -> HTML {
    element(name, attributes, [.text(text)])
  }

  /// Makes an element of a drawing that holds nothing.
  static func shape(_ name: String, _ attributes: KeyValuePairs<String, String>) -> HTML {
    HTML(markup: open(name, attributes).dropLast() + "/>")
  }

  /// Escapes text so that it is the same text within an element and within a quoted attribute.
  ///
  /// Control characters, which no page may hold, become the replacement character.
  package static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case _ where scalar.properties.generalCategory == .control: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func open(_ name: String, _ attributes: KeyValuePairs<String, String>) -> String {
    var markup = "<" + name
    for (key, value) in attributes where !value.isEmpty {
      markup += " \(key)=\"\(escaped(value))\""
    }
    return markup + ">"
  }
}
