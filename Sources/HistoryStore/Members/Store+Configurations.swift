import PersistentHistory

extension Store {
  /// Returns the differences between the declared configurations of the active members.
  ///
  /// The authors that a member ignores do not count as a difference.
  ///
  /// - Throws: ``HistoryError/damaged(path:what:)`` when the registry is invalid.
  /// - Complexity: that of ``members()``.
  public func configurationDifferences() throws(HistoryError) -> [ConfigurationDifference] {
    let members = try members().filter { $0.state == .active }
    return Self.differences(members) + Self.mistakenBatchAuthors(members)
  }

  private static func differences(_ members: [Member]) -> [ConfigurationDifference] {
    ConfigurationDifference.Subject.allCases.compactMap { subject in
      var statements: [ActorID: String] = [:]
      for member in members { statements[member.id] = member.configuration.statement(on: subject) }
      guard Set(statements.values).count > 1 else { return nil }
      return ConfigurationDifference(subject: subject, statements: statements)
    }
  }

  /// Returns one difference for each member whose author another member lists as a batch author.
  private static func mistakenBatchAuthors(_ members: [Member]) -> [ConfigurationDifference] {
    var found: [ConfigurationDifference] = []
    for member in members {
      guard let author = member.author else { continue }
      for other in members
      where other.id != member.id && other.configuration.batchAuthors?.contains(author) == true {
        found.append(
          ConfigurationDifference(
            subject: .batchAuthorIsMember,
            statements: [
              member.id: "that it merges under the author \"\(author)\"",
              other.id: "that \"\(author)\" only writes",
            ]
          )
        )
      }
    }
    return found
  }
}

extension MemberConfiguration {
  /// Returns the setting as text, which is equal for equal settings.
  fileprivate func statement(on subject: ConfigurationDifference.Subject) -> String? {
    switch subject {
    case .authors: authors.map(Self.list)
    case .batchAuthors: batchAuthors.map(Self.list)
    case .strategy: strategy
    case .retention: retention?.description
    case .protectedAuthors: protectedAuthors.map { Self.list(Set($0)) }
    case .batchAuthorIsMember: nil
    }
  }

  private static func list(_ names: Set<String>) -> String {
    names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
  }
}

extension RetentionLimits: CustomStringConvertible {
  /// The limits as text.
  public var description: String {
    let limits = [
      age.map { "\($0) s" }, transactionCount.map { "\($0) transactions" },
      byteCount.map { Int($0).counted("byte") },
    ].compactMap(\.self)
    return limits.isEmpty ? "no limit" : "at most " + limits.joined(separator: ", ")
  }
}
