import Foundation
import HistoryTypes

/// A process that writes to a file with plain SQL, one transaction for each line that it receives.
///
/// After each commit it writes a line.
final class PlainSQLProgram {
  enum Kind: String, CaseIterable {
    case shell
    case python
    case perl

    var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    fileprivate func command(_ path: String) -> [String] {
      switch self {
      case .shell: ["sqlite3", "-bail", "-cmd", ".timeout 60000", path]
      case .python:
        [
          "python3", "-c",
          """
          import sqlite3, sys
          file = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
          for line in sys.stdin:
              for statement in line.split(";"):
                  file.execute(statement)
              print("done", flush=True)
          """, path,
        ]
      case .perl:
        [
          "perl", "-MDBI", "-e",
          """
          $| = 1;
          my $file = DBI->connect("dbi:SQLite:dbname=$ARGV[0]", "", "", {RaiseError => 1});
          $file->sqlite_busy_timeout(60000);
          while (my $line = <STDIN>) {
            chomp $line;
            $file->do($_) for split /;/, $line;
            print "done\\n";
          }
          """, path,
        ]
      }
    }

    fileprivate func line(_ statements: String) -> String {
      // The shell buffers its own output.
      self == .shell ? "\(statements);\n.system echo done\n" : "\(statements)\n"
    }
  }

  /// The transactions of one process, the last of which may not have been committed.
  struct Writes: Sendable {
    let prefix: String
    fileprivate let count: Int

    /// Returns whether objects, by title with their counts, are those after all or all but one.
    func matches(_ objects: [String: Value]) -> Bool {
      let own = objects.filter { $0.key.hasPrefix(prefix) }
      return [count, count - 1].contains { own == PlainSQLProgram.objects(prefix, after: $0) }
    }
  }

  private let kind: Kind
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ kind: Kind, _ path: String) throws {
    self.kind = kind
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = kind.command(path)
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Makes some transactions, and kills the process in the middle of the last one.
  func write(_ life: Int, _ count: Int) throws -> Writes {
    let prefix = "\(kind.rawValue)-\(life)-"
    for number in 1...count {
      try input.fileHandleForWriting.write(
        contentsOf: Data(kind.line(Self.sql(prefix, number)).utf8)
      )
      guard number < count else { break }
      try awaitLine()
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return Writes(prefix: prefix, count: count)
  }

  /// Reads the line that the process writes after a commit.
  private func awaitLine() throws {
    var end: UInt8?
    while end != UInt8(ascii: "\n") {
      end = output.fileHandleForReading.availableData.last
      guard end != nil else { throw CocoaError(.fileReadUnknown) }
    }
  }

  /// The statements of one transaction.
  private static func sql(_ prefix: String, _ number: Int) -> String {
    let (round, step) = (number / 4, number % 4)
    let name = "\(prefix)\(round)"
    let statements =
      switch step {
      case 0: "INSERT INTO Item(title, count) VALUES('\(name)', 0), ('\(name)b', 0)"
      case 1:
        "UPDATE history_foreign_author SET author = '\(prefix)'; "
          + "UPDATE Item SET count = count + 10 WHERE title = '\(name)'; "
          + "UPDATE history_foreign_author SET author = NULL"
      case 2: "DELETE FROM Item WHERE title = '\(name)b'"
      default:
        "REPLACE INTO Item(_key, title, count) SELECT _key, title, count + 1 FROM Item "
          + "WHERE title = '\(name)'"
      }
    return "BEGIN IMMEDIATE; \(statements); COMMIT"
  }

  /// The counts of the objects by title after some transactions.
  private static func objects(_ prefix: String, after count: Int) -> [String: Value] {
    var objects: [String: Value] = [:]
    for number in 0...count where number > 0 {
      let name = "\(prefix)\(number / 4)"
      switch (number % 4, objects[name]) {
      case (0, _): (objects[name], objects[name + "b"]) = (0, 0)
      case (1, .int(let value)?): objects[name] = .int(value + 10)
      case (2, _): objects[name + "b"] = nil
      case (3, .int(let value)?): objects[name] = .int(value + 1)
      default: break
      }
    }
    return objects
  }
}
