/// A long random interleaving of statements of several connections, the same for the same seed.
struct RandomPlan {
  /// Who runs what, in order.
  let steps: [(connection: Int, sql: String)]

  init(seed: UInt64, connectionCount: Int, stepCount: Int) {
    var state = seed
    func draw(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    steps = (0..<stepCount).map { _ in
      (draw(connectionCount), Self.statement(draw))
    }
  }

  /// Runs every step and notes its code and rows, so that two runs can be compared.
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

  private static func statement(_ draw: (Int) -> Int) -> String {
    let id = draw(300)
    switch draw(20) {
    case 0...4: return "INSERT OR REPLACE INTO item VALUES (\(id), \(draw(1000)))"
    case 5: return "INSERT OR REPLACE INTO item VALUES (\(id), zeroblob(\(draw(9000))))"
    case 6...8: return "UPDATE item SET n = \(draw(1000)) WHERE id BETWEEN \(id) AND \(id + 3)"
    case 9, 10: return "DELETE FROM item WHERE id = \(id)"
    case 11, 12: return "SELECT count(*), sum(id), sum(length(n)) FROM item"
    case 13: return "BEGIN"
    case 14: return "BEGIN IMMEDIATE"
    case 15, 16: return "COMMIT"
    case 17: return "ROLLBACK"
    case 18: return "PRAGMA wal_checkpoint(\(["PASSIVE", "FULL", "RESTART", "TRUNCATE"][draw(4)]))"
    default: return "SELECT n FROM item WHERE id = \(id)"
    }
  }
}
