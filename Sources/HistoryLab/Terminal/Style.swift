/// How a piece of text stands out; the numbers are those of ECMA-48.
enum Style: Int, Sendable {
  case bold = 1
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33
  case cyan = 36
}
