/// A binary search for the first bad commit; commits without an answer are skipped.
///
/// The commits are numbered from 0 in the order of history. The commit before number 0 is known to be
/// good, and the last commit is known to be bad. Each step judges one commit as good or bad, or skips
/// it. The step chooses the middle of the commits between the newest good and the oldest bad one,
/// without the skipped commits. After a skip, the choice is a neighbor of the skipped commit.
///
/// - Complexity: at most ⌈log2 n⌉ judgements for n commits, and one for each skipped commit.
struct BisectSearch {
  /// The verdict on one commit: good, bad or skipped.
  enum Judgement: Equatable, Sendable {
    case good
    case bad
    /// The commit cannot be judged, for the given reason.
    case skipped(String)
  }

  /// The number of the newest good commit; -1 for the commit before number 0.
  private var good = -1
  /// The number of the oldest bad commit.
  private var bad: Int
  /// The numbers of the commits between ``good`` and ``bad`` that can still be judged, ascending.
  private var open: [Int]

  /// Creates a search among the given number of commits, which is at least 1.
  init(count: Int) {
    precondition(count > 0, "The last of \(count) commits is known to be bad.")
    bad = count - 1
    open = Array(0..<count - 1)
  }

  /// The number of the commit to judge next; `nil` if no further judgement helps.
  var next: Int? { open.isEmpty ? nil : open[open.count / 2] }

  /// The numbers of the commits that may be the first bad one.
  ///
  /// The range has one commit once the first bad commit is found. Until then, every commit of the
  /// range except the last was skipped or is not yet judged.
  var candidates: ClosedRange<Int> { good + 1...bad }

  /// The greatest number of judgements that remain, unless commits are skipped.
  var stepsMax: Int { Int.bitWidth - open.count.leadingZeroBitCount }

  /// Records the judgement of a commit, given by its number.
  mutating func record(_ judgement: Judgement, of commit: Int) {
    switch judgement {
    case .good:
      good = max(good, commit)
      open.removeAll { $0 <= commit }
    case .bad:
      bad = min(bad, commit)
      open.removeAll { $0 >= commit }
    case .skipped: open.removeAll { $0 == commit }
    }
  }

  /// Judges commits until no further judgement helps; an error of `judge` ends the search early.
  ///
  /// `judge` is passed the number of the commit and the search so far.
  mutating func run(_ judge: (Int, BisectSearch) throws -> Judgement) rethrows {
    while let commit = next { record(try judge(commit, self), of: commit) }
  }
}
