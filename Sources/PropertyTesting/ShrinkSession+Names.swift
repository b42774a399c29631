extension ShrinkSession {
  /// Removes an actor of a generated plan, and deletes the plan's elements that name this actor.
  ///
  /// The names of actors are numbers from 0. The number of actors, and the names of later actors,
  /// are lowered by one. The shrinker does not know plans, and guesses which choices are meant. The
  /// number of actors (the *cast size*) may be any small number outside all lists and loops of
  /// variable length. The actors' names may be choices with a common label, each of which selects
  /// one of as many alternatives as the plan then has actors.
  func removeNames() {
    var index = 0
    while index < best.count, !isOver {
      if isCastSize(index) {
        for label in nameLabels(of: best.choices[index].value) {
          removeNames(label, castSize: index)
        }
      }
      index += 1
    }
  }

  /// Returns whether a choice may be the number of actors of a plan.
  ///
  /// It may be if it is a number up to 64, greater than its simplest value, and in no element of a
  /// list or loop of variable length.
  func isCastSize(_ index: Int) -> Bool {
    let choice = best.choices[index]
    return choice.kind == .number && choice.value > choice.simplest && choice.value <= 64
      && !isInsideElement(tree.owners[index])
  }

  /// Returns whether a span is, or is inside, an element of a list or loop of variable length.
  func isInsideElement(_ span: Int) -> Bool {
    var span = span
    while span >= 0, best.spans[span].kind != .element { span = tree.parents[span] }
    return span >= 0
  }

  /// Returns the labels of single choices that may each select one of `castSize` actors of a plan.
  ///
  /// Such a choice is the only one in its span, has the kind ``Choice/Kind/name``, and has
  /// `castSize - 1` as its greatest possible value.
  func nameLabels(of castSize: Int64) -> [String] {
    let spans = best.spans.filter { span in
      guard span.range.count == 1, best.choices[span.start].kind == .name else { return false }
      return best.choices[span.start].highest == castSize - 1
    }
    return Set(spans.map(\.label)).sorted()
  }

  private func removeNames(_ label: String, castSize index: Int) {
    guard index < best.count else { return }
    var name = best.choices[index].value - 1
    while name >= 0, index < best.count, best.choices[index].value > best.choices[index].simplest {
      let isRemoved = attempt(removing(name, of: label, castSize: index))
      // In the first passes, a name that cannot be removed ends the loop; later, all names are tried.
      if isFirstRound, !isRemoved { return }
      name -= 1
    }
  }

  private func removing(_ name: Int64, of label: String, castSize: Int) -> ChoiceSequence {
    let size = best.choices[castSize]
    var edits = [(index: castSize, choice: size.with(value: size.value - 1))]
    var deleted: [Range<Int>] = []
    for (index, span) in best.spans.enumerated() where span.label == label {
      guard span.range.count == 1, best.choices[span.start].kind == .name else { continue }
      let choice = best.choices[span.start]
      if choice.value > name, let moved = choice.moved(by: -1) { edits.append((span.start, moved)) }
      if choice.value == name, let element = element(around: index) { deleted.append(element) }
    }
    return best.replacing(edits).removing(deleted)
  }

  /// Returns the choices of the innermost list or loop element that is or contains a span.
  ///
  /// Elements of lists and loops whose length was drawn in advance do not count. Returns `nil` if
  /// there is no such element.
  func element(around span: Int) -> Range<Int>? {
    var index = span
    while index >= 0, best.spans[index].kind != .element { index = tree.parents[index] }
    return index < 0 ? nil : best.spans[index].range
  }
}

extension ShrinkSession {
  /// Renumbers the names of each label in the order of their first use.
  ///
  /// A name is the only choice of a labelled group: a choice of the kind ``Choice/Kind/name``, such
  /// as the number of an actor, or a plain number from 0 to 64.
  ///
  /// First, the names are renumbered to 0, 1, 2 and so on, in the order of their first use. If that
  /// fails, the used names are reassigned so that they ascend in the order of first use. If that
  /// fails, too, exchanges of two names are tried that are adjacent in ascending order. Only
  /// simpler candidates are run, so a case whose names are 0, 1, 2 and so on costs no run.
  func orderNames() {
    for label in labelsOfNames(orNumbers: true) where !isOver {
      var order: [Int64] = []
      for place in placesOfNames(label, orNumbers: true)
      where !order.contains(best.choices[place].value) {
        order.append(best.choices[place].value)
      }
      let compact = Dictionary(uniqueKeysWithValues: zip(order, 0..<Int64(order.count)))
      if attempt(renaming(label, compact)) { continue }
      let sorted = order.sorted()
      if order == sorted { continue }
      if attempt(renaming(label, Dictionary(uniqueKeysWithValues: zip(order, sorted)))) { continue }
      for (name, other) in zip(sorted, sorted.dropFirst()) where !isOver {
        _ = attempt(renaming(label, [name: other, other: name]))
      }
    }
  }

  /// Deletes an element that adds an actor to a plan, and the elements that name that actor.
  ///
  /// A name is a drawn number that stands for an actor. Greater names are lowered by one. After an
  /// actor was added, names are drawn from a larger range. The function therefore looks for two
  /// consecutive names of which the second has the larger range: an element between these names may
  /// have added the actor.
  func removeNewcomers() {
    for label in labelsOfNames() {
      var growth = 0
      while let (elements, highest) = newcomers(label, growth), !isOver {
        for creator in elements.reversed() {
          _ = (0...highest).reversed().contains { removeNewcomer(creator, named: $0, of: label) }
        }
        growth += 1
      }
    }
  }

  /// Returns the labels of the spans whose only choice is of the kind ``Choice/Kind/name``.
  ///
  /// With `orNumbers`, spans whose only choice is a number from 0 to 64 are included: a generator
  /// may draw names as plain numbers.
  private func labelsOfNames(orNumbers: Bool = false) -> [String] {
    Set(best.spans.filter { isName($0, orNumber: orNumbers) }.map(\.label)).sorted()
  }

  private func placesOfNames(_ label: String, orNumbers: Bool = false) -> [Int] {
    best.spans.filter { $0.label == label && isName($0, orNumber: orNumbers) }.map(\.start)
  }

  /// Returns whether a span has a single choice: a name or, if `orNumber` is `true`, a number up to 64.
  private func isName(_ span: ChoiceSpan, orNumber: Bool) -> Bool {
    guard span.range.count == 1 else { return false }
    let choice = best.choices[span.start]
    return choice.kind == .name
      || orNumber && choice.kind == .number && (0...Self.greatestNumberName).contains(choice.value)
  }

  /// The greatest plain number that ``orderNames()`` treats as a name, such as an actor's number.
  private static let greatestNumberName: Int64 = 64

  private func renaming(_ label: String, _ names: [Int64: Int64]) -> ChoiceSequence {
    let edits = placesOfNames(label, orNumbers: true).compactMap {
      place -> (index: Int, choice: Choice)? in
      let choice = best.choices[place]
      guard let name = names[choice.value], name != choice.value, name >= choice.lowest,
        name <= choice.highest
      else {
        return nil
      }
      return (place, choice.with(value: name))
    }
    return best.replacing(edits)
  }

  /// Returns up to three elements that may have added an actor, and the greatest name to try.
  ///
  /// The names of actors are numbers; an added actor widens the range from which they are drawn.
  /// An element of a list or loop may have added an actor if it lies between two successive names of
  /// which the second has the wider range. `growth` is the index, from 0, of such a pair of names; the
  /// result is `nil` if no pair has this index. The caller tries each name from 0 to the greatest as
  /// the added actor's name.
  private func newcomers(_ label: String, _ growth: Int) -> (elements: [Int], highest: Int64)? {
    let places = placesOfNames(label)
    let grown = zip(places, places.dropFirst()).filter {
      best.choices[$1].highest > best.choices[$0].highest
    }
    guard growth < grown.count else { return nil }
    let (before, after) = grown[growth]
    let elements = best.spans.indices.filter { index in
      let span = best.spans[index]
      return span.kind == .element && span.start > before && span.end <= after
    }
    return (Array(elements.suffix(3)), min(best.choices[after].highest, 8))
  }

  private func removeNewcomer(_ creator: Int, named name: Int64, of label: String) -> Bool {
    guard creator < best.spans.count else { return true }
    let range = best.spans[creator].range
    var edits: [(index: Int, choice: Choice)] = []
    var deleted = [range]
    for place in placesOfNames(label) where place >= range.upperBound {
      let choice = best.choices[place]
      if choice.value > name { edits.append((place, choice.with(value: choice.value - 1))) }
      if choice.value == name, let element = element(around: tree.owners[place]) {
        deleted.append(element)
      }
    }
    return attempt(best.replacing(edits).removing(deleted))
  }
}

extension ShrinkSession {
  /// Deletes one element, and lowers by one all numbers that may be positions of later elements.
  ///
  /// A number inside another element of the list counts as such a position if it is in the range
  /// from `max(p, 1)` to the number of elements, where `p` is the position of the deleted element,
  /// counted from 0.
  func deleteAndRenumber() {
    for ordinal in tree.groups.indices.reversed() where ordinal < tree.groups.count {
      guard tree.groups[ordinal].kind == .element else { continue }
      var number = members(ofGroup: ordinal).count - 1
      while number >= 0, !isOver {
        let members = members(ofGroup: ordinal)
        if number < members.count { renumber(without: number, of: members) }
        number -= 1
      }
    }
  }

  private func renumber(without number: Int, of members: [Int]) {
    let removed = best.spans[members[number]].range
    var edits: [(index: Int, choice: Choice)] = []
    for member in members where member != members[number] {
      for index in best.spans[member].range {
        let references = Int64(max(number, 1))...Int64(members.count)
        guard references.contains(best.choices[index].value) else { continue }
        guard best.choices[index].kind == .number else { continue }
        if let moved = best.choices[index].moved(by: -1) { edits.append((index, moved)) }
      }
    }
    guard !edits.isEmpty else { return }
    _ = attempt(best.replacing(edits).removing(removed))
  }

  /// Deletes one element of a list or loop, and lowers by one a number that may be a count or size.
  ///
  /// Each pair of an element and a number for which ``isUnnamedSize(_:)`` returns `true` is tried.
  /// Lists and loops whose length was drawn in advance are left to ``deleteMembers(_:ofGroup:)``.
  func lowerAndDelete() {
    var index = 0
    while index < best.count, !isOver {
      var element = best.spans.count - 1
      while element >= 0, index < best.count, isUnnamedSize(index), !isOver {
        lower(index, deleting: element)
        element -= 1
      }
      index += 1
    }
  }

  /// Returns whether a choice may be a count or size, but not a number of actors.
  ///
  /// If the value is the number of alternatives from which other choices select, it may be the number
  /// of a plan's actors, which ``removeNames()`` lowers.
  private func isUnnamedSize(_ index: Int) -> Bool {
    isCastSize(index) && nameLabels(of: best.choices[index].value).isEmpty
  }

  private func lower(_ index: Int, deleting element: Int) {
    guard element < best.spans.count, best.spans[element].kind == .element,
      let lowered = best.choices[index].moved(by: -1)
    else { return }
    _ = attempt(best.replacing([(index, lowered)]).removing(best.spans[element].range))
  }

  /// Replaces two adjacent elements that have one number each by one element with the sum.
  ///
  /// A sum outside the range wraps around, as integer arithmetic with overflow does.
  func foldNeighbours() {
    for ordinal in tree.groups.indices.reversed() where ordinal < tree.groups.count {
      guard tree.groups[ordinal].kind == .element else { continue }
      var number = members(ofGroup: ordinal).count - 1
      while number > 0, !isOver {
        let members = members(ofGroup: ordinal)
        if number < members.count { fold(members[number], into: members[number - 1]) }
        number -= 1
      }
    }
  }

  private func fold(_ span: Int, into other: Int) {
    guard let taken = onlyValue(of: span), let kept = onlyValue(of: other) else { return }
    let (amount, choice) = (best.choices[taken].offset, best.choices[kept])
    guard amount != 0, choice.offset != 0 else { return }
    guard let sum = choice.movedRound(by: amount) else { return }
    _ = attempt(best.replacing([(kept, sum)]).removing(best.spans[span].range))
  }

  /// Returns the index of an element's single choice; `nil` if it has none, or several.
  ///
  /// Decisions to continue a list or loop do not count.
  private func onlyValue(of span: Int) -> Int? {
    let values = best.spans[span].range.filter { !best.choices[$0].isContinuation }
    return values.count == 1 ? values.first : nil
  }
}
