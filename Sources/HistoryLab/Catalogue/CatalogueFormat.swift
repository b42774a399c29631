/// The output format of a list.
enum CatalogueFormat: Hashable, Sendable {
  case text
  case markdown
  case json

  /// Reads the format from the flags; the parser accepts at most one of them.
  init(_ arguments: ParsedArguments) {
    if arguments.isSet(CommonOption.json) {
      self = .json
    } else {
      self = arguments.isSet(CommonOption.markdown) ? .markdown : .text
    }
  }
}
