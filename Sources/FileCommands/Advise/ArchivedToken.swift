/// A token of Core Data as `NSKeyedArchiver` writes it: a transaction number for each store.
///
/// Apple does not document what an archived `NSPersistentHistoryToken` contains. Listings of the
/// framework's classes show that a token holds one dictionary from a store's UUID to the number of a
/// transaction, and codes that dictionary alone. So this reads the one dictionary that the archived
/// object refers to, whatever its key, and refuses every other shape.
struct ArchivedToken: Hashable, Sendable {
  /// The number of the last transaction by the UUID of its store, in upper case.
  let numbers: [String: Int64]

  /// The names of the class, which is private in the frameworks that were listed.
  private static let classes: Set = ["_NSPersistentHistoryToken", "NSPersistentHistoryToken"]

  /// Reads an archive; `nil` if the bytes are not an archived token.
  init?(_ bytes: [UInt8]) {
    guard let archive = BinaryPropertyList.value(bytes), archive["$archiver"] != nil,
      let objects = archive["$objects"]?.elements, case .dictionary(let top)? = archive["$top"]
    else { return nil }
    func object(_ value: BinaryValue?) -> BinaryValue? {
      guard case .reference(let index)? = value else { return value }
      return objects.indices.contains(index) ? objects[index] : nil
    }
    func isToken(_ value: BinaryValue) -> Bool {
      object(value["$class"])?["$classname"]?.text.map(Self.classes.contains) ?? false
    }
    // The key of the top object is "root", or that of an app's own call.
    guard let token = top.values.compactMap(object).first(where: isToken),
      case .dictionary(let members) = token
    else { return nil }
    let coded = members.filter { $0.key != "$class" }.values.compactMap(object)
    guard coded.count == 1, let keys = coded[0]["NS.keys"]?.elements,
      let values = coded[0]["NS.objects"]?.elements, keys.count == values.count, !keys.isEmpty
    else { return nil }
    var numbers: [String: Int64] = [:]
    for (key, value) in zip(keys, values) {
      guard let store = object(key)?.text, case .integer(let number)? = object(value) else {
        return nil
      }
      numbers[store.uppercased()] = number
    }
    self.numbers = numbers
  }
}
