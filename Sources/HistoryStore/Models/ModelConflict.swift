public import HistoryTypes

/// The difference between a file's model and the older model of the program that opened the file.
///
/// The program reads and writes the entities and attributes of its model, and leaves all others
/// unchanged.
public struct ModelSkew: Hashable, Sendable {
  /// The version of the file's model.
  public let fileVersion: Int
  /// The version of the program's model.
  public let programVersion: Int
  /// The differences of the file's model from the program's.
  public let differences: [ModelDifference]
}

extension ModelSkew: CustomStringConvertible {
  /// A sentence with both model versions and their differences.
  public var description: String {
    let list = differences.map(\.description).joined(separator: "; ")
    return
      "The store has model version \(fileVersion); this program has version \(programVersion)"
      + (list.isEmpty
        ? ". No difference between the models is known." : " and ignores the differences: \(list).")
  }
}

extension Store {
  /// Returns how a newer program changed the file's model.
  ///
  /// Returns `nil` if the versions are equal, or the store was opened for reading only.
  ///
  /// - Throws: ``HistoryError/Code/modelOutgrown`` if the program's model no longer fits.
  /// - Complexity: a query of one row, and another one if the versions differ.
  public func modelSkew() throws(HistoryError) -> ModelSkew? {
    try locked { core in
      guard core.reading == nil else { return nil }
      return try core.read {
        let version = try core.knownMetadata(StoredModel.versionName) ?? 1
        guard version != Int64(model.version) else { return nil }
        let found = try StoredModel(core.connection, path: path) ?? core.schema.model
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

/// The reason why a program cannot use a file with its model.
package struct ModelConflict: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Both models have the same version, but they differ.
    case sameVersion
    /// The program's model is newer, and the differences from the file's model need a migration.
    case needsMigration
    /// The file's model is newer, and a program with the older model cannot read it.
    case newerFile
    /// A migration changed the file's model while the program had the store open.
    case outgrown
    /// The program's model is newer, but an entity of the file would get too many attributes.
    case tooLarge(ModelError)
  }

  package let kind: Kind
  /// The version of the file's model.
  package let fileVersion: Int
  /// The version of the program's model.
  package let programVersion: Int
  /// The differences of the newer model from the older one.
  ///
  /// If the versions are equal, they are the differences of the program's model from the file's.
  package let differences: [ModelDifference]

  package init(
    _ kind: Kind,
    fileVersion: Int,
    programVersion: Int,
    differences: [ModelDifference]
  ) {
    self.kind = kind
    self.fileVersion = fileVersion
    self.programVersion = programVersion
    self.differences = differences
  }
}

extension ModelConflict {
  /// Returns the error message and the suggestion for a conflict with the model of a file.
  func texts(_ path: String) -> (message: String, suggestion: String?) {
    switch kind {
    case .sameVersion:
      (
        "The model of \(path) and the program's model have version \(fileVersion), but differ: "
          + "\(list).", "Give the changed model a higher version."
      )
    case .needsMigration:
      (
        "\(path) has model version \(fileVersion). The program's model version \(programVersion) needs a "
          + "migration, because of these differences: \(list).",
        "Undo these differences in the model, or call Store.migrate before opening the store."
      )
    case .newerFile:
      (
        "\(path) has model version \(fileVersion), which this program with model version "
          + "\(programVersion) cannot read: \(list).", "Update the program that opens the file."
      )
    case .outgrown:
      (
        "\(path) was migrated to model version \(fileVersion) while this program had it open with "
          + "version \(programVersion): \(list).",
        "Close the store, and update the program that opens it."
      )
    case .tooLarge(let error):
      (
        "Model version \(programVersion) cannot be applied to \(path), which also keeps the "
          + "attributes of earlier versions. \(error)", "Add the attribute to another entity."
      )
    }
  }

  private var list: String {
    differences.isEmpty
      ? "no difference is known" : differences.map(\.description).joined(separator: "; ")
  }
}

extension Model {
  /// The program's own model, without the entities that ``StoredModel/view(of:)`` has added.
  var declared: Model {
    Model(unchecked: entities.filter(\.isDeclared), version: version)
  }
}

extension StoredModel {
  /// Returns the program's model if its lightweight differences must be applied to the file.
  ///
  /// Returns `nil` if the program can use the file as it is.
  ///
  /// - Throws: ``HistoryError`` with the differences if the file and the model do not fit.
  func upgrade(to program: Model, _ layout: HistoryLayout, path: String) throws -> Model? {
    let own = program.declared
    func conflict(_ kind: ModelConflict.Kind, _ differences: [ModelDifference]) -> HistoryError {
      HistoryError.otherModel(
        path: path,
        ModelConflict(
          kind,
          fileVersion: version,
          programVersion: own.version,
          differences: differences
        )
      )
    }
    if own.version < version {
      let differences = live.differences(from: own)
      let obstacles = differences.filter { !$0.isLightweight }
      guard obstacles.isEmpty else { throw conflict(.newerFile, obstacles) }
      return nil
    }
    let differences = own.differences(from: live)
    if own.version == version {
      guard differences.isEmpty else { throw conflict(.sameVersion, differences) }
      return nil
    }
    let obstacles = differences.filter { !$0.isLightweight || isObstacle($0, layout) }
    guard obstacles.isEmpty else { throw conflict(.needsMigration, obstacles) }
    do {
      _ = try applying(own)
    } catch {
      throw conflict(.tooLarge(error), differences)
    }
    return own
  }

  /// Returns whether a lightweight difference cannot be applied in a layout.
  ///
  /// The layout `coreData` assigns the tombstone columns to the preserved attributes in their order. A
  /// newly preserved attribute must therefore come after the attributes that have a column.
  private func isObstacle(_ difference: ModelDifference, _ layout: HistoryLayout) -> Bool {
    guard layout == .coreData,
      case .changedPreservation(let entity, let attribute, isPreserved: true) = difference
    else { return false }
    // The difference contains the new names; if the entity or the attribute is renamed as well, it
    // is not found, and counts as an obstacle.
    guard let found = entities.first(where: { $0.name == entity && !$0.isRemoved }),
      let number = found.attributes.firstIndex(where: {
        $0.attribute.name == attribute && !$0.isRemoved
      })
    else { return true }
    return !found.attributes[number].hasPlace && found.places >> UInt64(number) != 0
  }
}
