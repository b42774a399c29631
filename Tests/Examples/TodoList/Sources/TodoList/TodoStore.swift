import Foundation
import PersistentHistory

/// A mistake of the person at the keyboard, as a sentence.
struct Mistake: Error {
  let sentence: String
}

/// The list in one process: a view of the shared file, kept up to date by a tracker.
struct TodoStore: Sendable {
  let view: ObjectContext
  private let tracker: HistoryTracker

  /// Returns the model: tasks with unique titles, and tags that tasks share.
  ///
  /// A `Tagging` is one tag of one task, and is deleted with either of them.
  private static func makeModel() throws -> Model {
    try Model([
      Entity(
        "Task",
        [
          Attribute("title", .string, isOptional: false),
          Attribute("done", .bool, isOptional: false, defaultValue: false),
          Attribute("created", .date, isOptional: false),
        ],
        indexes: [["done", .descending("created")]],
        uniquenessConstraints: [["title"]]
      ),
      Entity(
        "Tag",
        [Attribute("name", .string, isOptional: false)],
        uniquenessConstraints: [["name"]]
      ),
      Entity("Tagging", linking: ("task", to: "Task"), with: ("tag", to: "Tag")),
    ])
  }

  /// Opens the file; `process` is the name of this process, which no other may have.
  init(file: String, process: String) throws {
    let store = try Store(path: file, model: Self.makeModel())
    view = ObjectContext(store: store, author: process, name: "view", mergePolicy: .objectWins)
    tracker = HistoryTracker(MemberID(process), store: store, contexts: [view])
  }

  /// Merges what other processes have written, from now on at each of their commits.
  func start() async throws {
    try await tracker.start()
  }

  func stop() async {
    await tracker.stop()
  }

  /// The tasks on the screen: the open ones first, each group with the newest first.
  func liveTasks(limit: Int) throws -> LiveObjects {
    try view.liveObjects("Task", sortedBy: ["done", .descending("created")], limit: limit)
  }

  func liveTags() throws -> LiveObjects {
    try view.liveObjects("Tag", sortedBy: ["name"])
  }

  func liveTaggings() throws -> LiveObjects {
    try view.liveObjects("Tagging")
  }

  /// Adds a task; words that begin with `#` are its tags.
  func add(_ line: String) throws {
    let words = line.split(separator: " ")
    let title = words.filter { !$0.hasPrefix("#") }.joined(separator: " ")
    guard !title.isEmpty else { throw Mistake(sentence: "A task needs a title.") }
    guard try view.count("Task", where: .compare("title", .equal, .string(title))) == 0 else {
      throw Mistake(sentence: "\(title) is on the list already.")
    }
    let tags = try words.filter { $0.hasPrefix("#") && $0 != "#" }.map {
      try tag(String($0.dropFirst()))
    }
    let task = try view.insert("Task", ["title": .string(title), "created": .date(Date())])
    try task.setObjects(tags, linkedBy: "Tagging")
    try save()
  }

  /// Marks a task as done, or as open again.
  func toggle(_ task: StoredObject) throws {
    let isDone = try task["done"]?.bool ?? false
    try task.set(.bool(!isDone), for: "done")
    try save()
  }

  func delete(_ task: StoredObject) throws {
    task.delete()
    try save()
  }

  /// Deletes the tags that no task has.
  func deleteUnusedTags() throws {
    for tag in try view.objects("Tag") where try tag.objects(linkedBy: "Tagging").isEmpty {
      tag.delete()
    }
    try save()
  }

  /// Returns the tag with a name, and adds it if there is none.
  ///
  /// If another process adds it at the same moment, both get the same tag.
  private func tag(_ name: String) throws -> StoredObject {
    func find() throws -> StoredObject? {
      try view.objects("Tag", where: .compare("name", .equal, .string(name)), limit: 1).first
    }
    if let known = try find() { return known }
    try view.insert("Tag", ["name": .string(name)])
    try save()
    guard let made = try find() else { throw Mistake(sentence: "#\(name) was deleted meanwhile.") }
    return made
  }

  /// Saves, or gives the edits up: the list then shows what is in the file.
  private func save() throws {
    do {
      try view.save()
    } catch {
      view.rollback()
      throw error
    }
  }
}
