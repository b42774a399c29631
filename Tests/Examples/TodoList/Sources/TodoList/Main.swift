import Foundation
import PersistentHistory

/// A to-do list that any number of processes show and edit at the same time.
@main
struct TodoList {
  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    guard let file = words.first, let process = words.dropFirst().first, words.count == 2 else {
      print(
        "Usage: TodoList FILE NAME. Each process needs a name of its own, such as app or widget."
      )
      exit(64)
    }
    do {
      try await run(TodoStore(file: file, process: process), Screen())
    } catch {
      print("\(file): \(sentence(of: error))")
      exit(70)
    }
  }

  private static func run(_ store: TodoStore, _ screen: Screen) async throws {
    try await store.start()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for try await list in try store.liveTasks(limit: Screen.taskCount) {
          try await screen.show(tasks: list)
        }
      }
      group.addTask {
        for try await list in try store.liveTags() { try await screen.show(tags: list) }
      }
      group.addTask {
        for try await list in try store.liveTaggings() { try await screen.show(taggings: list) }
      }
      group.addTask {
        for await line in typedLines() where try await !perform(line, store, screen) { break }
        throw CancellationError()
      }
      do {
        try await group.waitForAll()
      } catch is CancellationError {
        // The person has quit; the lists end with the group.
        group.cancelAll()
      }
    }
    await store.stop()
  }

  /// Performs a typed line, and returns whether to go on.
  private static func perform(
    _ line: String,
    _ store: TodoStore,
    _ screen: Screen
  ) async throws -> Bool {
    let words = line.split(separator: " ")
    do {
      switch (words.first, words.count) {
      case ("q", 1): return false
      case ("tidy", 1): try store.deleteUnusedTags()
      case ("x", 2): try store.toggle(try await screen.task(words[1]))
      case ("-", 2): try store.delete(try await screen.task(words[1]))
      default: try store.add(line)
      }
      try await screen.show(message: "")
    } catch {
      try await screen.show(message: sentence(of: error))
    }
    return true
  }

  private static func sentence(of error: any Error) -> String {
    switch error {
    case let mistake as Mistake: mistake.sentence
    case let error as HistoryError: error.message
    default: "\(error)"
    }
  }

  /// The lines that are typed, read on a thread of their own: reading blocks.
  private static func typedLines() -> AsyncStream<String> {
    AsyncStream { lines in
      Thread {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
      }.start()
    }
  }
}
