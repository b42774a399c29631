extension Connection {
  /// Returns the URI with which SQLite opens an immutable file, with special bytes escaped.
  ///
  /// See https://sqlite.org/uri.html.
  static func immutableURI(of path: String) -> String {
    // Two leading slashes would be parsed as an authority, that is another machine.
    let beginning = path.hasPrefix("//") ? "//" : ""
    let escaped = path.utf8.map { byte in
      isPlain(byte) ? String(UnicodeScalar(byte)) : "%" + hexadecimal(byte)
    }
    return "file:" + beginning + escaped.joined() + "?immutable=1"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "/", "-", ".", "_", "~": true
    default: false
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }
}
