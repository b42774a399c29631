/// How a list is written.
enum CatalogueFormat: Hashable, Sendable {
  case text
  case markdown
  case json

  /// What the flags ask for; the parser lets only one of them through.
  init(_ arguments: ParsedArguments) {
    if arguments.isSet(CommonOption.json) {
      self = .json
    } else {
      self = arguments.isSet(CommonOption.markdown) ? .markdown : .text
    }
  }
}
