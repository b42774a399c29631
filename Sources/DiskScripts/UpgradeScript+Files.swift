import HistoryStore
import HistoryTypes

/// Checks of the formats of new files, of invalid recorded models, and of converted files.
extension UpgradeScript {
  /// Checks the format versions of new files, and opens files whose recorded model is invalid.
  func createFormats(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let text = Attribute("text", .string)
    func item(_ attribute: Attribute) -> [Entity] { [Entity("Item", [attribute])] }
    let formats: [(format: Int64, version: Int, entities: [Entity])] = [
      (1, 1, item(text)), (2, 2, item(text)),
      (2, 1, item(Attribute("text", .string, defaultValue: "it's"))),
      (2, 1, item(Attribute("text", .string, renamingIdentifier: "title"))),
      (2, 1, [Entity("Item", [text], renamingIdentifier: "Thing")]),
      (4, 1, item(Attribute("text", .string, isOptional: false))),
      (4, 1, [Entity("Item", [text], indexes: [["text"]])]),
      (4, 3, [Entity("Item", [text], uniquenessConstraints: [["text"]])]),
      (4, 1, item(Attribute("parent", to: "Item"))),
    ]
    for place in [0, 1 + seed.draw(formats.count - 1)] {
      let (format, version, entities) = formats[place]
      let path = folder.file("format\(place)")
      _ = try open(path, try model(version, entities))
      let found = try RawFile(path).number("PRAGMA user_version")
      expect(
        found == format,
        "the file of \(entities) has the format \(found ?? -1), not \(format)"
      )
    }
    let path = folder.file("format0")
    var configuration = configuration()
    configuration.foreignWrites = seed.pick([.captured, .refused])
    _ = try Store(path: path, configuration: configuration)
    let raised = try RawFile(path).number("PRAGMA user_version")
    expect(raised == 3, "a file with a rule for plain SQL has the format \(raised ?? -1)")
    try refuseTexts(path)
  }

  /// Writes an invalid text of a model into a file, which must then be refused as damaged.
  private func refuseTexts(_ path: String) throws(HistoryError) {
    let texts = [
      "", "Item text", "Item text:word", "Item text:string:int", "Item;q text:string",
      "Item text:string;q", "Item text:int;d=x", "Item text:double;d=x", "Item text:string;d=1",
      "Item text:data;d=zz", "Item text:date;d=x", "Item text:uuid;d=x", "Item text:int;f=Item",
      "Item text:int;f=Item,drop", "Item;n=1 text:string", "Item;n=0x text:string",
      "Item;n=,0 text:string", "Item;n=a text:string", "Item text:string text:string",
    ]
    let text = seed.pick(texts)
    try RawFile(path).run("UPDATE history_metadata SET value = '\(text)' WHERE name = 'model'")
    expect(.damaged, of: "a file with the model \"\(text)\"") { () throws(HistoryError) in
      _ = try Store(path: path, configuration: configuration())
    }
  }

  // MARK: Conversion

  /// Converts a migrated file, whose attribute numbers differ from the order in the model.
  func convertMigrated(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("migrated")
    func attribute(_ name: String) -> Attribute {
      let isPreserved = ["a", "d"].contains(name)
      return Attribute(name, .string, preservesValueInHistoryOnDeletion: isPreserved)
    }
    func entities(_ names: String, _ others: String) -> [Entity] {
      [Entity("Item", names.map { attribute(String($0)) })]
        + [Entity("Note", others.map { attribute(String($0)) })]
    }
    let models = [
      try model(1, entities("abc", "xy")), try model(2, entities("edca", "zx")),
    ]
    var programs: [Store] = []
    for model in models {
      if model.version == 2 {
        try Store.migrate(path: path, to: model, configuration: configuration())
      }
      programs.append(try open(path, model))
      try change(programs[programs.count - 1])
    }
    let source = programs[1]
    let wanted = try history(source, after: nil)
    let named = wanted.filter { $0.contains("update 1/") && $0.hasSuffix(" e") }
    expect(!named.isEmpty, "history lacks an update of the attribute e: \(wanted)")
    for layout in [HistoryLayout.packed, .coreData] {
      let target = folder.file("converted-\(layout)")
      let result = try source.convert(to: target, layout: layout)
      expect(
        result.changeCount == wanted.count,
        "\(result.changeCount) changes are converted, not \(wanted.count)"
      )
      let made =
        layout == self.layout
        ? try Store(path: target, configuration: configuration()) : try open(target, models[1])
      let found = try history(made, after: nil)
      expect(found == wanted, "a converted file has the history \(found), not \(wanted)")
      try expectIntact(made, "a converted file")
    }
  }

  /// Inserts, updates and deletes objects of every entity that the program's model has.
  private func change(_ program: Store) throws(HistoryError) {
    for entity in program.model.entities {
      let values = entity.attributes.map { ($0.name, Value.string($0.name)) }
      let row = Dictionary(uniqueKeysWithValues: values)
      let keys = try insert([row, row], into: entity.name, of: program)
      let number = program.model.number(of: entity.name) ?? 0
      let names = entity.attributes.map(\.name)
      for name in [names[0], names[names.count - 1], seed.pick(names)] {
        let value = Value.string("\(name)\(seed.draw(1 << 20))")
        try set([name: value], of: ObjectID(entity: number, key: keys[0]), in: program)
      }
      try delete(ObjectID(entity: number, key: keys[seed.draw(2)]), in: program)
    }
  }
}
