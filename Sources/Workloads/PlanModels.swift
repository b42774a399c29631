import PersistentHistory
import PropertyTesting
import Traces

/// The models of generated plans, and small values for their attributes.
enum PlanModels {
  /// Two attributes, enough for most plans and easy to read in a counterexample.
  static let plain = make([
    Entity(
      "Item",
      [
        Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("count", .int),
      ]
    )
  ])

  /// Two entities with an attribute of every type.
  static let full = make([
    Entity(
      "Item",
      [
        Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("count", .int), Attribute("price", .double),
        Attribute("due", .date, preservesValueInHistoryOnDeletion: true),
        Attribute("done", .bool), Attribute("uid", .uuid, preservesValueInHistoryOnDeletion: true),
        Attribute("thumbnail", .data),
      ]
    ),
    Entity("Tag", [Attribute("name", .string, preservesValueInHistoryOnDeletion: true)]),
  ])

  static func make(_ entities: [Entity]) -> Model {
    do { return try Model(entities) } catch { fatalError("A built-in model is wrong: \(error)") }
  }

  /// Draws a value for each attribute; a few attributes get none.
  static func values(of entity: Entity, _ source: inout ChoiceSource) -> Values {
    var values: Values = [:]
    for attribute in entity.attributes where !source.bool(probability: 0.1) {
      values[attribute.name] = value(of: attribute.type, &source)
    }
    return values
  }

  /// Draws values for one or two attributes.
  static func someValues(of entity: Entity, _ source: inout ChoiceSource) -> Values {
    var values: Values = [:]
    for _ in 0...(source.bool(probability: 0.3) ? 1 : 0) {
      let attribute = entity.attributes[source.index(below: entity.attributes.count)]
      values[attribute.name] = value(of: attribute.type, &source)
    }
    return values
  }

  /// Draws a small value, so that values coincide and predicates match.
  static func value(of type: AttributeType, _ source: inout ChoiceSource) -> Value {
    let number = source.int(in: 0...9)
    return switch type {
    case .int: .int(Int64(number))
    case .double: .double(Double(number) / 2)
    case .string: .string(String(UnicodeScalar(UInt8(0x61 + number))))
    case .data: .data(Data(repeating: UInt8(number), count: number))
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number) * 86_400.5))
    case .bool: .bool(number % 2 == 1)
    case .uuid:
      .uuid(UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)))
    }
  }
}
