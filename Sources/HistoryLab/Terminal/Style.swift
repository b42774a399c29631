/// The style of a piece of text; the raw values are SGR parameters of ECMA-48.
enum Style: Int, Sendable {
  case bold = 1
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33
  case cyan = 36
}
