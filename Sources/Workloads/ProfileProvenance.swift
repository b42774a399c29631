/// Where a profile's figures are from.
package struct ProfileProvenance: Sendable, Hashable, Codable {
  /// One file that was counted.
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

  /// One sentence.
  package var source: String
  /// The day on which the profile was made, as `2001-12-31`.
  package var date: String
  /// All transactions that were counted.
  package var transactions: Int
  /// All changes that were counted.
  package var changes: Int
  /// The files that were counted, if they were at hand.
  package var files: [File]
  /// What one should know before relying on a figure.
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
