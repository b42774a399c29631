import CoreData
import Foundation
import HistoryTesting

/// The attribute that holds the number of an object of the plan, such as 3 of `Item/3`.
let planKey = "planKey"

/// Returns the plan's model for Core Data; each entity also has the attribute `planKey`.
func managedModel(_ model: Model) -> NSManagedObjectModel {
  let managed = NSManagedObjectModel()
  managed.entities = model.entities.map { entity in
    let description = NSEntityDescription()
    description.name = entity.name
    description.managedObjectClassName = "NSManagedObject"
    let key = Attribute(planKey, .int, preservesValueInHistoryOnDeletion: true)
    description.properties = ([key] + entity.attributes).map { attribute in
      let property = NSAttributeDescription()
      property.name = attribute.name
      property.attributeType = attribute.type.managed
      property.isOptional = true
      property.preservesValueInHistoryOnDeletion = attribute.preservesValueInHistoryOnDeletion
      return property
    }
    return description
  }
  return managed
}

extension AttributeType {
  /// The type of Core Data that holds the same values.
  var managed: NSAttributeType {
    switch self {
    case .int: .integer64AttributeType
    case .double: .doubleAttributeType
    case .string: .stringAttributeType
    case .data: .binaryDataAttributeType
    case .date: .dateAttributeType
    case .bool: .booleanAttributeType
    case .uuid: .UUIDAttributeType
    }
  }

  /// Converts a value of a managed object; anything but this type becomes `null`.
  func value(_ stored: Any?) -> Value {
    switch (self, stored) {
    case (.int, let number as Int64): .int(number)
    case (.double, let number as Double): .double(number)
    case (.string, let text as String): .string(text)
    case (.data, let bytes as Data): .data(bytes)
    case (.date, let date as Date): .date(date)
    case (.bool, let flag as Bool): .bool(flag)
    case (.uuid, let uuid as UUID): .uuid(uuid)
    default: .null
    }
  }
}

extension Value {
  /// The value as Core Data accepts it.
  var managed: Any? {
    switch self {
    case .null: nil
    case .int(let number): number
    case .double(let number): number
    case .string(let text): text
    case .data(let bytes): bytes
    case .date(let date): date
    case .bool(let flag): flag
    case .uuid(let uuid): uuid
    }
  }
}
