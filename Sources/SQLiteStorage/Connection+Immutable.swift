extension Connection {
  /// The name under which SQLite opens a file that does not change, with every byte escaped that
  /// means something in a URI (https://sqlite.org/uri.html).
  static func immutableURI(of path: String) -> String {
    // Two slashes at the beginning would name another machine.
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
