import Foundation
import HistoryInspection
import HistoryStore
import LabFixtures

@testable import FileCommands

extension HistoryOutline {
  /// Creates an outline of stated transactions with 100 bytes for each change, from a number on.
  static func stated(_ transactions: [StatedTransaction], from first: Int64 = 1) -> HistoryOutline {
    var outline = HistoryOutline(layout: .coreData)
    for (index, transaction) in transactions.enumerated() {
      let name = transaction.author.map(CensusName.known) ?? .absent
      let place = outline.authors.firstIndex { $0.name == name } ?? outline.authors.count
      if place == outline.authors.count {
        let isMirror = transaction.author?.hasPrefix("NSCloudKitMirroringDelegate.") == true
        outline.authors.append(OutlineAuthor(name: name, isProtected: isMirror))
      }
      outline.append(
        first + Int64(index),
        timestamp: transaction.seconds,
        author: Int32(place),
        changes: transaction.changes,
        bytes: Double(transaction.changes) * 100
      )
    }
    let bytes = transactions.reduce(0) { $0 + Int64($1.changes) } * 100
    outline.storage.tables = [
      CensusStorage.Table(name: "ACHANGE", tableBytes: bytes, indexBytes: 0)
    ]
    outline.storage.pageBytes = 4096
    outline.storage.pageCount = bytes / 4096 + 10
    return outline
  }
}

extension Advice {
  /// Returns the forecast of a purge.
  func forecast(_ plan: PurgePlan) -> PurgeForecast? { forecasts.first { $0.plan == plan } }
}
