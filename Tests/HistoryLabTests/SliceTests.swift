import Campaigns
import Checkers
import Foundation
import LabFixtures
import Simulation
import Systems
import Testing
import Traces
import Workloads

@testable import Commands
@testable import HistoryLab

@Suite struct `Slices of an exploration` {
  /// Systems with a condition each, and a length up to which every plan runs quickly.
  private static let small: [(depth: Int, Condition, system: String)] = [
    (3, .lateJoin, "tracker"), (2, .crash, "tracker"), (3, .clockBack, "article"),
    (2, .sameAuthorTwice, "article"), (2, .ties, "article-eager"), (3, .steady, "greatest-cursor"),
    (2, .hookFailure, "tracker"), (2, .lostNotification, "tracker"), (2, .mirrorLag, "article"),
    (2, .powerOff, "tracker"),
  ]

  private static func task(
    _ place: Int,
    states: Int = 10_000,
    deeper: Int = 0
  ) throws -> ExploreTask {
    let (depth, condition, name) = small[place]
    return ExploreTask(
      system: try #require(LabSystem.named(name)),
      condition: condition,
      scope: ExploreScope(actors: 2, depth: depth + deeper),
      stateCountMax: states,
      versions: [:]
    )
  }

  /// Explores all slices of all lengths; those of a length run in reversed order.
  private static func divided(_ task: ExploreTask, into count: Int) throws -> ExplorationRounds {
    var rounds = ExplorationRounds()
    for _ in 0...task.scope.depth where rounds.isOpen {
      let slices = try (1...count).reversed().map { index in
        try task.explorer(keepingMoves: false, knowing: nil)
          .explore(slice: index, of: count, after: rounds)
      }
      let isAdded = rounds.add(slices.reversed())
      #expect(isAdded)
    }
    return rounds
  }

  private static func lengths(_ exploration: Exploration) -> [Int: Int] {
    exploration.broken.mapValues(\.commands.count)
  }

  @Test(arguments: 0..<10)
  func `Joined slices find what one exploration finds`(_ place: Int) throws {
    let task = try Self.task(place)
    let whole = try task.explorer(keepingMoves: false, knowing: nil).explore()
    for count in [1, 3, 7] {
      let joined = try Self.divided(task, into: count).exploration(to: task.scope.depth)
      #expect(joined.stateCount == whole.stateCount, "\(count) slices")
      #expect(joined.planCount == whole.planCount)
      #expect(joined.moveCount == whole.moveCount)
      #expect(Self.lengths(joined) == Self.lengths(whole))
      #expect(joined.exercised == whole.exercised)
      #expect(joined.ending == .complete && joined.depth == whole.depth)
      if count == 1 { #expect(joined.broken == whole.broken) }
    }
  }

  @Test func `Every state is continued in one slice`() throws {
    let task = try Self.task(0)
    var rounds = try Self.divided(try Self.task(0, deeper: -1), into: 2)
    let slices = try (1...3).map {
      try task.explorer(keepingMoves: false, knowing: nil).explore(slice: $0, of: 3, after: rounds)
    }
    let from = slices.map { Set($0.moves.map(\.from)) }
    #expect(from.allSatisfy { !$0.isEmpty })
    #expect(Set(from.joined()).count == from.map(\.count).reduce(0, +))
    // A slice for other states is refused, and changes nothing.
    let other = ExplorationSlice(
      knownCount: slices[0].knownCount - 1,
      states: [],
      moves: [],
      commands: [],
      exploration: Exploration()
    )
    let isOtherAdded = rounds.add([slices[0], other])
    #expect(!isOtherAdded && rounds.length == task.scope.depth - 1)
    let isAdded = rounds.add(slices)
    #expect(isAdded && rounds.length == task.scope.depth)
  }

  @Test func `A state that is another one in this process is refused`() throws {
    let task = try Self.task(0)
    let first = try task.explorer(keepingMoves: false, knowing: nil)
      .explore(slice: 1, of: 1, after: ExplorationRounds())
    let other = ExplorationSlice(
      knownCount: 0,
      states: first.states.map {
        ExplorationSlice.State(
          root: $0.root,
          parent: -1,
          command: -1,
          equivalence: $0.equivalence ^ 1
        )
      },
      moves: [],
      commands: [],
      exploration: Exploration()
    )
    var rounds = ExplorationRounds()
    let isAdded = rounds.add([other])
    #expect(isAdded)
    do throws(SystemFailure) {
      _ = try task.explorer(keepingMoves: false, knowing: nil)
        .explore(slice: 1, of: 1, after: rounds)
      Issue.record("another state was continued")
    } catch {
      #expect(error.message.contains("A plan without commands led to a different state"))
    }
  }

  @Test func `The limit of states ends a divided exploration after the last complete length`()
    throws
  {
    let whole = try Self.task(0, states: 60, deeper: 1)
      .explorer(keepingMoves: false, knowing: nil).explore()
    #expect(whole.ending == .outOfStates && whole.depth > 0)
    for count in [1, 4] {
      let task = try Self.task(0, states: 60, deeper: 1)
      let joined = try Self.divided(task, into: count).exploration(to: task.scope.depth)
      #expect(joined.ending == .outOfStates && joined.depth >= whole.depth)
      if count == 1 {
        #expect((joined.depth, joined.planCount) == (whole.depth, whole.planCount))
      }
    }
    let unfinished = try Self.divided(try Self.task(0), into: 2).exploration(to: 9)
    #expect(unfinished.ending == .stopped && unfinished.depth == 3)
  }

  // MARK: Files

  private func lab(_ line: String) async -> (code: ExitCode, output: String, errors: String) {
    await run(line.split(separator: " ").map(String.init), composition: .current)
  }

  private func cards(_ folder: String) throws -> CardsDocument {
    let data = try #require(FileManager.default.contents(atPath: "\(folder)/latest/cards.json"))
    return try JSONDecoder().decode(CardsDocument.self, from: data)
  }

  /// Explores all slices of the lengths, each into a folder of its own below `folder`.
  private func explore(
    _ line: String,
    lengths: ClosedRange<Int>,
    slices: Int,
    in folder: String
  ) async throws {
    for length in lengths {
      for index in (1...(length == 0 ? 1 : slices)).reversed() {
        let output = "\(folder)/\(length)-\(index)"
        let slice = length == 0 ? "" : " --slice \(index)/\(slices)"
        let result = await lab(
          "\(line) --length \(length)\(slice) --slices \(folder) --output \(output)"
        )
        #expect(result.code == .good, "\(result.errors)")
        #expect(result.output.hasPrefix("Slice \(index)/\(length == 0 ? 1 : slices) of length"))
      }
    }
  }

  /// Command lines with the greatest length; the second one has plans with two headers.
  private static let lines: [(words: String, depth: Int)] = [
    ("--system article --system tracker --conditions ties,steady,clock-back --depth 2", 2),
    ("--system tracker --conditions power-off,retention --depth 2", 2),
    ("--system greatest-cursor --conditions steady --depth 3", 3),
  ]

  @Test(arguments: 0..<3)
  func `Slices in files join to the card of one exploration`(_ place: Int) async throws {
    let (words, depth) = Self.lines[place]
    let line = "explore --actors 2 \(words)"
    try await withFolder { folder in
      let plain = await lab("\(line) --sample-states --output \(folder)/plain")
      let rounds = folder + "/rounds"
      try FileManager.default.createDirectory(atPath: rounds, withIntermediateDirectories: false)
      try await explore(line + " --sample-states", lengths: 0...depth, slices: 3, in: rounds)
      let joined = await lab("\(line) --slices \(rounds) --output \(folder)/joined")
      #expect(joined.code == plain.code, "\(joined.errors)")
      #expect(plain.code == (words.contains("power-off") ? .good : .violation))
      let (one, all) = (try cards(folder + "/plain"), try cards(folder + "/joined"))
      #expect(one.verdict == all.verdict)
      for (left, right) in zip(one.systems, all.systems) {
        #expect(left.because == right.because && left.cells.count == right.cells.count)
        for (left, right) in zip(left.cells, right.cells) {
          #expect(left.key == right.key && left.result == right.result)
          #expect((left.depth, left.plans, left.states) == (right.depth, right.plans, right.states))
          #expect(left.length == right.length && left.isLeast == right.isLeast)
        }
      }
      // The samples of the slices have all states, so the joined exploration has none of its own.
      let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      var samples: [Substring: StateSample] = [:]
      for file in files where file.hasSuffix("-explore/states.json") {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))
        let sample = try JSONDecoder().decode(StateSample.self, from: data)
        samples[file.prefix { $0 != "/" }, default: StateSample()].add(sample)
      }
      #expect(Set(samples.keys) == ["plain", "rounds"])
      let counts = samples.mapValues { StateEstimate($0).distinct }
      #expect(counts["plain"] == counts["rounds"] && (counts["plain"] ?? 0) > 20)
    }
  }

  @Test func `Missing lengths leave the shorter ones, with an unknown result`() async throws {
    let line = "explore --system greatest-cursor --conditions steady --actors 2 --depth 3"
    try await withFolder { folder in
      let rounds = folder + "/rounds"
      try FileManager.default.createDirectory(atPath: rounds, withIntermediateDirectories: false)
      try await explore(line, lengths: 0...2, slices: 2, in: rounds)
      let joined = await lab("\(line) --slices \(rounds) --output \(folder)/joined")
      #expect(joined.code == .undecided, "\(joined.errors)")
      let cells = try cards(folder + "/joined").systems[0].cells
      #expect(cells.allSatisfy { $0.result == .unknown && $0.depth == 2 && $0.states > 10 })
      try FileManager.default.removeItem(atPath: rounds + "/2-1")
      let refused = await lab(
        "\(line) --length 3 --slices \(rounds) --output \(folder)/refused"
      )
      #expect(refused.code == .usage)
      #expect(refused.errors.contains("slices of length 2 are missing in"), "\(refused.errors)")
    }
  }

  /// Changes to the files of the lengths 0 and 1, with a part of the error.
  private static let damages: [(expected: String, change: @Sendable (_ file: URL) throws -> Void)] =
    [
      (
        "it is not a whole slice of an exploration. Remove it",
        { file in try Data(contentsOf: file).dropLast(3).write(to: file) }
      ),
      (
        "it is not a whole slice of an exploration. Remove it",
        { file in
          var data = try Data(contentsOf: file)
          data[data.endIndex - 1] ^= 1
          try data.write(to: file)
        }
      ),
      (
        "it is not a whole slice of an exploration. Remove it",
        { file in try Data("{}\n".utf8).write(to: file) }
      ),
      (
        "it is a slice of version 7; this program",
        { file in try replace("Slice\":1", "Slice\":7", file) }
      ),
      (
        "another build of history-lab wrote it (the build:",
        { file in try replace("\"build\":\"", "\"build\":\"x", file) }
      ),
      (
        "it contains slice 2/2 of length 1",
        { file in try replace("\"index\":1", "\"index\":2", file) }
      ),
      (
        "it was made from slices of length 0 that differ from those in the folder",
        { file in try replace("\"after\":[\"", "\"after\":[\"0", file) }
      ),
      (
        "has changed since the file was written",
        { file in try replace("\"alphabets\":[\"", "\"alphabets\":[\"0", file) }
      ),
      (
        "slice 1/2 of length 1 has two files",
        { file in
          let folder = file.deletingLastPathComponent().deletingLastPathComponent()
          try FileManager.default.copyItem(
            at: file,
            to: folder.appending(path: file.lastPathComponent)
          )
        }
      ),
      (
        "length 1 is divided into 2 and 3 slices",
        { file in
          let other = file.deletingLastPathComponent().appending(path: "slice-1-1-of-3.bin")
          try FileManager.default.copyItem(at: file, to: other)
        }
      ),
    ]

  private static func replace(_ text: String, _ other: String, _ file: URL) throws {
    var data = try Data(contentsOf: file)
    let place = try #require(data.range(of: Data(text.utf8)))
    data.replaceSubrange(place, with: Data(other.utf8))
    try data.write(to: file)
  }

  @Test func `Files that do not belong to the exploration are refused by name`() async throws {
    let line = "explore --system greatest-cursor --conditions steady --actors 1 --depth 2"
    try await withFolder { folder in
      let rounds = folder + "/rounds"
      try FileManager.default.createDirectory(atPath: rounds, withIntermediateDirectories: false)
      try await explore(line, lengths: 0...1, slices: 2, in: rounds)
      func next(_ line: String, _ rounds: String) async -> (code: ExitCode, errors: String) {
        let result = await lab(
          "\(line) --length 2 --slice 1/2 --slices \(rounds) --output \(folder)/next"
        )
        return (result.code, result.errors)
      }
      for (number, (expected, change)) in Self.damages.enumerated() {
        let copy = "\(folder)/copy-\(number)"
        try FileManager.default.copyItem(atPath: rounds, toPath: copy)
        let run = URL(fileURLWithPath: copy + "/1-1/latest").resolvingSymlinksInPath()
        try change(run.appending(path: "slice-1-1-of-2.bin"))
        let (code, errors) = await next(line, copy)
        #expect(code == .usage && errors.contains(expected), "\(errors)")
        #expect(errors.contains("copy-\(number)"), "\(errors)")
      }
      for (option, expected) in [
        (" --states 7", "--states was 10,000,000 for the file and is 7 now"),
        (" --conditions ties", "file: greatest-cursor under steady, 1 actor to depth 2; now"),
      ] {
        let other =
          option.contains("ties")
          ? line.replacingOccurrences(of: "steady", with: "ties") : line + option
        let (code, errors) = await next(other, rounds)
        #expect(code == .usage && errors.contains(expected), "\(errors)")
      }
      #expect(await next(line, rounds).code == .good)
    }
  }

  @Test(arguments: [
    ("--slice 1/2", "--slice has no effect without --length"),
    ("--length 2", "--length needs --slices"),
    ("--length 9 --slices x", "--length 9 is greater than the depth, 6"),
    ("--length 2 --slices x --card", "--card"), ("--slices x --no-merging", "--no-merging"),
    ("--length 2 --slice 3/2 --slices x", "a part and the number of parts, such as 2/4"),
  ])
  func `Options of slices that do not fit together are refused`(
    _ words: String,
    _ expected: String
  ) async throws {
    let result = await lab("explore \(words)")
    #expect(result.code == .usage && result.errors.contains(expected), "\(result.errors)")
  }
}
