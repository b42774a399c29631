import PersistentHistory

/// Stands in for a list on a screen, whose rows have identities.
private struct Screen {
  private(set) var rows: [ObjectID] = []

  mutating func apply(_ difference: CollectionDifference<ObjectID>) {
    rows = rows.applying(difference) ?? []
  }

  func redraw(_ rows: Set<ObjectID>) {}
}

/// The code of the page "Lists that stay current".
enum ListsThatStayCurrent {
  private static func show(_ view: ObjectContext) async throws -> Screen {
    var screen = Screen()
    let newest = try view.liveObjects("Item", sortedBy: [.descending("count")], limit: 20)
    for try await list in newest {
      screen.apply(list.difference)
      screen.redraw(list.updated)
      if list.isEmpty { break }
    }
    return screen
  }

  private static func showByCount(_ view: ObjectContext) async throws {
    let byCount = try view.liveObjects("Item", sortedBy: ["title"], sectionedBy: "count")
    for try await list in byCount {
      for section in list.sections {
        print(section.value, try list[section.range].map { try $0["title"]?.string ?? "-" })
      }
      break
    }
  }

  /// Shows lists of a store with items, deletes these, and sees the list become empty.
  static func showLists(_ store: Store) async throws {
    let view = ObjectContext(store: store, author: "app", name: "lists")
    try await showByCount(view)
    let screen = Task { try await show(view) }
    for item in try view.objects("Item") { item.delete() }
    let rows = try await screen.value.rows
    precondition(rows.isEmpty)
    view.rollback()
  }
}
