/// The identity of one store file, assigned on creation and never changed.
///
/// It corresponds to the store UUID in Core Data's store metadata (`NSPersistentStore.identifier`).
public struct StoreID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The UUID of the store.
  public let uuid: UUID

  /// Creates the identity with a UUID.
  public init(_ uuid: UUID) {
    self.uuid = uuid
  }

  /// Creates the identity from its text form, or returns `nil` if the text is not a UUID.
  public init?(_ text: String) {
    guard let uuid = UUID(exactly: text) else { return nil }
    self.uuid = uuid
  }

  /// The text form, as formatted by `UUID`.
  public var description: String { uuid.uuidString }
}
