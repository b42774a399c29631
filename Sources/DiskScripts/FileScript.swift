import HistoryInspection
package import HistoryStore
package import HistoryTypes
import ObjectContexts
package import Traces

/// Scripted checks of opening, copying, converting, replacing and destroying the files of a store.
package struct FileScript: DiskStores {
  let store: Store
  let layout: HistoryLayout
  let faults = FailedExpectations()
  /// The transactions of the store file `original`, one line each.
  var lines: [String] = []
  var token: HistoryToken?

  package init(store: Store, seed: Int) {
    self.store = store
    layout = ScriptRandom(seed).layout
  }

  /// The entities of the program's model.
  ///
  /// The model of a store that a newer program has created also contains entities that the program
  /// does not declare, and whose objects it cannot read.
  var entities: [Entity] { store.model.entities.filter(\.isDeclared) }

  /// Reads, changes and converts the store file `original`, and replaces and deletes a copy of it.
  ///
  /// - Returns: the unmet expectations, and the plan's objects in the copy with all their values.
  package mutating func run(
    _ folder: borrowing ScratchFolder,
    _ names: [ObjectID: ObjectName]
  ) -> [String] {
    var lines: [String] = []
    do throws(HistoryError) {
      try lockMembers(folder)
      try read(folder)
      try change(folder)
      try convert(folder)
      try inspect(folder)
      try refuseForeignFiles(folder)
      try replace(folder)
      lines = try objects(folder, names)
      try track(folder)
      try destroy(folder)
    } catch {
      faults.append("an error ended the script: \(error)")
    }
    expectClosed(folder)
    return faults.lines + lines
  }

  mutating func lockMembers(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("original")
    var configurations = [configuration(), configuration()]
    for index in configurations.indices { configurations[index].processID = "process \(index)" }
    let first = try Store(path: path, configuration: configurations[0])
    let second = try Store(path: path, configuration: configurations[1])
    var held: Registration? = try first.join("app", author: "app")
    expect(held?.isHeld == true, "a running member holds no lock")
    expect(held == held?.released, "a registration differs from itself after its lock was released")
    let file = "original-member-app"
    expect(folder.names.contains(file), "a running member has no lock file")
    let owner = folder.text(of: file) ?? ""
    expect(
      Int(owner.dropLast()) != nil && owner.last == "\n",
      "the lock file contains \(owner), not a process number"
    )
    do throws(HistoryError) {
      _ = try second.join("app", author: "app")
      faults.append("a second process joined as a running member")
    } catch {
      let names = "\(error)".contains(owner.dropLast())
      expect(
        error.code == .inUse && names,
        "the error of a second process of a member is wrong: \(error)"
      )
    }
    held = nil
    expect(!folder.names.contains(file), "the lock file of a member remains after its end")
    let again = try second.join("app", author: "app")
    expect(again.isHeld && !again.isNew, "a member that runs again holds no lock, or counts as new")
    let difference = try second.members().first { $0.id == "app" }
    expect(
      difference?.processID == "process 1",
      "the registry has the wrong process ID for the member"
    )
    for author in ["one", "two"] {
      var declared = MemberConfiguration()
      declared.authors = [author]
      try second.retire(try second.join(MemberID(author), declaring: declared))
    }
    for author in ["one", "two"] {
      let member = try second.members().first { $0.id == MemberID(author) }
      expect(
        member?.configuration.authors == [author],
        "the registry has the wrong authors for the member \(author)"
      )
      expect(try second.forget(MemberID(author)), "the member \(author) is not in the registry")
    }
  }

  /// Opens files that a store must refuse: a text, another program's database, a newer library's store.
  mutating func refuseForeignFiles(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let text = String(repeating: "no store ", count: 200)
    folder.write(text, to: "text")
    // SQLite's file header has the application ID at the offset 68, and the user version at 60.
    folder.copy("original", to: "foreign", setting: 7, at: 68)
    folder.copy("original", to: "newer", setting: 1_000, at: 60)
    let (configuration, model, source) = (configuration(), store.model, folder.file("original"))
    let codes: [(String, HistoryError.Code)] = [
      ("text", .sqlite), ("foreign", .foreignFile), ("newer", .newerFormat),
    ]
    for (name, code) in codes {
      let path = folder.file(name)
      expect(code, of: "to open a \(name) file") { () throws(HistoryError) in
        _ = try Store(path: path, model: model, configuration: configuration)
      }
      expect(code, of: "to delete a \(name) file") { () throws(HistoryError) in
        try Store.destroy(path: path)
      }
      expect(code, of: "to copy a \(name) file") { () throws(HistoryError) in
        try Store.replace(path: path + "-copy", with: path)
      }
      expect(code, of: "to replace a \(name) file") { () throws(HistoryError) in
        try Store.replace(path: path, with: source)
      }
      let left = folder.names.filter { $0.hasPrefix(name) }
      expect(left == [name], "after the refusals of a \(name) file, there are the files \(left)")
    }
    expect(folder.text(of: "text") == text, "the refused text file has changed")
    let missing = folder.file("missing")
    expect(.sqlite, of: "to open a missing file without a model") { () throws(HistoryError) in
      _ = try Store(path: missing, configuration: configuration)
    }
    expect(.unreadable, of: "to read a missing file") { () throws(HistoryError) in
      _ = try Store(reading: missing)
    }
    expect(!folder.names.contains("missing"), "a failed open has created a file")
  }

  /// Reads a private copy of the open store; later writes to the store must not change the copy.
  mutating func read(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("original")
    let live = try Store(path: path, configuration: configuration())
    var number = try insert(into: live)
    let copied = try Store(reading: path, copyingTo: folder.path)
    expect(
      try history(copied) == history(live),
      "the history of a private copy differs from that of the open store"
    )
    expect(copied.id == live.id, "a private copy has another store ID")
    expect(.openForReading, of: "a write to a store that is open for reading") {
      () throws(HistoryError) in
      _ = try copied.join("app")
    }
    number = try insert(into: live)
    expect(
      try copied.currentToken().number == number - 1,
      "a private copy has changed together with the store"
    )
    expect(.cannotCopy, of: "a private copy whose progress closure throws") {
      () throws(HistoryError) in
      _ = try Store(reading: path, copyingTo: folder.path, stopCheck: { _ in 1 })
    }
    lines = try history(live)
    token = try live.currentToken()
  }

  /// Opens the closed store for reading, changes its file, and checks that later requests fail.
  ///
  /// The closed store has no WAL file.
  mutating func change(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("original")
    let stopped = try Store(reading: path, copyingTo: folder.path, stopCheck: { _ in 1 })
    expect(.sqlite, of: "a request whose progress closure throws") { () throws(HistoryError) in
      _ = try stopped.query(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) "
          + "SELECT sum(i) FROM n"
      )
    }
    let reading = try Store(reading: path, copyingTo: folder.path)
    expect(try history(reading) == lines, "the history of a closed file has changed")
    let live = try Store(path: path, configuration: configuration())
    try insert(into: live)
    expect(.unreadable, of: "to query a file that has changed since it was opened for reading") {
      () throws(HistoryError) in
      _ = try reading.currentToken()
    }
    expect(.unreadable, of: "to fetch from a file that has changed since it was opened for reading")
    { () throws(HistoryError) in
      _ = try reading.fetch(HistoryRequest(after: nil))
    }
    lines = try history(live)
    token = try live.currentToken()
  }

  /// Returns the plan's objects in the store file `copy`, one line each with the values.
  ///
  /// Objects that the checks have inserted are left out. A reference is shown as the number in the
  /// name of the object that it refers to.
  func objects(
    _ folder: borrowing ScratchFolder,
    _ names: [ObjectID: ObjectName]
  ) throws(HistoryError) -> [String] {
    let copy = try Store(path: folder.file("copy"), configuration: configuration())
    let context = ObjectContext(store: copy, author: nil, name: "query")
    var lines: [String] = []
    for entity in copy.model.entities {
      for object in try context.objects(entity.name) {
        guard let name = names[object.id] else { continue }
        let values = try entity.attributes.map { attribute throws(HistoryError) in
          let value = try object[attribute.name] ?? .null
          return destination(of: attribute, value, in: copy.model).flatMap { names[$0] }
            .map { .int($0.key) } ?? value
        }
        lines.append(QueryAnswer.line(name, values))
      }
    }
    return lines.sorted()
  }

  /// Opens a store without history tracking, and then again with history tracking.
  mutating func track(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("untracked")
    var configuration = configuration()
    configuration.tracksHistory = false
    do {
      let store = try Store(path: path, model: store.model, configuration: configuration)
      expect(.untracked, of: "a fetch from a store without history tracking") {
        () throws(HistoryError) in
        _ = try store.currentToken()
      }
      try insert(into: store)
    }
    do {
      let tracked = try Store(path: path, configuration: self.configuration())
      expect(
        try tracked.currentToken().number == 0,
        "a write from before history tracking is in history"
      )
      expect(try insert(into: tracked) == 1, "the first transaction is not #1")
    }
    let untracked = try Store(path: path, configuration: configuration)
    let name = entities[0].name
    expect(.readOnly, of: "a write without history tracking to a file with history") {
      () throws(HistoryError) in
      let context = ObjectContext.retaining(untracked, author: nil, name: "view")
      _ = try context.insert(name)
      try context.save()
    }
    if entities.count > 1, let model = try? Model([entities[1]]) {
      let configuration = self.configuration()
      expect(.otherModel, of: "to open the file with another model") { () throws(HistoryError) in
        _ = try Store(path: path, model: model, configuration: configuration)
      }
    }
  }

  /// Deletes the copied store and all files that belong to the copy.
  mutating func destroy(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    try insert(into: try Store(path: folder.file("copy"), configuration: configuration()))
    folder.write("1\n", to: "copy-member-gone")
    folder.write("", to: "copying")
    expect(folder.names.contains("copy-signal"), "a store that is open has no signal file")
    try Store.destroy(path: folder.file("copy"))
    let left = folder.names.filter { $0.hasPrefix("copy") }
    expect(left == ["copying"], "after the deletion of a store, its folder contains \(left)")
    expect(folder.names.contains("original"), "the deletion of a copy has deleted its source")
    expect(.sqlite, of: "to delete a store that does not exist") {
      [path = folder.path] () throws(HistoryError) in
      try Store.destroy(path: path + "/copy")
    }
  }
}
