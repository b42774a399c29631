/// The authors of the transactions with which a model was changed.
package enum MigrationAuthor {
  private static let prefix = "schemamigrator: migration from model version "
  private static let separator = " to "
  /// The start of the authors under which Core Data migrates a store.
  private static let coreDataPrefix = "com.apple.coredata.schemamigrator"

  /// Returns the author of the transaction that changes one version of the model to another.
  package static func name(from old: Int, to new: Int) -> String {
    "\(prefix)\(old)\(separator)\(new)"
  }

  /// Returns whether an author stands for a migration, in this library or in Core Data.
  package static func isAuthor(_ author: String?) -> Bool {
    guard let author else { return false }
    return author.hasPrefix(prefix) || author.hasPrefix(coreDataPrefix)
  }

  /// Returns the version of the model after the migration of an author, or `nil`.
  package static func version(_ author: String?) -> Int? {
    guard let author, author.hasPrefix(prefix) else { return nil }
    return author.split(separator: " ").last.flatMap { Int($0) }
  }
}

extension HistoryTransaction {
  /// A Boolean value that indicates whether the transaction changed the model of the store.
  ///
  /// Such a transaction contains no changes of objects, and its author names the migration, as in
  /// Core Data.
  public var isModelMigration: Bool { MigrationAuthor.isAuthor(author) }

  /// The version of the store's model after the transaction, or `nil` if it did not change the model.
  ///
  /// Core Data's migrations have no version.
  public var modelVersion: Int? { MigrationAuthor.version(author) }
}
