import HistoryInspection
import HistoryStore
import LabFixtures
import Testing

@testable import Commands
@testable import FileCommands

@Suite struct `Verdicts of advice` {
  private static let both = [
    Consumer("app", at: .number(60)), Consumer("widget", at: .number(60)),
  ]

  private static func verdict(
    _ outline: HistoryOutline,
    _ given: [Consumer] = both,
    olderThan days: Double? = nil,
    writesOnly: Set<String> = []
  ) -> AdviceVerdict {
    let settings = Advice.Settings(olderThanDays: days, writesOnly: writesOnly)
    return AdviceVerdict(Advice(outline, given: given, settings))
  }

  /// The same forty days, after the first hundred transactions were purged.
  private static let purged = HistoryOutline.stated(AdviceFile.fortyDays, from: 101)
  private static let unpurged = HistoryOutline.stated(AdviceFile.fortyDays)

  @Test func `History that was purged, and that everyone has merged, is bounded`() {
    let all = [Consumer("app", at: .number(160)), Consumer("widget", at: .date(38 * 86400))]
    let verdict = Self.verdict(Self.purged, all)
    #expect(verdict.state == .bounded && verdict.exitCode == .good)
    #expect(
      verdict.reasons == [
        "History was purged, and spans 39.5 days.",
        "2 known consumers have merged every transaction that was purged.",
      ]
    )
  }

  @Test func `History that was never purged in a week grows without bound`() {
    let verdict = Self.verdict(Self.unpurged)
    #expect(verdict.state == .loses && verdict.exitCode == .violation)
    #expect(verdict.reasons == ["History was never purged in 39.5 days: it grows without bound."])
    let week = HistoryOutline.stated((0..<4).map { StatedTransaction("app", Double($0)) })
    #expect(Self.verdict(week, [Consumer("app", at: .number(4))]).state == .unknown)
  }

  @Test func `A consumer whose position is below purged history has lost history`() {
    let verdict = Self.verdict(
      Self.purged,
      [Consumer("app", at: .number(160)), Consumer("widget", at: .number(7))]
    )
    #expect(verdict.state == .loses)
    #expect(
      verdict.reasons == [
        #""widget" has lost history already: transactions after its position are purged."#
      ]
    )
  }

  @Test
  func `A planned purge bounds history, unless a consumer loses now or would have in the past`() {
    let early = (0..<40).map { StatedTransaction($0 % 2 == 0 ? "app" : "widget", Double($0)) }
    let steady = HistoryOutline.stated(early)
    let merged = [Consumer("app", at: .number(40)), Consumer("widget", at: .number(30))]
    #expect(Self.verdict(steady, merged, olderThan: 14).state == .bounded)
    let now = Self.verdict(steady, merged, olderThan: 3)
    #expect(now.state == .loses)
    #expect(
      now.reasons.first
        == "A purge of transactions older than 3 days deletes 6 transactions with 6 changes that "
        + #""widget" has not merged."#
    )
    let past = Self.verdict(Self.unpurged, olderThan: 7)
    #expect(past.state == .loses)
    #expect(
      past.reasons == [
        #"A purge of transactions older than 7 days would have cut "widget" off 1 time in the past, the "#
          + "last on 2001-01-31T12:00:00.000Z."
      ]
    )
  }

  @Test func `Unknown positions, a mirror and undeclared authors make the verdict undecided`() {
    let unknown = Self.both.dropLast() + [Consumer("widget", at: .unknown)]
    #expect(Self.verdict(Self.unpurged, Array(unknown), olderThan: 30).state == .unknown)
    #expect(Self.verdict(Self.unpurged, [], olderThan: 30).state == .unknown)
    #expect(Self.verdict(Self.unpurged, [Self.both[0]], olderThan: 30).state == .unknown)
    let named = Self.verdict(Self.unpurged, [Self.both[0]], olderThan: 30, writesOnly: ["widget"])
    #expect(named.state == .bounded && named.exitCode == .good)
    var mirrored = Self.unpurged
    mirrored.hasMirrorTables = true
    let verdict = Self.verdict(mirrored, olderThan: 30)
    #expect(verdict.state == .unknown && verdict.exitCode == .undecided)
    #expect(verdict.reasons == ["The position of CloudKit mirror is unknown."])
    let mirror = Consumer("NSCloudKitMirroringDelegate.export", at: .number(60))
    #expect(Self.verdict(mirrored, Self.both + [mirror], olderThan: 30).state == .bounded)
  }

  @Test func `Core Data's own migration and an author without a name do not count as consumers`() {
    let migrator = "com.apple.coredata.schemamigrator: lightweight migration from model"
    let others = [StatedTransaction(migrator, 39.6), StatedTransaction(nil, 39.7)]
    let outline = HistoryOutline.stated(AdviceFile.fortyDays + others)
    #expect(Advice(outline, given: []).undeclaredAuthors == ["app", "widget"])
    #expect(Self.verdict(outline, olderThan: 30).state == .bounded)
    let readers = PastReplay.readers(PastHistory(outline), [])
    #expect(readers.map { outline.authors[$0].name.text } == ["app", "widget"])
  }

  @Test func `A member without a merge for a week lets history grow`() {
    var outline = Self.purged
    outline.isOurs = true
    outline.watermark = 110
    outline.members = [
      CensusMember(name: "app", cursor: 160, seen: 0),
      CensusMember(name: "old", cursor: 110, seen: 0),
    ]
    let verdict = Self.verdict(outline, [])
    #expect(verdict.state == .loses)
    #expect(
      verdict.reasons.first?.hasPrefix(#""old" has merged no transaction of the last 3"#) == true
    )
    outline.members = [
      CensusMember(name: "app", cursor: 160, seen: 0),
      CensusMember(name: "old", cursor: 158, seen: 0),
    ]
    outline.watermark = 158
    #expect(Self.verdict(outline, []).state == .bounded)
    outline.members?.append(CensusMember(name: "cut", state: .lost, cursor: 3, seen: 0))
    #expect(
      Self.verdict(outline, []).reasons == [
        #""cut" has lost history already: a retention limit has cut it off."#
      ]
    )
    outline.members = []
    outline.watermark = nil
    #expect(Self.verdict(outline, []).state == .unknown)
  }

  @Test
  func `A consumer of a Core Data file that has merged nothing for a week holds history back`() {
    let behind = [Consumer("app", at: .number(160)), Consumer("widget", at: .number(112))]
    let advice = Advice(Self.purged, given: behind)
    #expect(advice.consumers.map(\.holdsBack) == [false, true])
    let verdict = AdviceVerdict(advice)
    #expect(verdict.state == .loses)
    #expect(
      verdict.reasons.first?.hasPrefix(#""widget" has merged no transaction of the last 3"#) == true
    )
    #expect(
      verdict.reasons.first?.hasSuffix("it holds back 48 transactions, and history grows.") == true
    )
    // A planned purge does not wait for it, so only its losses count.
    let planned = Self.verdict(Self.unpurged, [Consumer("app", at: .number(12))] + [Self.both[1]])
    #expect(planned.reasons.contains { $0.contains("holds back 48 transactions") })
    let plan = Self.verdict(
      Self.unpurged,
      [Consumer("app", at: .number(12))] + [Self.both[1]],
      olderThan: 60
    )
    #expect(plan.state == .bounded, "\(plan.reasons)")
    let close = [Consumer("app", at: .number(160)), Consumer("widget", at: .number(158))]
    #expect(Self.verdict(Self.purged, close).state == .bounded)
    #expect(Advice(Self.purged, given: close).consumers.map(\.holdsBack) == [false, true])
    // A member's cursor alone limits the purges of a store of this library.
    var ours = Self.purged
    ours.isOurs = true
    #expect(Advice(ours, given: behind).consumers.allSatisfy { !$0.holdsBack })
  }

  @Test func `A consumer was last seen when its author wrote last`() {
    let consumers = [
      Consumer("widget", at: .number(60)), Consumer("watch", at: .number(60)),
      Consumer("phone", at: .number(60), author: "app"),
    ]
    let seen = Advice(Self.unpurged, given: consumers).consumers.map(\.consumer.seen)
    #expect(seen == [39.5 * 86400, nil, 39 * 86400])
  }

  @Test func `The purge that frees most without a loss is recommended`() throws {
    let advice = Advice(Self.unpurged, given: Self.both)
    let safest = try #require(advice.safest)
    #expect(safest.plan == .merged && safest.transactions == 60)
    let behind = [Consumer("app", at: .number(60)), Consumer("widget", at: .number(12))]
    #expect(Advice(Self.unpurged, given: behind).safest?.plan == .merged)
    #expect(Advice(Self.unpurged, given: behind).safest?.transactions == 12)
    #expect(Advice(Self.unpurged, given: []).safest == nil)
  }
}
