import Basics
import BenchCommands
import Commands
import Reporting

/// A commit of a git repository.
struct Commit: Equatable, Sendable, Encodable {
  /// The commit's hash with all its digits.
  let hash: String
  /// The first line of the commit's message.
  let subject: String
  /// The author date in ISO 8601.
  let date: String

  /// The first twelve digits of the hash.
  var short: String { String(hash.prefix(12)) }
}

/// The commits that a bisection searches: the main line from a good commit to a bad one.
struct BisectHistory: Equatable, Sendable {
  let good: Commit
  /// The commits after the good one, the oldest first; the last one is the bad commit.
  let commits: [Commit]

  var bad: Commit { commits[commits.count - 1] }

  init(good: Commit, commits: [Commit]) { (self.good, self.commits) = (good, commits) }

  /// Reads the good commit, the bad one, and the first-parent ancestors of the bad one in between.
  ///
  /// - Throws: a usage error when a commit does not exist, both are the same, or the good one is not on
  ///   the main line of the bad one; ``Interrupted``.
  init(good goodName: String, bad badName: String, in repository: GitRepository) throws {
    let names = (
      good: try repository.fullName(of: goodName), bad: try repository.fullName(of: badName)
    )
    guard names.good != names.bad else {
      throw LabError.usage(
        "--good \(goodName.shellQuoted) and --bad \(badName.shellQuoted) are the same commit. "
          + "Give an older one as --good."
      )
    }
    let ancestry = try repository.run(["merge-base", "--is-ancestor", names.good, names.bad])
    guard ancestry.code == 0 else {
      throw LabError.usage(
        "--good \(goodName.shellQuoted) is not an ancestor of --bad \(badName.shellQuoted). "
          + "Give a commit that the bad one contains, such as the output of "
          + "git merge-base \(goodName.shellQuoted) \(badName.shellQuoted)."
      )
    }
    let log = try Self.log(["--first-parent", "\(names.good)..\(names.bad)"], repository)
    guard let oldest = log.first, oldest.parent == names.good else {
      let parent = log.first?.parent.map { " such as \($0.prefix(12))," } ?? ""
      throw LabError.usage(
        "--good \(goodName.shellQuoted) came into \(badName.shellQuoted) by a merge; only the "
          + "first parent of a merge is searched. Give a commit of the main line,\(parent) as --good."
      )
    }
    guard let good = try Self.log(["--max-count=1", names.good], repository).first?.commit else {
      throw LabError.lab(
        "git log does not print the commit \(names.good). Check the repository with git fsck."
      )
    }
    self.init(good: good, commits: log.map(\.commit))
  }

  /// Returns the commits that `git log` lists, the oldest first, each with its first parent.
  private static func log(
    _ selection: [String],
    _ repository: GitRepository
  ) throws -> [(commit: Commit, parent: String?)] {
    let words = [
      "log", "--no-show-signature", "--no-color", "--reverse",
      "--format=tformat:" + ["%H", "%P", "%aI", "%s"].joined(separator: "%x1F"),
    ]
    let outcome = try repository.run(words + selection + ["--"])
    guard outcome.code == 0 else {
      throw LabError.lab("git log ended with exit code \(outcome.code); see its output above.")
    }
    // Bytes are split, because a carriage return and a newline are one character.
    return outcome.text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let parts = line.split(separator: 0x1F, maxSplits: 3, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      guard parts.count == 4 else { return nil }
      let commit = Commit(hash: parts[0], subject: parts[3], date: parts[2])
      return (commit, parts[1].split(separator: " ").first.map(String.init))
    }
  }
}
