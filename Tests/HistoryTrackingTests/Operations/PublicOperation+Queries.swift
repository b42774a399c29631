import HistoryStore
import HistoryTypes
import ObjectContexts

extension PublicOperation {
  /// The operations of contexts that return values instead of objects, with unsaved edits.
  static var queries: [PublicOperation] {
    [
      query("count(_: String)") { "\(try $0.count("Item"))" },
      query("explain(_: String)") { try $0.explain("Item", sortedBy: ["title"], limit: 1) },
      query("distinctValues(of: String, in: String)") {
        "\(try $0.distinctValues(of: "title", in: "Item"))"
      },
      query("sum(of: String, in: String)") { "\(try $0.sum(of: "count", in: "Item"))" },
      query("average(of: String, in: String)") {
        "\(try $0.average(of: "count", in: "Item") ?? -1)"
      },
      query("minimum(of: String, in: String)") { "\(try $0.minimum(of: "title", in: "Item"))" },
      query("maximum(of: String, in: String)") { "\(try $0.maximum(of: "title", in: "Item"))" },
    ]
  }

  private static func query(
    _ name: String,
    _ run: @escaping @Sendable (ObjectContext) throws -> String
  ) -> PublicOperation {
    PublicOperation("ObjectContext." + name, on: { try $0.editedContext() }, run)
  }
}
