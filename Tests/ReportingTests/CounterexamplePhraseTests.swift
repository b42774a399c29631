import HistoryTypes
import Testing
import Traces

@testable import Reporting

@Suite struct CounterexamplePhraseTests {
  @Test(arguments: [
    (86_400, "+1 day"), (-172_800, "-2 days"), (3_600, "+1 hour"), (120, "+2 minutes"),
    (90, "+90 s"), (0, "+0 s"), (-0.5, "-0.5 s"), (1e300, "+1e+300 s"),
  ])
  func `A duration is printed in its largest whole unit`(seconds: Double, phrase: String) {
    #expect(CounterexamplePhrase.duration(seconds) == phrase)
  }

  @Test func `Control characters are escaped, letters of any script are kept`() {
    #expect(
      CounterexamplePhrase.printable("a\n\u{1b}[31m\u{202e}ü漢😀") == "a\\u{a}\\u{1b}[31m\\u{202e}ü漢😀"
    )
    #expect(CounterexampleCell.width("aü漢😀e\u{301}") == 7)
  }

  @Test func `A write that repeats a transaction of a file names its number`() {
    let change = PlannedChange(.delete, ObjectName("Item", 1))
    var write = PlannedWrite(actor: "app", author: .absent, changes: [change])
    write.fileTransaction = 204
    #expect(
      CounterexamplePhrase.write(write).replacing("\u{a0}", with: " ")
        == "delete Item/1 (transaction 204 of the file, without author)"
    )
  }

  @Test func `A view is described by missing, extra and different objects`() {
    let view = CounterexampleSamples.items([1: "a", 2: "z", 3: "c"])
    let data = CounterexampleSamples.items([1: "a", 2: "b", 4: "d"])
    let phrase = CounterexamplePhrase.difference(of: view, from: data)
    #expect(
      phrase.replacing("\u{a0}", with: " ")
        == #"has Item/2 {title: "z"} instead of {title: "b"}, still has Item/3 {title: "c"}, lacks Item/4 {title: "d"}"#
    )
    #expect(CounterexamplePhrase.difference(of: data, from: data) == "equals the data")
  }

  @Test(arguments: [
    (
      PlannedQuery(actor: "a", form: .due, start: .ago(60)),
      "purge history if the last purge was at least 1 minute ago"
    ),
    (
      PlannedQuery(actor: "a", form: .visit, start: .ago(60)),
      "a visitor joins with the time 1 minute ago"
    ),
    (
      PlannedQuery(
        actor: "a",
        form: .sorted,
        start: .behind(2),
        page: 1,
        entity: "Item",
        orders: [PlannedOrder("title", isAscending: false)]
      ), "find Item (by title descending, after the first 2, at most 1)"
    ),
    (PlannedQuery(actor: "a"), "query transactions after the beginning"),
    (
      PlannedQuery(
        actor: "a",
        form: .count,
        start: .ago(86_400),
        terms: [QueryTerm(.author(nil), isNegated: true), QueryTerm(.recent(120))],
        matchesAny: true
      ), "query count after the time 1 day ago, where not author none or of the last 2 minutes"
    ),
    (
      PlannedQuery(actor: "a", form: .sql, start: .ago(-60)),
      "query sql after the time 1 minute from now"
    ), (PlannedQuery(actor: "a", form: .purge), "purge history"),
    (
      PlannedQuery(actor: "a", form: .purge, start: .behind(2), terms: [QueryTerm(.author("b"))]),
      "purge history before the transaction 2 behind the newest, where author b"
    ),
    (
      PlannedQuery(actor: "a", form: .transaction, start: .behind(0)),
      "fetch the newest transaction"
    ), (PlannedQuery(actor: "a", form: .rows), "count the rows of history"),
    (
      PlannedQuery(
        actor: "a",
        form: .find,
        entity: "Item",
        conditions: [PlannedCondition("count", .greater, 3)]
      ), "find Item where count > 3"
    ),
  ])
  func `A query is printed as a request`(query: PlannedQuery, phrase: String) {
    #expect(CounterexamplePhrase.query(query) == phrase)
  }

  @Test func `A live query and its reports are printed`() {
    let watch = PlannedWatch(
      actor: "a",
      entity: "Item",
      conditions: [PlannedCondition("count", .greater, 3)],
      orders: [PlannedOrder("title", isAscending: false), PlannedOrder("count")],
      limit: 2
    )
    #expect(
      CounterexamplePhrase.watch(watch)
        == "watch Item where count > 3 (by title descending, count, at most 2)"
    )
    #expect(
      CounterexamplePhrase.watch(PlannedWatch(actor: "a", entity: "Item")) == "watch Item"
    )
    let row = ListedRow(ObjectName("Item", 3), key: 1, [:])
    #expect(
      CounterexamplePhrase.report(LiveReport(list: 1, rows: [row])) == "list 1 shows Item/3"
    )
    #expect(CounterexamplePhrase.report(LiveReport(list: 2)) == "list 2 shows nothing")
    #expect(
      CounterexamplePhrase.report(LiveReport(list: 2, failure: "disk")) == "list 2 ends: disk"
    )
  }

  @Test func `A long response shows its first lines and the number of the others`() {
    #expect(CounterexamplePhrase.answer(["1", "2", "3", "4", "5"]) == "1, 2, 3 and 2 more")
    #expect(CounterexamplePhrase.answer([]) == "none")
  }

  @Test func `Writes and batches are printed with their unusual properties`() {
    let write = PlannedWrite(
      actor: "app",
      context: "batch",
      author: .absent,
      changes: (1...5).map { PlannedChange(.delete, ObjectName("Item", $0)) },
      policy: .storeWins,
      ticks: false
    )
    #expect(
      CounterexamplePhrase.write(write).replacing("\u{a0}", with: " ")
        == "delete Item/1, delete Item/2, delete Item/3 and 2 more (in batch, without author, policy storeWins, clock stands still)"
    )
    let batch = PlannedBatch(
      actor: "app",
      author: .other("photos"),
      type: .update,
      entity: "Item",
      conditions: [
        PlannedCondition("count", .greater, 3), PlannedCondition("title", .notEqual, nil),
      ],
      values: ["count": 4]
    )
    #expect(
      CounterexamplePhrase.batch(batch).replacing("\u{a0}", with: " ")
        == "batch update Item where count > 3 and title != null {count: 4} (as photos)"
    )
  }

  @Test func `Every kind of condition has a description`() {
    let batch = PlannedBatch(
      actor: "app",
      type: .delete,
      entity: "Item",
      conditions: [
        .among("count", [1, nil]), .not(.between("count", 2, 3)),
        .any([.like("title", "a%"), .all([])]),
      ]
    )
    #expect(
      CounterexamplePhrase.batch(batch).replacing("\u{a0}", with: " ")
        == "batch delete Item where count in [1, null] and not (count between 2 and 3) "
        + "and (title like \"a%\" or all)"
    )
  }

  @Test func `A long text is wrapped at spaces, and keeps its first lines and its outcome`() {
    #expect(CounterexampleCell.wrap("one two three", to: 8) == ["one two", "three"])
    #expect(CounterexampleCell.wrap("abcdefgh", to: 3) == ["abc", "def", "gh"])
    #expect(CounterexampleCell.wrap("a ->\u{a0}#1", to: 5) == ["a", "-> #1"])
    let long = (1...20).map(String.init).joined(separator: " ") + " ->\u{a0}#1"
    #expect(
      CounterexampleCell.wrap(long, to: 5) == [
        "1 2 3", "4 5 6", "7 8 9", "10 11", "12 1…", "-> #1",
      ]
    )
  }
}
