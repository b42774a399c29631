import Foundation
import HistoryTypes
import Testing

@Suite struct HistoryTokenTests {
  private let store = StoreID(UUID())

  private func token(_ number: Int64, _ mark: Int64 = 1, of other: StoreID? = nil) -> HistoryToken {
    HistoryToken(store: other ?? store, number: number, mark: mark)
  }

  @Test func `A token is encoded and decoded unchanged`() throws {
    for token in [token(0, 0), token(7, 0x7fff_ffff), token(.max, .min)] {
      let coded = try JSONEncoder().encode(token)
      #expect(try JSONDecoder().decode(HistoryToken.self, from: coded) == token)
    }
  }

  @Test func `Tokens of one store sort by their numbers`() {
    #expect(token(1, 9) < token(2, 1))
    #expect(!(token(2) < token(1)))
    #expect(!(token(1) < token(1)))
  }

  @Test func `Of two different tokens exactly one sorts first`() throws {
    let other = try #require(StoreID("00000000-0000-0000-0000-000000000000"))
    let tokens = [
      token(1, 1), token(1, 2), token(2, 1), token(1, 1, of: other), token(3, of: other),
    ]
    for left in tokens {
      for right in tokens {
        let answers = [left < right, left == right, right < left]
        #expect(answers.filter(\.self).count == 1, "\(left) \(right)")
      }
    }
    #expect(tokens.sorted() == tokens.reversed().sorted())
  }

  @Test func `The beginning sorts before every transaction`() {
    #expect(HistoryToken.beginning(of: store) < token(1))
    #expect(HistoryToken.beginning(of: store).number == 0)
  }

  @Test func `A store's identity has a text form`() {
    #expect(StoreID(store.description) == store)
    #expect(StoreID("no uuid") == nil)
    #expect(StoreID("3f2504e0-4f84-11d3-9a0c- 305e82B3301") == nil)
    #expect(token(3).description == "\(store)#3")
  }
}
