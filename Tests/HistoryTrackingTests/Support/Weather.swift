/// What hooks throw here.
struct Rain: Error {}

/// Something that fails until it clears up.
actor Weather {
  private var isClear = false

  func check() throws {
    if !isClear { throw Rain() }
  }

  func clear() { isClear = true }
}
