import HistoryTypes
import Systems
import Testing
import Traces

@Suite struct `Requests about stores on disk, tables and trackers` {
  private func answer(_ query: PlannedQuery, _ rig: Rig) throws -> [String] {
    for case .answered(let answer) in try rig.perform(.query(query)) { return answer.lines }
    return ["no answer"]
  }

  private func rig() throws -> Rig {
    let rig = try Rig(TrackerSystem())
    try rig.write("app", insert(1, "a", 1))
    try rig.write(
      "widget",
      insert(2, "b"),
      PlannedChange(.update, ObjectName("Item", 1), ["count": 2])
    )
    try rig.write("app", PlannedChange(.delete, ObjectName("Item", 2)))
    return rig
  }

  @Test(arguments: [1, 3])
  func `Copies of a store have its objects and pass all checks`(seed: Int) throws {
    let lines = try answer(PlannedQuery(actor: "app", form: .files, page: seed), rig())
    #expect(lines == ["Item/1 \"a\" 2"])
  }

  @Test(arguments: [1, 1000])
  func `A watch reports every commit`(page: Int) throws {
    #expect(try answer(PlannedQuery(actor: "app", form: .watch, page: page), rig()) == [])
  }

  @Test(
    arguments: PlannedQuery.Form.allCases.filter { $0.isScript && $0 != .watch && $0 != .purges },
    1...5
  )
  func `Drawn stores on disk are as plain code has them`(
    form: PlannedQuery.Form,
    seed: Int
  ) throws {
    let lines = try answer(PlannedQuery(actor: "app", form: form, page: seed), rig())
    #expect(lines.isEmpty, "\(lines.joined(separator: "\n"))")
  }

  @Test(arguments: [TimestampPolicy.monotone, .wallClock])
  func `Random purges leave the expected transactions`(timestamps: TimestampPolicy) throws {
    let rig = try Rig(TrackerSystem()) { $0.timestamps = timestamps }
    for seed in 1...25 {
      let lines = try answer(PlannedQuery(actor: "app", form: .purges, page: seed), rig)
      #expect(lines.isEmpty, "\(seed): \(lines.joined(separator: "\n"))")
    }
  }

  @Test(arguments: 1...20)
  func `Every condition of a table selects the same rows`(page: Int) throws {
    let query = PlannedQuery(actor: "app", form: .table, start: .behind(2), page: page)
    let lines = [
      "#2 widget in view: update Item/1 count, insert Item/2", "#3 app in view: delete Item/2",
    ]
    #expect(try answer(query, rig()) == lines)
  }

  @Test func `A store refuses invalid calls`() throws {
    #expect(try answer(PlannedQuery(actor: "app", form: .refusals), rig()) == [])
  }

  @Test func `A tracker on a tour merges the transactions after a date`() throws {
    let lines = try answer(
      PlannedQuery(actor: "app", form: .tour, start: .ago(1.5), page: 1),
      rig()
    )
    let report = "2 transactions with 3 changes in 2 pages, through #3"
    #expect(lines.prefix(3) == ["at 1, new", report, "numbers [2, 3]"])
    #expect(lines.last == "has Item/1")
    #expect(lines.filter { $0.hasPrefix("#") }.count == 3)
  }
}
