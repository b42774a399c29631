public import HistoryTypes

/// The difference of a file's model from the older model of the program that has it open.
///
/// The program reads and writes what its model has. What it does not know stays as it is.
public struct ModelSkew: Hashable, Sendable {
  /// The version of the file's model.
  public let fileVersion: Int
  /// The version of the program's model.
  public let programVersion: Int
  /// The differences of the file's model from the program's.
  public let differences: [ModelDifference]
}

extension ModelSkew: CustomStringConvertible {
  /// A sentence with both versions and the differences.
  public var description: String {
    let list = differences.map(\.description).joined(separator: "; ")
    return
      "The store has model version \(fileVersion); this program with version \(programVersion) "
      + "passes over what is new: \(list.isEmpty ? "nothing that it uses" : list)."
  }
}

extension Store {
  /// Returns how a newer program has changed the file's model, or `nil` if it has the program's version.
  ///
  /// - Throws: ``HistoryError/Code/modelOutgrown`` if the program's model no longer fits.
  /// - Complexity: a query of one row, and another one if the versions differ.
  public func modelSkew() throws(HistoryError) -> ModelSkew? {
    try locked { core in
      guard core.reading == nil else { return nil }
      return try core.read {
        let version = try core.knownMetadata(StoredModel.versionName) ?? 1
        guard version != Int64(model.version) else { return nil }
        let found = try StoredModel(core.connection, path: path) ?? core.stored
        try found.checkFits(model, path: path)
        return found.skew(of: model)
      }
    }
  }
}

extension StoredModel {
  fileprivate func skew(of program: Model) -> ModelSkew {
    ModelSkew(
      fileVersion: version,
      programVersion: program.version,
      differences: live.differences(from: program.declared)
    )
  }
}
