import HistoryTypes
import PropertyTesting
import Traces

/// The models of generated plans, and small values for their attributes.
enum PlanModels {
  /// A model with two attributes, which is easy to read in a counterexample.
  static let plain = make([
    Entity(
      "Item",
      [
        Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("count", .int),
      ]
    )
  ])

  /// A model with two entities, which have an attribute of every type.
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

  /// Returns a newer version of a model, with one more attribute in each entity, and one more entity.
  ///
  /// The new attributes have default values.
  static func newer(_ model: Model) -> Model {
    let entities = model.entities.map { entity in
      let rank = Attribute("rank", .int, preservesValueInHistoryOnDeletion: true, defaultValue: 7)
      return Entity(entity.name, entity.attributes + [rank])
    }
    let label = Entity("Label", [Attribute("text", .string, defaultValue: "new")])
    return make(entities + [label], version: 2)
  }

  static func make(_ entities: [Entity], version: Int = 1) -> Model {
    do { return try Model(entities, version: version) } catch {
      fatalError("A built-in model is invalid: \(error)")
    }
  }

  /// Draws a value for most attributes of an entity; a few attributes get none.
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

  /// Draws a value from so small a range that values are often equal and predicates match.
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

/// A generator of predicates for batch requests: mostly one comparison, rarely a nested condition.
enum PlanPredicates {
  /// The maximum depth of nested conditions.
  private static let depthMax = 3
  /// The maximum number of conditions that one AND or OR combines.
  private static let widthMax = 3

  /// Draws the conditions of a batch request, all of which must hold: usually one, rarely none or two.
  static func draw(on entity: Entity, _ source: inout ChoiceSource) -> [PlannedCondition] {
    let count = [1, 0, 2][source.weighted([14, 1, 3])]
    return (0..<count).map { _ in condition(on: entity, 0, &source) }
  }

  private static func condition(
    on entity: Entity,
    _ depth: Int,
    _ source: inout ChoiceSource
  ) -> PlannedCondition {
    let connects = depth < depthMax ? 1 : 0
    switch source.weighted([12, 2, 2, 2, connects, connects, 2 * connects]) {
    case 0: return comparison(on: entity, &source)
    case 1:
      let attribute = attribute(of: entity, &source)
      let values = (0..<source.index(below: widthMax + 1)).map { _ in value(attribute, &source) }
      return .among(attribute.name, values)
    case 2:
      let attribute = attribute(of: entity, &source)
      return .between(attribute.name, value(attribute, &source), value(attribute, &source))
    case 3: return like(on: entity, &source)
    case 4: return .all(conditions(on: entity, depth, &source))
    case 5: return .any(conditions(on: entity, depth, &source))
    default: return .not(condition(on: entity, depth + 1, &source))
    }
  }

  private static func conditions(
    on entity: Entity,
    _ depth: Int,
    _ source: inout ChoiceSource
  ) -> [PlannedCondition] {
    (0..<source.index(below: widthMax + 1)).map { _ in condition(on: entity, depth + 1, &source) }
  }

  private static func comparison(
    on entity: Entity,
    _ source: inout ChoiceSource
  ) -> PlannedCondition {
    let comparison = PlannedComparison.allCases[
      source.index(below: PlannedComparison.allCases.count)
    ]
    let attribute = attribute(of: entity, &source)
    return .compare(attribute.name, comparison, value(attribute, &source))
  }

  /// Draws a pattern of letters and wildcards; it matches some of the models' one-letter texts.
  private static func like(on entity: Entity, _ source: inout ChoiceSource) -> PlannedCondition {
    guard let attribute = entity.attributes.first(where: { $0.type == .string }) else {
      return comparison(on: entity, &source)
    }
    let parts = ["a", "B", "%", "_", "\\%", "\\b", "c", "D"]
    let count = 1 + source.weighted([6, 3, 1])
    let pattern = (0..<count).map { _ in parts[source.index(below: parts.count)] }.joined()
    return .like(attribute.name, pattern)
  }

  /// Draws an attribute for a predicate, except references.
  ///
  /// A predicate compares values, and a plan cannot know the order of the keys of objects.
  private static func attribute(of entity: Entity, _ source: inout ChoiceSource) -> Attribute {
    let attributes = entity.attributes.filter { $0.reference == nil }
    return attributes[source.index(below: attributes.count)]
  }

  /// Draws a value of the attribute's type, rarely null.
  private static func value(_ attribute: Attribute, _ source: inout ChoiceSource) -> Value {
    source.bool(probability: 0.1) ? .null : PlanModels.value(of: attribute.type, &source)
  }
}
