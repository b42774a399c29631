import HistoryTypes
import SQLiteStorage

extension StoredModel {
  /// The metadata name of the model's text.
  static let textName = "model"
  /// The metadata name of the model's version; a file without one has version 1.
  static let versionName = "modelVersion"

  /// The metadata name of the oldest version of the model whose programs can use the file.
  ///
  /// A migration sets it; a file without one was never migrated.
  static let oldestName = "modelOldest"

  /// Reads the model of an open file.
  ///
  /// - Throws: ``HistoryError/Code/damaged`` if the text of the model is invalid.
  init?(_ connection: borrowing Connection, path: String) throws {
    let version = try Self.version(connection)
    let text = try connection.text(
      "SELECT value FROM history_metadata WHERE name = '\(Self.textName)'"
    )
    guard let text, let stored = StoredModel(text: text, version: version) else {
      throw HistoryError.damaged(path: path, what: "its model cannot be read")
    }
    self = stored
  }

  /// Reads the version of the model of an open file.
  static func version(_ connection: borrowing Connection) throws -> Int {
    let version = try connection.integer(
      "SELECT value FROM history_metadata WHERE name = '\(versionName)'"
    )
    return Int(version ?? 1)
  }

  /// Throws if a program's model, with the numbers of this file, lacks a table or column here.
  func checkFits(_ model: Model, path: String) throws {
    var missing: [ModelDifference] = []
    for (offset, entity) in model.entities.enumerated() where entity.isDeclared {
      guard offset < entities.count, !entities[offset].isRemoved else {
        missing.append(.removedEntity(entity.name))
        continue
      }
      for (index, attribute) in entity.attributes.enumerated() {
        let number = entity.numbers.isEmpty ? index : entity.numbers[index]
        guard number < entities[offset].attributes.count,
          !entities[offset].attributes[number].isRemoved
        else {
          missing.append(.removedAttribute(entity: entity.name, attribute: attribute.name))
          continue
        }
      }
    }
    guard missing.isEmpty else { throw outgrown(model, missing, path: path) }
  }

  /// Returns the error of a program whose model the file has outgrown.
  func outgrown(
    _ model: Model,
    _ differences: [ModelDifference],
    path: String
  ) -> HistoryError {
    HistoryError.otherModel(
      path: path,
      ModelConflict(
        .outgrown,
        fileVersion: version,
        programVersion: model.version,
        differences: differences
      )
    )
  }
}
