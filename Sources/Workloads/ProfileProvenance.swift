/// The origin of a profile's figures.
package struct ProfileProvenance: Sendable, Hashable, Codable {
  /// A file that was counted.
  package struct File: Sendable, Hashable, Codable {
    /// The file's name without its folder.
    package let name: String
    package let transactions: Int
    package let changes: Int

    package init(name: String, transactions: Int, changes: Int) {
      self.name = name
      self.transactions = transactions
      self.changes = changes
    }
  }

  /// A sentence that describes the source.
  package var source: String
  /// The day on which the profile was made, in the form `2001-12-31`.
  package var date: String
  /// The number of all counted transactions.
  package var transactions: Int
  /// The number of all counted changes.
  package var changes: Int
  /// The counted files, if they were available.
  package var files: [File]
  /// Caveats about the figures.
  package var notes: [String]

  package init(
    source: String,
    date: String,
    transactions: Int,
    changes: Int,
    files: [File] = [],
    notes: [String] = []
  ) {
    self.source = source
    self.date = date
    self.transactions = transactions
    self.changes = changes
    self.files = files
    self.notes = notes
  }
}
