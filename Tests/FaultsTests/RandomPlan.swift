import PropertyTesting

/// A long random interleaving of statements of several connections.
struct RandomPlan {
  /// The statements in order, each with the index of its connection.
  let steps: [(connection: Int, sql: String)]

  /// Runs every step, and returns its code and rows, so that two runs can be compared.
  func run(on connections: [Connection]) -> [String] {
    steps.map { step in
      do {
        let rows = try connections[step.connection].run(step.sql)
        return "\(step.connection) \(step.sql): \(rows)"
      } catch {
        return "\(step.connection) \(step.sql): \(error)"
      }
    }
  }
}

extension Generator<RandomPlan> {
  /// Returns a generator of plans of at most `stepCount` steps, which most plans have.
  static func plans(connectionCount: Int, stepCount: Int) -> Generator {
    let step = Generator<(connection: Int, sql: String)> { source in
      (source.index(below: connectionCount), statement(&source))
    }
    return step.array(count: 0...stepCount, length: .mostlyLongest, element: "step")
      .map { RandomPlan(steps: $0) }
  }

  private static func statement(_ source: inout ChoiceSource) -> String {
    let id = source.index(below: 300)
    switch source.index(below: 20) {
    case 0...4: return "INSERT OR REPLACE INTO item VALUES (\(id), \(source.index(below: 1000)))"
    case 5:
      let size = source.index(below: 9000)
      return "INSERT OR REPLACE INTO item VALUES (\(id), zeroblob(\(size)))"
    case 6...8:
      let value = source.index(below: 1000)
      return "UPDATE item SET n = \(value) WHERE id BETWEEN \(id) AND \(id + 3)"
    case 9, 10: return "DELETE FROM item WHERE id = \(id)"
    case 11, 12: return "SELECT count(*), sum(id), sum(length(n)) FROM item"
    case 13: return "BEGIN"
    case 14: return "BEGIN IMMEDIATE"
    case 15, 16: return "COMMIT"
    case 17: return "ROLLBACK"
    case 18:
      let modes = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"]
      return "PRAGMA wal_checkpoint(\(modes[source.index(below: modes.count)]))"
    default: return "SELECT n FROM item WHERE id = \(id)"
    }
  }
}
