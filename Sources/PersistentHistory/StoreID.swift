/// The identity of one store file, made when the file is created and never changed.
///
/// Mirrors the store UUID that Core Data keeps in a store's metadata
/// (`NSPersistentStore.identifier`).
public struct StoreID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The identifier's 16 bytes.
  public let uuid: UUID

  /// Creates the identity from its bytes.
  public init(_ uuid: UUID) {
    self.uuid = uuid
  }

  /// Creates the identity from its text form, or nothing when the text is not a UUID.
  public init?(_ text: String) {
    guard let uuid = UUID(exactly: text) else { return nil }
    self.uuid = uuid
  }

  /// The text form, as `UUID` writes it.
  public var description: String { uuid.uuidString }
}
