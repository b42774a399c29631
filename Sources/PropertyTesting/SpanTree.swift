/// A range of choices that belong together, with a label for their role.
///
/// Spans describe the meaning of choices to the shrinker: an element of an array, a step of a plan,
/// an argument. Spans may be nested, but do not overlap otherwise.
package struct ChoiceSpan: Hashable, Sendable {
  /// The structural role of a group of choices, which determines how shrinking may edit it.
  package enum Kind: Hashable, Sendable {
    /// A part that is no element of a list or loop, such as an argument; never deleted by itself.
    case part
    /// An element that starts with its own choice to continue the list or loop.
    ///
    /// Deleting the element shortens the list or loop.
    case element
    /// An element of a list or loop whose length was drawn in advance.
    ///
    /// Deleting the element requires that the length is lowered as well.
    case countedElement
  }

  /// The role of the choices, such as `step`; spans with the same label may replace each other.
  package let label: String
  /// Whether the span is an element of a list or loop, and if so, how the length was drawn.
  package let kind: Kind
  /// The index of the span's first choice in the sequence.
  package internal(set) var start: Int
  /// The index after the span's last choice.
  package internal(set) var end: Int
  /// The number of enclosing spans.
  package internal(set) var depth: Int

  /// Creates a span of the choices in a range.
  package init(label: String, kind: Kind = .part, range: Range<Int>, depth: Int) {
    self.label = label
    self.kind = kind
    start = range.lowerBound
    end = range.upperBound
    self.depth = depth
  }

  /// The indices of the span's choices.
  package var range: Range<Int> { start..<end }

  /// A Boolean value that indicates whether the span is an element of a repetition.
  package var isElement: Bool { kind != .part }
}

/// The structure of a sequence's spans: parents, groups of siblings, and places of choices.
///
/// A span is a labelled range of choices that belong together, such as an element of a list.
struct SpanTree {
  /// Adjacent sibling spans with the same label and kind, such as the elements of a list or loop.
  struct Group {
    let label: String
    let kind: ChoiceSpan.Kind
    let depth: Int
    var members: [Int]
  }

  /// The role of a choice, by which similar choices are found.
  ///
  /// A role consists of the label of the choice's innermost span, the position of the choice among
  /// the choices directly in that span, and the range of the choice.
  struct Role: Hashable {
    let label: String
    let place: Int
    let range: ClosedRange<Int64>
  }

  /// The index of each span's parent span; -1 for a span without a parent.
  let parents: [Int]
  /// All groups of adjacent sibling spans with the same label and kind, outermost first.
  let groups: [Group]
  /// The labels of list and loop elements that have more than two choices.
  ///
  /// A choice of the kind ``Choice/Kind/name`` directly in an element with such a label determines
  /// the kind of the element, such as the kind of a command.
  let labelsOfKinds: Set<String>
  /// The index of the innermost span (group of choices) around each choice; -1 outside all spans.
  let owners: [Int]
  /// The position of each choice within its innermost span, not counting choices of inner spans.
  ///
  /// A span is a group of choices.
  let places: [Int]

  /// Creates the tree of the spans of a choice sequence.
  ///
  /// - Complexity: linear in the choices, the spans and the sum of the lengths of all spans, plus a
  ///   sort of the groups of sibling spans.
  init(_ sequence: ChoiceSequence) {
    parents = Self.parents(sequence.spans)
    groups = Self.groups(sequence.spans, parents)
    (owners, places) = Self.owners(sequence)
    let structured = sequence.spans.filter { $0.isElement && $0.range.count > 2 }
    labelsOfKinds = Set(structured.map(\.label))
  }

  private static func parents(_ spans: [ChoiceSpan]) -> [Int] {
    var open: [Int] = []
    return spans.indices.map { index in
      open.removeLast(open.count - spans[index].depth)
      defer { open.append(index) }
      return open.last ?? -1
    }
  }

  private static func groups(_ spans: [ChoiceSpan], _ parents: [Int]) -> [Group] {
    var groups: [Group] = []
    var latest: [Int: Int] = [:]
    for (index, span) in spans.enumerated() {
      if let group = latest[parents[index]], let last = groups[group].members.last,
        spans[last].end == span.start, groups[group].label == span.label,
        groups[group].kind == span.kind
      {
        groups[group].members.append(index)
      } else {
        latest[parents[index]] = groups.count
        groups.append(
          Group(label: span.label, kind: span.kind, depth: span.depth, members: [index])
        )
      }
    }
    let order = groups.indices.sorted { (groups[$0].depth, $0) < (groups[$1].depth, $1) }
    return order.map { groups[$0] }
  }

  private static func owners(_ sequence: ChoiceSequence) -> (owners: [Int], places: [Int]) {
    var owners = [Int](repeating: -1, count: sequence.count)
    for (index, span) in sequence.spans.enumerated() {
      for choice in span.range { owners[choice] = index }
    }
    var counts = [Int](repeating: 0, count: sequence.spans.count + 1)
    let places = owners.map { owner in
      counts[owner + 1] += 1
      return counts[owner + 1] - 1
    }
    return (owners, places)
  }

  func role(of index: Int, in sequence: ChoiceSequence) -> Role {
    let choice = sequence.choices[index]
    let owner = owners[index]
    return Role(
      label: owner < 0 ? "" : sequence.spans[owner].label,
      place: places[index],
      range: choice.lowest...choice.highest
    )
  }

  /// Returns the labels of those groups of choices (spans) that lie inside one with the same label.
  ///
  /// - Complexity: O(spans * depth).
  func nestedLabels(_ sequence: ChoiceSequence) -> Set<String> {
    var labels: Set<String> = []
    for (index, span) in sequence.spans.enumerated() where !labels.contains(span.label) {
      var outer = parents[index]
      while outer >= 0, sequence.spans[outer].label != span.label { outer = parents[outer] }
      if outer >= 0 { labels.insert(span.label) }
    }
    return labels
  }
}
