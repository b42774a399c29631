import HistoryTypes
import Systems
import Testing
import Traces

@Suite struct `Programs without the library, and with other versions of the model` {
  private func write(
    _ changes: [PlannedChange],
    author: WriteAuthor = .absent,
    policy: PlannedPolicy = .objectWins
  ) -> Action {
    .write(
      PlannedWrite(
        actor: "app",
        context: PlannedWrite.plainSQL,
        author: author,
        changes: changes,
        policy: policy
      )
    )
  }

  private func committed(_ events: [EventKind]) -> [CommittedTransaction] {
    events.compactMap { if case .committed(let transaction) = $0 { transaction } else { nil } }
  }

  @Test func `Plain SQL becomes a transaction, with the author that it names`() throws {
    let rig = try Rig(TrackerSystem()) { $0.foreignWrites = .captured }
    let (first, second) = (ObjectName("Item", 1), ObjectName("Item", 2))
    let inserted = committed(
      try rig.perform(
        write([
          PlannedChange(.insert, first, ["title": "a", "count": 1]), PlannedChange(.insert, second),
          PlannedChange(.delete, second),
        ])
      )
    )
    #expect(inserted.map(\.author) == [nil] && inserted.map(\.name) == ["1"])
    #expect(
      inserted.first?.changes == [
        CommittedChange(.insert, first, values: ["title": "a", "count": 1])
      ]
    )
    let replaced = committed(
      try rig.perform(
        write(
          [PlannedChange(.update, first, ["count": 2])],
          author: .other("script"),
          policy: .overwrite
        )
      )
    )
    #expect(replaced.map(\.author) == ["script"])
    #expect(replaced.first?.changes.map(\.columns) == [["count"]])
    #expect(try rig.perform(.pass("widget")).contains(.merged(["1", "2"])))
    let none = try rig.perform(write([PlannedChange(.delete, second)]))
    #expect(none == [.wroteNothing])
  }

  @Test func `The first launch of a newer program changes the model while an older one goes on`()
    throws
  {
    let rig = try Rig(TrackerSystem(), launching: false) { header in
      let rank = Attribute("rank", .int, preservesValueInHistoryOnDeletion: true, defaultValue: 7)
      let item = header.model.entities[0]
      header.model = Model(
        unchecked: [Entity(item.name, item.attributes + [rank])],
        version: 2
      )
      header.actors[1].modelVersion = 1
    }
    let object = ObjectName("Item", 1)
    try rig.perform(.launch("widget"))
    try rig.write("widget", PlannedChange(.insert, object, ["title": "a"]))
    let upgraded = committed(try rig.perform(.launch("app")))
    #expect(upgraded.map(\.name) == ["2"] && upgraded.allSatisfy { $0.changes.isEmpty })
    try rig.write("app", PlannedChange(.update, object, ["rank": 8]))
    try rig.write("widget", PlannedChange(.update, object, ["title": "b"]))
    let data = try rig.perform(.data)
    #expect(data == [.data([object: ["title": "b", "rank": 8]])])
    try rig.perform(.stop("app"))
    #expect(committed(try rig.perform(.launch("app"))).isEmpty)
  }
}
