import HistoryStore
import HistoryTypes
import ObjectContexts

extension LinkScript {
  /// Checks the errors of requests that must not change a link.
  ///
  /// `other` is a context of another store.
  func refuse(in context: ObjectContext, _ other: ObjectContext) throws(HistoryError) {
    let (task, tag) = (try context.insert("Task"), try context.insert("Tag"))
    let (linked, gone) = (try context.insert("Tag"), try context.insert("Tag"))
    let link = try task.link(to: linked, by: "Listing")
    try task.link(to: linked, by: "Tagging")
    try task.link(to: gone, by: "Listing")
    try context.save()
    // The tag of the other store has the key of a tag that is linked in this store.
    let foreign = try self.foreign(linked.id, other)
    refuseOthers(task, tag, foreign, in: context)
    refuseNames(task, tag, in: context)
    expectErrors(
      .indexOutOfRange,
      in: context,
      [
        { try task.link(to: tag, at: 3, by: "Listing") },
        { try task.link(to: tag, at: -1, by: "Listing") },
        { try task.link(to: linked, at: 2, by: "Listing") },
      ]
    )
    let links = try task.objects("Listing", referringBy: "task")
    let found = try task.objects(linkedBy: "Listing")
    expect(
      links.first == link && found == [linked, gone],
      "requests that were refused have changed the links"
    )
    gone.delete()
    for request in deletedRequests(task, linked, gone) {
      expectError(.unknownObject, of: "to link a deleted object", request)
    }
    expect(try task.objects(linkedBy: "Listing") == [linked], "a deleted object is linked")
    context.rollback()
    task.delete()
    for request in deletedRequests(task, linked, linked) {
      expectError(.unknownObject, of: "to link objects with a deleted one", request)
    }
    context.rollback()
  }

  /// Returns a tag of another store; its key is that of a given object if possible.
  private func foreign(
    _ id: ObjectID,
    _ other: ObjectContext
  ) throws(HistoryError) -> StoredObject {
    var tag = try other.insert("Tag")
    while tag.id.key < id.key { tag = try other.insert("Tag") }
    try other.save()
    return tag
  }

  /// Makes requests with objects of another store or of another entity; all must fail.
  private func refuseOthers(
    _ task: StoredObject,
    _ tag: StoredObject,
    _ foreign: StoredObject,
    in context: ObjectContext
  ) {
    for entity in ["Tagging", "Listing"] {
      expectErrors(
        .unknownObject,
        in: context,
        [
          { try task.link(to: foreign, by: entity) },
          { try task.unlink(from: foreign, by: entity) },
          { try task.setObjects([foreign], linkedBy: entity) },
          { try task.setObjects([tag, foreign], linkedBy: entity) },
        ]
      )
      expectErrors(
        .unfitValue,
        in: context,
        [
          { try task.link(to: task, by: entity) },
          { try task.unlink(from: task, by: entity) },
          { try tag.unlink(from: tag, by: entity) },
          { try task.setObjects([tag, task], linkedBy: entity) },
        ]
      )
    }
    expectErrors(
      .unknownObject,
      in: context,
      [
        { try task.link(to: foreign, at: 0, by: "Listing") }
      ]
    )
    expectErrors(
      .unfitValue,
      in: context,
      [
        { try task.link(to: task, at: 0, by: "Listing") },
        { try tag.unlink(from: task, by: "Likeness") },
      ]
    )
  }

  /// Makes requests with names that are unknown or do not fit the object; all must fail.
  private func refuseNames(
    _ task: StoredObject,
    _ tag: StoredObject,
    in context: ObjectContext
  ) {
    expectErrors(
      .unknownEntity,
      in: context,
      [
        { _ = try task.objects(linkedBy: "Xyzzy") }, { try task.link(to: tag, by: "Xyzzy") },
        { try task.unlink(from: tag, by: "Xyzzy") }, { try task.setObjects([], linkedBy: "Xyzzy") },
      ]
    )
    expectErrors(
      .unknownAttribute,
      in: context,
      [
        { _ = try task.objects(linkedBy: "Tag") }, { _ = try task.objects(linkedBy: "Likeness") },
        { _ = try task.objects(linkedBy: "Listing", as: "tag") },
        { _ = try task.objects(linkedBy: "Listing", sortedBy: ["xyzzy"]) },
        { try task.link(to: tag, by: "Tagging", as: "xyzzy") },
        { try tag.unlink(from: task, by: "Tagging", as: "task") },
        { try task.setObjects([tag], linkedBy: "Task") },
        // The reference is not ordered.
        { try tag.link(to: task, at: 0, by: "Listing") },
        { try task.link(to: tag, at: 0, by: "Tagging") },
      ]
    )
  }

  /// Returns requests to link objects, one of which the caller has deleted.
  private func deletedRequests(
    _ task: StoredObject,
    _ linked: StoredObject,
    _ tag: StoredObject
  ) -> [() throws -> Void] {
    [
      { try task.link(to: tag, by: "Listing") }, { try task.link(to: tag, at: 0, by: "Listing") },
      { try task.link(to: tag, by: "Tagging") },
      { try task.setObjects([linked, tag], linkedBy: "Listing") },
    ]
  }
}
