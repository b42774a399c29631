/// The error that hooks throw.
struct Rain: Error {}

/// A hook that throws until a test lets it succeed.
actor Weather {
  private var isClear = false

  func check() throws {
    if !isClear { throw Rain() }
  }

  func clear() { isClear = true }
}
