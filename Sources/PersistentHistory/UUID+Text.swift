extension UUID {
  /// Parses a text form of 36 characters, in upper or lower case; returns `nil` for any other text.
  ///
  /// `UUID(uuidString:)` skips characters that it cannot parse: a space in place of a digit yields
  /// a different UUID.
  package init?(exactly text: String) {
    guard let uuid = UUID(uuidString: text), uuid.uuidString == text.uppercased() else {
      return nil
    }
    self = uuid
  }
}
