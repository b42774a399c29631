import Checkers
import HistoryTypes
package import Traces

/// A symptom of a bug in one run: a broken invariant, and the first words of the sentence about it.
///
/// One bug has many shortest plans, and a plan often breaks several invariants. Nearly all plans of one
/// bug share a symptom, so failures with a common symptom form a group. A symptom contains no names
/// and no numbers.
package struct FailureSymptom: Codable, Hashable, Comparable, Sendable {
  package let system: String
  package let invariant: String
  /// The first words of the sentence about the violation.
  ///
  /// If the violation is a wrong answer to a query, these are the first words of the wrong line of
  /// the answer.
  package let words: String

  /// The maximum number of words that ``words`` takes from the start of a violation's sentence.
  ///
  /// Failures with a common symptom form a group. With one word, more of the lab's seeded bugs
  /// would have a symptom in common with another bug. With three words, more of them would have
  /// failures in more than two groups.
  private static let wordCount = 2
  /// The maximum number of words that ``words`` takes from the wrong line of a query's answer.
  private static let answerWordCount = 4

  /// Returns the symptoms of a trace that breaks an invariant, sorted.
  ///
  /// - Complexity: linear in the trace.
  package static func all(of trace: Trace, breaking violation: Violation) -> [Self] {
    let found = CheckerSuite(checking: trace, scope: .all).verdicts.compactMap { answer in
      if case .invalid(let violation) = answer.verdict { violation } else { nil }
    }
    let others = found.filter { $0.checker != violation.checker }
    return ([violation] + others).map { Self($0, in: trace) }.sorted()
  }

  package static func < (one: Self, other: Self) -> Bool {
    (one.system, one.invariant, one.words) < (other.system, other.invariant, other.words)
  }

  /// Divides failures, given by their symptoms, into few groups; the failures of a group share a
  /// symptom.
  ///
  /// Repeatedly, the symptom that most of the remaining failures have is chosen, and all remaining
  /// failures with this symptom become a group. A failure without symptoms is a group of its own.
  ///
  /// - Returns: The groups, the largest group first, each with the indices of its failures; failures
  ///   without symptoms are last.
  /// - Complexity: O(groups * failures), for a bounded number of symptoms of each.
  package static func groups(_ failures: [[Self]]) -> [(shared: Self?, members: [Int])] {
    var groups: [(shared: Self?, members: [Int])] = []
    var left = failures.indices.filter { !failures[$0].isEmpty }
    while !left.isEmpty {
      let counts = Dictionary(left.flatMap { failures[$0] }.map { ($0, 1) }, uniquingKeysWith: +)
      let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
      let members = left.filter { place in most.map { failures[place].contains($0.key) } ?? true }
      groups.append((most?.key, members))
      left.removeAll(where: Set(members).contains)
    }
    return groups + failures.indices.filter { failures[$0].isEmpty }.map { (nil, [$0]) }
  }
}

extension FailureSymptom {
  private init(_ violation: Violation, in trace: Trace) {
    let header = trace.header.plan.header
    let names = Set(header.actors.map(\.id.name) + header.consumers.map(\.name))
    let isAnswer = trace.events.contains { event in
      if event.at == violation.at, case .answered = event.kind { true } else { false }
    }
    let quoted = violation.because.split(separator: "\"", omittingEmptySubsequences: false)
      .dropFirst().first
    system = trace.header.system
    invariant = violation.checker
    if isAnswer, let line = quoted?.prefix(while: { !"[{(".contains($0) }) {
      words = "an answer: " + Self.first(Self.answerWordCount, of: line, without: names)
    } else {
      words = Self.first(Self.wordCount, of: violation.because[...], without: names)
    }
  }

  /// Returns the first words of a text, without the given names, and with `#` in place of words with
  /// digits.
  private static func first(
    _ count: Int,
    of text: Substring,
    without names: Set<String>
  ) -> String {
    let words = text.split { " ,;:".contains($0) }.filter { word in
      !names.contains(word.hasSuffix("'s") ? String(word.dropLast(2)) : String(word))
    }
    return words.prefix(count).map { $0.contains(where: \.isNumber) ? "#" : $0 }
      .joined(separator: " ")
  }
}

/// Failures of a campaign that probably have one cause.
package struct FailureGroup: Hashable, Sendable {
  /// An invariant that some failures of a ``FailureGroup`` break, and the number of these failures.
  package struct BrokenInvariant: Codable, Hashable, Sendable {
    package let invariant: String
    /// The number of failures in the group that break ``invariant``.
    package let failureCount: Int
  }

  /// The symptom that all failures of the group have; `nil` for a single failure whose symptoms are
  /// unknown.
  package let symptom: FailureSymptom?
  package let failures: [KnownFailure]

  /// The invariant that all failures of the group break.
  package var invariant: String { symptom?.invariant ?? example.invariant }

  /// The failure with the shortest plan of those whose recorded invariant is that of ``symptom``.
  ///
  /// A campaign records each failure under one invariant, but the failing plan may break others
  /// too. The group's common symptom may be about one of the others. If no failure of the group is
  /// recorded under the symptom's invariant, all failures of the group are considered.
  package var example: KnownFailure {
    let listed = failures.filter { $0.invariant == symptom?.invariant }
    let shortest = (listed.isEmpty ? failures : listed).min { $0.commandCount < $1.commandCount }
    return shortest ?? failures[0]
  }

  /// The invariants except ``invariant`` that failures of the group break, most frequent first.
  ///
  /// Each of these invariants may be broken because of a second bug.
  package var alsoBroken: [BrokenInvariant] {
    let broken = failures.flatMap { failure in
      Set((failure.symptoms ?? []).map(\.invariant)).union([failure.invariant])
    }
    return Dictionary(broken.map { ($0, 1) }, uniquingKeysWith: +)
      .filter { $0.key != invariant }
      .map { BrokenInvariant(invariant: $0.key, failureCount: $0.value) }
      .sorted { ($1.failureCount, $0.invariant) < ($0.failureCount, $1.invariant) }
  }
}

extension CampaignStatus {
  /// The failures, divided into groups that probably have one cause each, the largest group first.
  ///
  /// The failures of one bug are usually in one group, sometimes in two; the failures of different
  /// bugs may be in the same group.
  package var groups: [FailureGroup] {
    FailureSymptom.groups(failures.map { $0.symptoms ?? [] }).map { group in
      FailureGroup(symptom: group.shared, failures: group.members.map { failures[$0] })
    }
  }
}
