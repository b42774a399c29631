import CSQLite
import Faults
import Testing

struct ImageTests {
  let files = HeapFileSystem()

  @Test func `A template gives any number of fresh stores in WAL mode`() throws {
    let template = try HeapFileSystem.template()
    for number in 1...3 { files.install(template, at: "\(number).store") }
    let one = try Connection("1.store", on: files)
    try one.run("INSERT INTO item VALUES (1, 1)")
    let two = try Connection("2.store", on: files)
    #expect(try two.run("PRAGMA journal_mode") == ["wal"])
    #expect(try two.items == [])
    #expect(files.image(of: "3.store") == template)
    #expect(files.image(of: "4.store") == nil)
  }

  @Test func `A snapshot restores exactly the files of its moment`() throws {
    let connection = try Connection.store(on: files)
    try connection.run("INSERT INTO item VALUES (1, 1)")
    let before = files.snapshot()
    try connection.run("INSERT INTO item VALUES (2, 2); PRAGMA wal_checkpoint(TRUNCATE)")
    _ = try Connection.store("other.store", on: files)
    #expect(files.snapshot() != before)
    files.restore(before)
    #expect(files.snapshot() == before)
    #expect(before.byteCount == before.files.values.reduce(32 << 10) { $0 + $1.bytes.count })
  }

  @Test func `A differential image restores exactly the files of its moment`() throws {
    let template = try HeapFileSystem.template()
    files.install(template, at: "app.store")
    let base = files.snapshot()
    let connection = try Connection("app.store", on: files)
    #expect(try connection.items == [])
    var moments: [(whole: FileSystemImage, sparse: SparseImage, items: [String])] = []
    for number in 1...20 {
      try connection.run("INSERT INTO item VALUES (\(number), \(number))")
      if number == 12 { try connection.run("PRAGMA wal_checkpoint(TRUNCATE)") }
      moments.append((files.snapshot(), files.snapshot(sharing: base), try connection.items))
    }
    for moment in moments + moments.reversed() {
      files.restore(moment.sparse)
      #expect(files.snapshot() == moment.whole)
      #expect(try connection.items == moment.items)
      #expect(moment.sparse.byteCount < moment.whole.byteCount / 5)
    }
    files.restore(base)
    files.restore(files.snapshot(sharing: FileSystemImage(files: [:])))
    #expect(try connection.items == [])
  }

  @Test func `Open connections see the restored content at their next statement`() throws {
    let one = try Connection.store(on: files)
    let other = try Connection("app.store", on: files)
    try one.run("INSERT INTO item VALUES (1, 1)")
    #expect(try other.items == ["1|1"])
    let before = files.snapshot()
    for number in 2...40 { try one.run("INSERT INTO item VALUES (\(number), zeroblob(2000))") }
    try other.run("DELETE FROM item WHERE id < 20; CREATE TABLE extra (n)")
    files.restore(before)
    #expect(try one.items == ["1|1"])
    try other.run("INSERT INTO item VALUES (2, 20)")
    #expect(try one.items == ["1|1", "2|20"])
    #expect(one.code("SELECT * FROM extra") == SQLITE_ERROR)
    #expect(try one.run("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `Every snapshot of a long run restores under the same connections`() throws {
    let connections = try [Connection.store(on: files), Connection("app.store", on: files)]
    try connections[0].run("PRAGMA wal_autocheckpoint = 7")
    var moments: [(image: FileSystemImage, items: [String])] = []
    for number in 1...60 {
      try connections[number % 2].run("INSERT INTO item VALUES (\(number), \(number))")
      moments.append((files.snapshot(), try connections[0].items))
    }
    for step in 0..<200 {
      let moment = moments[step * 37 % moments.count]
      files.restore(moment.image)
      #expect(try connections[step % 2].items == moment.items)
      try connections[(step + step / 7) % 2].run("INSERT INTO item VALUES (1000, \(step % 3))")
      #expect(try connections[(step + 1) % 2].items == moment.items + ["1000|\(step % 3)"])
    }
    #expect(try connections[1].run("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `A removed store is restored for a connection that still has it open`() throws {
    let template = try HeapFileSystem.template()
    files.install(template, at: "app.store")
    let empty = files.snapshot()
    let connection = try Connection("app.store", on: files)
    try connection.run("INSERT INTO item VALUES (1, 1)")
    files.restore(empty)
    #expect(try connection.items == [])
    #expect(files.image(of: "app.store") == template)
  }

  @Test func `A snapshot inside a transaction restores the state after a crash`() throws {
    let crashed = try {
      let connection = try Connection.store(on: files)
      try connection.run("INSERT INTO item VALUES (1, 1); PRAGMA cache_size = 5")
      try connection.run("BEGIN; INSERT INTO item VALUES (2, zeroblob(200000))")
      return files.snapshot()
    }()
    files.restore(crashed)
    let connection = try Connection("app.store", on: files)
    #expect(try connection.items == ["1|1"])
    #expect(try connection.run("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `Restoring under an open transaction ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let files = HeapFileSystem()
      let connection = try Connection.store(on: files)
      let image = files.snapshot()
      try connection.run("BEGIN; SELECT * FROM item")
      files.restore(image)
    }
  }

  @Test func `Installing under an open connection ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let files = HeapFileSystem()
      let connection = try Connection.store(on: files)
      files.install(FileImage(bytes: []), at: "app.store")
      _ = try connection.items
    }
  }
}
