import Testing

@testable import HistoryLab

@Suite struct `Nearest word` {
  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1),
    ("abc", "ab", 1), ("sytem", "system", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ("plnas", "plans", 1),
  ])
  func `The distance counts what is put in, left out, changed and swapped`(
    left: String,
    right: String,
    distance: Int
  ) {
    #expect(NearestWord.distance(left, right) == distance)
    #expect(NearestWord.distance(right, left) == distance)
  }

  static let words = ["system", "plans", "steps", "actors", "seed", "on-disk", "output"]

  @Test(arguments: [
    ("sytem", "system"), ("PLANS", "plans"), ("stpes", "steps"), ("sys", "system"),
    ("on_disk", "on-disk"), ("sede", "seed"), ("outputs", "output"),
  ])
  func `A slip finds its word`(typed: String, meant: String) {
    #expect(NearestWord.find(typed, among: Self.words) == meant)
  }

  @Test(arguments: ["zzz", "", "s", "conditions", "verbose"])
  func `What is near nothing finds nothing`(typed: String) {
    #expect(NearestWord.find(typed, among: Self.words) == nil)
  }

  @Test func `Of two equally near words the first is proposed`() {
    #expect(NearestWord.find("bat", among: ["cat", "rat"]) == "cat")
    #expect(NearestWord.find("bat", among: ["rat", "cat"]) == "rat")
  }
}
