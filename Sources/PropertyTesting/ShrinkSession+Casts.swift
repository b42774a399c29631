extension ShrinkSession {
  /// Renumbers the names of each label in the order of their first use.
  ///
  /// Tries the names 0, 1, 2 and so on, then the used names in ascending order, then exchanges of
  /// two adjacent names. Only simpler candidates are evaluated: a case whose names are in order
  /// costs nothing.
  func orderNames() {
    for label in labelsOfNames() where !isOver {
      var order: [Int64] = []
      for place in placesOfNames(label) where !order.contains(best.choices[place].value) {
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

  /// Deletes an element that adds a member to a cast, and the elements that name that member.
  ///
  /// Later names are lowered by one. If a cast grows between two names, the range of the second
  /// name is larger than that of the first, and the element that adds the member is between them.
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

  /// Returns the labels of spans that consist of a single name.
  private func labelsOfNames() -> [String] {
    let spans = best.spans.filter { $0.range.count == 1 && best.choices[$0.start].kind == .name }
    return Set(spans.map(\.label)).sorted()
  }

  private func placesOfNames(_ label: String) -> [Int] {
    best.spans.filter {
      $0.label == label && $0.range.count == 1 && best.choices[$0.start].kind == .name
    }.map(\.start)
  }

  private func renaming(_ label: String, _ names: [Int64: Int64]) -> ChoiceSequence {
    let edits = placesOfNames(label).compactMap { place -> (index: Int, choice: Choice)? in
      let choice = best.choices[place]
      guard let name = names[choice.value], name != choice.value, name <= choice.highest else {
        return nil
      }
      return (place, choice.with(value: name))
    }
    return best.replacing(edits)
  }

  /// Returns up to three elements before a cast grows, and the greatest name after it, at most 8.
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
