import HistoryTypes
import Traces

/// A row of the data or of a context, with the plan's name for its object.
struct NamedRow {
  private(set) var name: ObjectName
  let entity: Entity
  let values: ArraySlice<Value>

  /// Returns the same row under another name.
  func named(_ name: ObjectName) -> NamedRow {
    var row = self
    row.name = name
    return row
  }
}

extension Objects {
  /// Creates a dictionary of rows by name, each by attribute name and without null values.
  init(_ rows: [NamedRow]) {
    self.init(minimumCapacity: rows.count)
    for row in rows { self[row.name] = row.entity.values(row.values) }
  }
}

extension StateSketch {
  /// Adds rows in the order of their names, each with its attributes in the model's order.
  mutating func add(_ rows: [NamedRow]) {
    add(rows.count)
    for row in rows.sorted(by: { $0.name < $1.name }) {
      add(row.name)
      for (index, value) in row.values.enumerated() where value != .null {
        add(index)
        add(value)
      }
    }
  }
}

extension Entity {
  /// Returns a row's values by attribute name, without null values.
  func values(_ row: ArraySlice<Value>) -> Values {
    var values: Values = [:]
    for (attribute, value) in zip(attributes, row) where value != .null {
      values[attribute.name] = value
    }
    return values
  }
}
