/// An order from a stress run to a process, on one line.
struct StressOrder: Hashable, Sendable {
  let word: StressWord
  /// The place to die at, and the number of the visit.
  var place: StressPlace?
  var visit = 1

  init(_ word: StressWord) { self.word = word }

  /// Creates an order to die at a place.
  init(dyingAt place: StressPlace, visit: Int) {
    word = .die
    self.place = place
    self.visit = visit
  }

  init?(_ line: String) {
    let words = line.split(separator: " ")
    guard let word = words.first.flatMap({ StressWord(rawValue: String($0)) }) else { return nil }
    self.word = word
    guard words.count == 3 else { return }
    place = StressPlace(rawValue: String(words[1]))
    visit = Int(words[2]) ?? 1
  }

  var line: String { place.map { "\(word.rawValue) \($0.rawValue) \(visit)" } ?? word.rawValue }
}
