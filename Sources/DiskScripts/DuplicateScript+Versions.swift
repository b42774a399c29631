import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts

extension DuplicateScript {
  /// Removes duplicate lists while an object of a newer program's entity refers to one of them.
  ///
  /// The older program must keep all lists. The newer program must move the reference.
  func keepReferences(_ file: Store, _ path: String) throws(HistoryError) {
    let comment = Entity("Comment", [Attribute("list", to: "List", deleteRule: .cascade)])
    let model = try model(ObjectCopy.entities + [comment], version: 2)
    let start = try file.currentToken()
    let newer = try Store(path: path, model: model, configuration: configuration())
    let lists = try insertThree("newer", file)
    let context = ObjectContext.retaining(newer, author: "app", name: "view")
    let object = try context.insert("Comment", ["list": .int(lists[2])])
    try context.save()
    for program in [file, newer] {
      let page = try program.fetch(HistoryRequest(after: start))
      try ObjectDeduplicator(store: program, entity: "List", by: ["name"])
        .deduplicate(Array(page.transactions), in: [])
      let left = try keys("newer", file)
      let wanted = program === file ? lists : [lists[0]]
      expect(left == wanted, "with a newer entity, the lists \(left) are left, not \(wanted)")
    }
    try context.refreshAll()
    expect(
      try object["list"] == .int(lists[0]),
      "an object of a newer entity does not refer to the kept list"
    )
  }

  /// Removes the duplicates that a newer model's constraints forbid.
  ///
  /// A store with the newer model must then open the file.
  func adoptConstraints(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("constraints")
    let attributes = ["name", "list", "code"].map { Attribute($0, .int) }
    let constraints = [["name", "list"], ["code"]]
    let next = Entity("Tag", attributes, uniquenessConstraints: constraints)
    let (old, new) = (try model([Entity("Tag", attributes)]), try model([next], version: 2))
    let file = try Store(path: path, model: old, configuration: configuration())
    let tags = randomTags()
    let made = try file.batchInsert(into: "Tag", tags, by: BatchAuthor("app"), result: .objectIDs)
    var copy = ObjectCopy()
    for (id, values) in zip(made.objectIDs, tags) {
      copy.rows["Tag", default: [:]][id.key] = values
    }
    do throws(HistoryError) {
      _ = try Store(path: path, model: new, configuration: configuration())
      faults.append("a file is opened whose objects violate a constraint")
    } catch {
      let isRight = error.code == .duplicate && error.objects.count == 2
      expect(isRight, "a file whose objects violate a constraint is refused with: \(error)")
    }
    let page = try file.fetch(HistoryRequest(after: nil))
    try ObjectDeduplicator(store: file, byUniquenessConstraintsOf: next)
      .deduplicate(Array(page.transactions), in: [])
    for constraint in constraints {
      _ = copy.removeDuplicates(of: "Tag", among: Set(copy.keys("Tag")), by: constraint)
    }
    let opened = try Store(path: path, model: new, configuration: configuration())
    let left = try ObjectContext(store: opened, author: nil).objects("Tag").map(\.id.key)
    expect(left == copy.keys("Tag"), "a removal of duplicates leaves the keys \(left) of \(tags)")
  }

  /// Returns the values of tags; the first two are equal in name and list.
  private func randomTags() -> [[String: Value]] {
    var tags: [[String: Value]] = [["name": 1, "list": 1], ["name": 1, "list": 1]]
    for code in 0..<(6 + seed.draw(6)) {
      let (name, list) = (Int64(seed.draw(3)), Int64(seed.draw(3)))
      tags.append([
        "name": .int(name), "list": list == 0 ? .null : .int(list),
        "code": seed.draw(4) == 0 ? .null : .int(Int64(code % 4)),
      ])
    }
    return tags
  }
}
