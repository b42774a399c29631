import Testing

@testable import HistoryTypes

@Suite struct `Numbers with nouns` {
  @Test(arguments: [
    (0, "0 commands"), (1, "1 command"), (2, "2 commands"), (1_200, "1,200 commands"),
    (-1, "-1 command"),
  ])
  func `A noun is plural unless the count is one`(count: Int, text: String) {
    #expect(count.counted("command") == text)
  }

  @Test func `An irregular plural can be given, with its verb if needed`() {
    #expect(2.counted("try", "tries") == "2 tries")
    #expect(1.counted("row differs", "rows differ") == "1 row differs")
  }
}
