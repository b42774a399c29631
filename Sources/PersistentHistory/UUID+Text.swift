extension UUID {
  /// The identity with a text form of 36 characters, in large or small letters; nothing for another
  /// text.
  ///
  /// `UUID(uuidString:)` passes over what it cannot read: a space in place of a digit gives another
  /// identity there.
  package init?(exactly text: String) {
    guard let uuid = UUID(uuidString: text), uuid.uuidString == text.uppercased() else {
      return nil
    }
    self = uuid
  }
}
