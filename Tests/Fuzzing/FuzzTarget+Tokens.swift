import Foundation
import HistoryStore
import HistoryTypes

/// Values that an app stores itself and passes in again.
extension FuzzTarget {
  static let token = FuzzTarget(
    "token",
    "Encoded tokens: each is refused, or a fetch after it answers or says why not."
  ) {
    let store = try FuzzStore().open()
    return { bytes in
      let token: HistoryToken
      do {
        token = try JSONDecoder().decode(HistoryToken.self, from: Data(bytes))
      } catch is DecodingError {
        return
      }
      let again = try JSONDecoder().decode(HistoryToken.self, from: JSONEncoder().encode(token))
      try expect(again == token, "\(token) is read again as \(again)")
      guard
        let page = try answered({ () throws(HistoryError) in
          try store.fetch(HistoryRequest(after: token))
        })
      else { return }
      try expect(
        page.transactions.allSatisfy { $0.number.rawValue > token.number },
        "a fetch after \(token) answers what lies before it"
      )
    }
  }

  static let uri = FuzzTarget(
    "uri",
    "Object URIs: each is refused, or is the text of the object that it names."
  ) {
    let store = try FuzzStore().open()
    return { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if let uri = ObjectURI(text) {
        try expect(ObjectURI(uri.description) == uri, "\(text) is read again as another")
        try expect(
          uri.description.lowercased() == text.lowercased(),
          "\(text) is written as \(uri)"
        )
      }
      guard
        let uri = try answered({ () throws(HistoryError) in
          try store.uri(of: try store.objectID(forURI: text))
        })
      else { return }
      try expect(uri.lowercased() == text.lowercased(), "\(text) came back as \(uri)")
    }
  }
}

/// Returns the store's result, or `nil` if it is refused with a message.
func answered<Answer>(_ ask: () throws(HistoryError) -> Answer) throws -> Answer? {
  do throws(HistoryError) {
    return try ask()
  } catch {
    try expect(!error.description.isEmpty, "refused without a sentence")
    return nil
  }
}
