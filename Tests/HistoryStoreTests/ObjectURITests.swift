import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct ObjectURITests {
  let store: Store
  let prefix: String

  init() throws {
    store = try StoreFixture().open()
    prefix = "x-history://\(store.id)"
  }

  @Test func `A URI names store, entity and key, and is parsed back`() throws {
    for id in [ObjectID(entity: 1, key: 1), ObjectID(entity: 2, key: .max)] {
      let uri = try store.uri(of: id)
      #expect(uri == "\(prefix)/\(id.entity == 1 ? "Item" : "Tag")/p\(id.key)")
      #expect(try store.objectID(forURI: uri) == id)
      #expect(try store.url(of: id).absoluteString == uri)
      #expect(try store.objectID(for: store.url(of: id)) == id)
    }
    let small = "x-history://\(store.id.description.lowercased())/Item/p7"
    #expect(try store.objectID(forURI: small) == ObjectID(entity: 1, key: 7))
  }

  @Test func `An impossible object has no URI`() {
    for id in [
      ObjectID(entity: 3, key: 1), ObjectID(entity: 0, key: 1), ObjectID(entity: .min, key: 1),
      ObjectID(entity: 1, key: 0), ObjectID(entity: 1, key: -1),
    ] {
      #expect(throws: HistoryError.unknownObject(id)) { try store.uri(of: id) }
    }
  }

  @Test(
    arguments: [
      "", "x-history:", "x-history://", "PREFIX", "PREFIX/", "PREFIX/Item", "PREFIX/Item/",
      "PREFIX/Item/p", "PREFIX/Item/7", "PREFIX/Item/p0", "PREFIX/Item/p07", "PREFIX/Item/p-7",
      "PREFIX/Item/p+7", "PREFIX/Item/p7/", "PREFIX/Item/p7 ", " PREFIX/Item/p7", "PREFIX//p7",
      "PREFIX/Item/p٧", "PREFIX/Item/p9223372036854775808", "PREFIX/Item/P7", "PREFIX/Item/t7",
      "X-HISTORY://PREFIX/Item/p7", "http://example.com/Item/p7", "PREFIX/Item/p7#a",
      "x-history://no-uuid/Item/p7", "x-history:///Item/p7", "PREFIX/a/Item/p7",
    ]
  )
  func `Other text is not parsed as a URI`(pattern: String) {
    let text = pattern.replacing("PREFIX", with: prefix)
    #expect(throws: HistoryError.badURL(text)) { try store.objectID(forURI: text) }
  }

  @Test func `A URI of another store or an unknown entity is refused by name`() throws {
    let other = try StoreFixture().open()
    let uri = try other.uri(of: ObjectID(entity: 1, key: 1))
    #expect(throws: HistoryError.otherStoreURL(uri, store: store.id)) {
      try store.objectID(forURI: uri)
    }
    #expect(throws: HistoryError.unknownEntity("item", in: store.model)) {
      try store.objectID(forURI: "\(prefix)/item/p1")
    }
    #expect(HistoryError.badURL("a").description.contains("\"a\" is not the URL"))
    #expect(HistoryError.otherStoreURL("a", store: store.id).description.contains("another store"))
    #expect(HistoryError.replaced(path: "a").description.contains("Open the store again"))
  }
}
