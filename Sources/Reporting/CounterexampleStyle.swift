/// Text styles of a terminal, as escape sequences (ECMA-48, SGR).
enum CounterexampleStyle: String {
  case bold = "\u{1b}[1m"
  case quiet = "\u{1b}[2m"
  case life = "\u{1b}[1;33m"
  case loss = "\u{1b}[1;31m"

  static let end = "\u{1b}[0m"
}
