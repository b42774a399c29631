/// How far a long piece of work is.
struct WorkState: Hashable, Sendable {
  /// What is being done, in a word or two.
  var title: String
  /// What is counted, in the plural.
  var unit: String
  var done = 0
  /// How many there will be, if that is known.
  var total: Int?
  var elapsed: Duration = .zero
  /// When the work ends even if something is left.
  var limit: Duration?
  /// What else is worth seeing, such as how many plans failed.
  var note = ""

  init(_ title: String, unit: String, total: Int? = nil, limit: Duration? = nil) {
    self.title = title
    self.unit = unit
    self.total = total
    self.limit = limit
  }

  /// Done in a second, or nothing as long as that would be a guess.
  var rate: Double? {
    let seconds = elapsed / .seconds(1)
    return done > 0 && seconds >= 0.5 ? Double(done) / seconds : nil
  }

  /// The share that is done, from 0 to 1: of the count or of the time, whichever ends first.
  var fraction: Double? {
    let ofTotal = total.map { $0 > 0 ? Double(done) / Double($0) : 1 }
    let ofLimit = limit.map { $0 > .zero ? elapsed / $0 : 1 }
    return [ofTotal, ofLimit].compactMap { $0 }.max().map { min(max($0, 0), 1) }
  }

  /// The time that is left if the work goes on as it went, at most the time that the limit leaves.
  var left: Duration? {
    let byLimit = limit.map { max($0 - elapsed, .zero) }
    let byRate = rate.flatMap { rate in
      total.map { Duration.seconds(Double(max($0 - done, 0)) / rate) }
    }
    return [byLimit, byRate].compactMap { $0 }.min()
  }
}

extension WorkState {
  /// The state as one line with a bar, shorter than a width: a terminal may break full lines.
  func bar(width: Int) -> String {
    let facts = [count, rateText, note, leftText].filter { !$0.isEmpty }.joined(separator: "  ")
    let room = width - title.count - facts.count - 7
    guard let fraction, room >= 8 else {
      return String("\(title)  \(facts)".prefix(max(width - 1, 0)))
    }
    let cells = min(room, 30)
    let full = Int(fraction * Double(cells))
    let drawn = String(repeating: "#", count: full) + String(repeating: ".", count: cells - full)
    return "\(title)  [\(drawn)]  \(facts)"
  }

  /// The state as a line of a log.
  var line: String {
    let facts = [count, rateText, note, leftText].filter { !$0.isEmpty }
    return "\(title): \(facts.joined(separator: ", "))"
  }

  private var count: String {
    let counted = total.map { "\(done.grouped)/\($0.grouped)" } ?? done.grouped
    return "\(counted) \(unit)"
  }

  private var rateText: String { rate.map { "\(Self.rateText($0))/s" } ?? "" }

  private var leftText: String { left.map { "\($0.roughly) left" } ?? "" }

  /// Three digits or more: 1,234 or 12.3 or 0.12.
  private static func rateText(_ rate: Double) -> String {
    if rate >= 99.95 { return Int(rate.rounded()).grouped }
    let scale = rate >= 9.995 ? 10.0 : 100.0
    return String((rate * scale).rounded() / scale)
  }
}

extension Duration {
  /// The time in its two largest units, rounded up: 4 s, 3 min 20 s, 2 h 5 min, 3 d 4 h.
  var roughly: String {
    let (whole, fraction) = components
    let seconds = Int(whole) + (fraction > 0 ? 1 : 0)
    switch seconds {
    case ..<60: return "\(max(seconds, 0)) s"
    case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
    case ..<86400: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    default: return "\(seconds / 86400) d \(seconds % 86400 / 3600) h"
    }
  }
}
