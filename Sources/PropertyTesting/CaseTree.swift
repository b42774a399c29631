/// The test cases that were run, as a tree of the generator's requests and the source's answers.
///
/// A request is a draw from the choice source, the start, end or removal of a group of choices, or
/// the question whether choices have run out. The answer to a draw is the drawn value, the answer to
/// the question is yes or no, and the other requests always have the same answer.
///
/// Shrinking edits a sequence of choices. Many edits lead to a case that was run before; such a
/// case need not be run again. This is sound because a generator makes the same request after the
/// same answers, unless the property is not deterministic.
struct CaseTree {
  private enum Question {
    /// No case has reached this node yet, so the generator's request here is not known.
    case unknown
    /// The generator requests a number from the range of this choice.
    case draw(Choice)
    case open(String)
    case close
    case cancel
    case exhausted
    /// The generator made no further request: the case is finished.
    case end
  }

  private struct Node {
    var question = Question.unknown
    /// The first answer that was given to this node's request, and the node that follows it.
    ///
    /// An answer is a drawn value, or 1 for yes and 0 for no. The node is -1 before the first answer.
    var firstNext: (answer: Int64, node: Int) = (0, -1)
    /// The answers other than that of ``firstNext``, each with the node that follows it.
    var moreNext: [(answer: Int64, node: Int)] = []
  }

  /// The number of nodes above which older cases are discarded, which bounds the memory.
  private static let nodeCountMax = 1 << 19

  private var nodes = [Node()]
  private let choiceCountMax: Int
  /// Whether a generator made different requests to its source after receiving equal answers.
  private(set) var isInconsistent = false

  init(choiceCountMax: Int) { self.choiceCountMax = choiceCountMax }

  /// Adds a case that was run, as the generator's requests to the choice source with their answers.
  ///
  /// - Complexity: O(events * answers seen at each node).
  mutating func insert(_ events: [SourceEvent]) {
    if nodes.count + events.count > Self.nodeCountMax { nodes = [Node()] }
    var node = 0
    for event in events {
      switch event {
      case .draw(let choice, let read):
        ask(.draw(choice), at: node)
        let next = follow(read, from: node)
        if choice.value != read, find(choice.value, from: node) == nil {
          add(choice.value, next, to: node)
        }
        node = next
      case .open(let label): node = pass(.open(label), at: node)
      case .close: node = pass(.close, at: node)
      case .cancel: node = pass(.cancel, at: node)
      case .exhausted(let isExhausted):
        ask(.exhausted, at: node)
        node = follow(isExhausted ? 1 : 0, from: node)
      }
    }
    ask(.end, at: node)
  }

  /// Returns whether replaying a sequence leads to a case that was already run.
  func knows(_ sequence: ChoiceSequence) -> Bool {
    var cursor = ReplayCursor(sequence)
    var (node, count) = (0, 0)
    while true {
      var answer: Int64 = 0
      switch nodes[node].question {
      case .unknown: return false
      case .end: return true
      case .open(let label): cursor.open(label)
      case .close: cursor.close()
      case .cancel: cursor.cancel()
      case .exhausted: answer = count >= choiceCountMax || cursor.isAtEnd ? 1 : 0
      case .draw(let choice):
        let offset = count < choiceCountMax ? cursor.next() : nil
        answer = offset.map { choice.value(atOffset: $0) } ?? choice.simplest
        count += 1
      }
      guard let next = find(answer, from: node) else { return false }
      node = next
    }
  }

  private func find(_ answer: Int64, from node: Int) -> Int? {
    let (first, next) = nodes[node].firstNext
    if next < 0 { return nil }
    if first == answer { return next }
    return nodes[node].moreNext.first { $0.answer == answer }?.node
  }

  private mutating func add(_ answer: Int64, _ next: Int, to node: Int) {
    if nodes[node].firstNext.node < 0 {
      nodes[node].firstNext = (answer, next)
    } else {
      nodes[node].moreNext.append((answer, next))
    }
  }

  private mutating func follow(_ answer: Int64, from node: Int) -> Int {
    if let next = find(answer, from: node) { return next }
    nodes.append(Node())
    add(answer, nodes.count - 1, to: node)
    return nodes.count - 1
  }

  private mutating func pass(_ question: Question, at node: Int) -> Int {
    ask(question, at: node)
    return follow(0, from: node)
  }

  /// Stores the request that a generator makes to its choice source at a node of the tree.
  ///
  /// A node stands for the answers that the generator has received. If it made a different request
  /// after these answers in an earlier case, ``isInconsistent`` becomes `true`.
  private mutating func ask(_ question: Question, at node: Int) {
    switch (nodes[node].question, question) {
    case (.unknown, _): nodes[node].question = question
    case (.draw(let old), .draw(let new)):
      let isSame = old.lowest == new.lowest && old.highest == new.highest
      if !isSame || old.simplest != new.simplest { isInconsistent = true }
    case (.open(let old), .open(let new)): if old != new { isInconsistent = true }
    case (.close, .close), (.cancel, .cancel), (.exhausted, .exhausted), (.end, .end): break
    default: isInconsistent = true
    }
  }
}
