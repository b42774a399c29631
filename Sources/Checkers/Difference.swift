package import HistoryTypes
package import Traces

/// A difference between two states of the data, in the least object that differs.
package enum Difference: Hashable, Sendable {
  /// The second state lacks the object.
  case lacks(ObjectName)
  /// The second state has an object that the first lacks.
  case adds(ObjectName)
  /// An attribute has different values.
  case value(ObjectName, attribute: String, Value, Value)

  /// The object that differs.
  package var object: ObjectName {
    switch self {
    case .lacks(let object), .adds(let object), .value(let object, _, _, _): object
    }
  }

  /// Compares two states; `nil` if they are equal except for some objects.
  ///
  /// An absent attribute counts as null; text is compared by its bytes.
  ///
  /// - Complexity: linear in the values.
  package init?(from first: Objects, to second: Objects, except: Set<ObjectName> = []) {
    var least: ObjectName?
    func consider(_ object: ObjectName) {
      guard !except.contains(object) else { return }
      least = least.map { min($0, object) } ?? object
    }
    var shared = 0
    for (object, values) in first {
      guard let others = second[object] else {
        consider(object)
        continue
      }
      shared += 1
      if !values.isSame(as: others) { consider(object) }
    }
    if shared < second.count {
      for object in second.keys where first[object] == nil { consider(object) }
    }
    guard let least else { return nil }
    self.init(least, first[least], second[least])
  }

  private init?(_ object: ObjectName, _ first: Values?, _ second: Values?) {
    guard let first else {
      self = .adds(object)
      return
    }
    guard let second else {
      self = .lacks(object)
      return
    }
    guard let attribute = first.firstDifference(from: second) else { return nil }
    self = .value(
      object,
      attribute: attribute,
      first[attribute] ?? .null,
      second[attribute] ?? .null
    )
  }
}
