import Foundation
import PersistentHistory

/// The guide "Migrating from PersistentHistoryTrackingKit".
enum MigratingFromTheKit {
  static func track(_ container: StoreContainer, _ defaults: UserDefaults) async throws {
    // Here
    var configuration = TrackerConfiguration(
      currentAuthor: "app",
      allAuthors: ["app", "widget"],
      batchAuthors: ["import"]
    )
    configuration.kitCursors = KitCursors(defaults.dictionaryRepresentation())
    let tracker = try HistoryTracker("app", container: container, configuration: configuration)
    try await tracker.start()
    await tracker.stop()
  }

  static func readCursors(_ suiteFile: URL) throws -> TrackerConfiguration {
    var configuration = TrackerConfiguration()
    configuration.kitCursors = try KitCursors(propertyList: Data(contentsOf: suiteFile))
    return configuration
  }
}
