import HistoryTypes
import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws rare changes to a plan, such as other purge strategies, a larger model, extreme values.
  ///
  /// The larger model has many entities, or one entity with as many attributes as a store allows.
  /// The caller has already drawn `commands`, so that a seed draws the same commands with and
  /// without these changes.
  func widen(
    _ header: inout PlanHeader,
    _ commands: inout [Command],
    _ active: Set<Condition>,
    _ source: inout ChoiceSource
  ) {
    guard style.hasQueries else { return }
    if style.setup == nil, active.contains(.configSkew), header.actors.count > 1,
      source.bool(probability: 0.2, label: "mistaken author")
    {
      header.actors[0].batchAuthors = header.actors[1].author.map { [$0] }
    }
    if style.setup == nil, source.bool(probability: 0.05, label: "strategies") {
      for index in header.actors.indices {
        header.actors[index].strategy =
          Self.strategies[source.index(below: Self.strategies.count)]
      }
    }
    if style.setup == nil, source.bool(probability: 0.03, label: "wide model") {
      header.model =
        header.model.entities.count > 1
        ? PlanModels.manyEntities : PlanModels.wide(like: header.model)
    }
    let isWide = header.model.entities[0].attributes.count == Model.attributeCountMax
    guard source.bool(probability: isWide ? 1 : 0.04, label: "wide values") else { return }
    for index in commands.indices {
      widen(&commands[index].action, header.model, isWide, &source)
    }
  }

  private static let strategies: [String?] = [
    nil, "none", "byNotification/2", "byDuration/10", "whenLargerThan/0", "whenLargerThan/0.5",
  ]

  private func widen(
    _ action: inout Action,
    _ model: Model,
    _ isWide: Bool,
    _ source: inout ChoiceSource
  ) {
    switch action {
    case .write(var write):
      for index in write.changes.indices {
        widen(&write.changes[index], model, isWide, &source)
      }
      action = .write(write)
    case .batch(var batch) where batch.type == .update:
      var change = PlannedChange(.update, ObjectName(batch.entity, 0), batch.values)
      widen(&change, model, isWide, &source)
      batch.values = change.values
      action = .batch(batch)
    default: break
    }
  }

  /// Adds or replaces the values of some attributes in a planned insert or update.
  private func widen(
    _ change: inout PlannedChange,
    _ model: Model,
    _ isWide: Bool,
    _ source: inout ChoiceSource
  ) {
    guard change.type != .delete, source.bool(probability: 0.3),
      let entity = model.entities.first(where: { $0.name == change.object.entity })
    else { return }
    let count = 1 + source.index(below: isWide ? 4 : 2)
    for _ in 0..<count {
      let attribute = entity.attributes[source.index(below: entity.attributes.count)]
      change.values[attribute.name] =
        source.bool(probability: 0.5)
        ? PlanModels.extreme(attribute.type, &source)
        : PlanModels.value(of: attribute.type, &source)
    }
  }
}

extension PlanModels {
  /// Returns a model with attributes added to the first entity, up to the maximum number.
  ///
  /// The new attributes are inserted before the entity's last attribute.
  static func wide(like model: Model) -> Model {
    let item = model.entities[0]
    let types = AttributeType.allCases
    let fillers = (0..<Model.attributeCountMax - item.attributes.count).map { index in
      Attribute(
        "w\(index)",
        types[index % types.count],
        preservesValueInHistoryOnDeletion: index % 9 == 0
      )
    }
    let attributes = item.attributes.dropLast() + fillers + item.attributes.suffix(1)
    return make([Entity(item.name, Array(attributes))] + model.entities.dropFirst())
  }

  /// A model with more entities than there are bits in a transaction's bitmap of entities.
  ///
  /// Plans change the entities 33 and 97, which share a bit of this bitmap.
  static let manyEntities: Model = {
    let fillers = (1...95).map { Entity("E\($0)", [Attribute("number", .int)]) }
    return make(
      Array(fillers[..<32]) + [full.entities[1]] + Array(fillers[32...]) + [full.entities[0]]
    )
  }()

  private static let extremeTexts = [
    "", String(repeating: "x", count: 300), String(repeating: "ü", count: 5000), "a\u{0}b",
    "e\u{301}😀", "%_\\",
  ]

  /// Draws a value that is long, or at the limit of its type's range.
  static func extreme(_ type: AttributeType, _ source: inout ChoiceSource) -> Value {
    func pick<T>(_ values: [T]) -> T { values[source.index(below: values.count)] }
    return switch type {
    case .int: .int(pick([.max, .min, -1, 1 << 53 + 1, 1 << 32]))
    case .double:
      .double(
        pick([-0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -1e-300, 0.1, .infinity])
      )
    case .string: .string(pick(extremeTexts))
    case .data:
      .data(Data((0..<pick([0, 300, 9000])).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
    case .date: .date(Date(timeIntervalSinceReferenceDate: pick([-1e9, 0.000_001, 1e12, -0.5])))
    case .bool: .bool(pick([true, false]))
    case .uuid:
      .uuid(
        UUID(
          uuid: pick([
            (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255),
            (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
          ])
        )
      )
    }
  }
}
