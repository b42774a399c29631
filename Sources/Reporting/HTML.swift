/// A piece of markup, which can only be created by methods that escape its text.
package struct HTML: Sendable, Hashable {
  /// The markup.
  package let markup: String

  /// Elements whose end tags HTML lets one omit, which shortens a page of tables by a fifth.
  private static let endless: Set<String> = ["td", "th", "tr"]

  private init(markup: String) { self.markup = markup }

  /// Creates markup from a string of this program, unescaped.
  static func own(_ markup: String) -> HTML { HTML(markup: markup) }

  /// Creates text.
  package static func text(_ text: String) -> HTML { HTML(markup: escaped(text)) }

  /// Creates an element with children; attributes with empty values are omitted.
  package static func element(
    _ name: String,
    _ attributes: KeyValuePairs<String, String> = [:],
    _ children: [HTML]
  ) -> HTML {
    let end = endless.contains(name) ? "" : "</\(name)>"
    return HTML(markup: open(name, attributes) + children.map(\.markup).joined() + end)
  }

  /// Creates an element that contains text.
  package static func element(
    _ name: String,
    _ attributes: KeyValuePairs<String, String> = [:],
    text: String
  ) -> HTML {
    element(name, attributes, [.text(text)])
  }

  /// Creates an empty element of a drawing.
  static func shape(_ name: String, _ attributes: KeyValuePairs<String, String>) -> HTML {
    HTML(markup: open(name, attributes).dropLast() + "/>")
  }

  /// Returns text escaped for use within an element or a quoted attribute.
  ///
  /// Control characters, which HTML forbids, become the replacement character.
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
