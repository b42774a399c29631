import HistoryTypes
import Testing

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("nmae", "name"), ("Name", "name"), ("titel", "title"), ("tite", "title"), ("counts", "count"),
    ("du", "due"), ("title", "title"),
  ])
  func `A mistyped name has a nearest name`(_ typed: String, _ meant: String) {
    #expect(NearestName.find(typed, among: ["name", "title", "count", "due"]) == meant)
  }

  @Test(arguments: ["", "x", "price", "number 3", "ttllee"])
  func `A name that no known name resembles has none`(_ typed: String) {
    #expect(NearestName.find(typed, among: ["name", "title", "count", "due"]) == nil)
    #expect(NearestName.find(typed, among: []) == nil)
  }

  @Test func `The first of equally near names is the nearest`() {
    #expect(NearestName.find("a2", among: ["a1", "a3"]) == "a1")
  }
}
