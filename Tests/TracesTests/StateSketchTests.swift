import HistoryTypes
import TestSupport
import Testing

@testable import Traces

@Suite struct `State sketches` {
  private func header(_ change: (inout PlanHeader) -> Void = { _ in }) -> PlanHeader {
    var header = PlanHeader(
      model: Model(unchecked: []),
      actors: ["app", "widget"].map { PlannedActor(ActorID($0), author: $0) }
    )
    header.consumers = ["mirror"]
    change(&header)
    return header
  }

  private func equivalence(
    _ header: PlanHeader,
    clipsAges: Bool = true,
    now: Double = 1_000,
    _ add: (inout StateSketch) -> Void
  ) -> UInt64 {
    var state = StateSketch(header)
    state.restart(at: now)
    add(&state)
    return state.equivalence(StateEquivalence(header, clipsAges: clipsAges))
  }

  @Test func `Only the order of numbers, keys and times matters`() {
    func state(_ numbers: [Int64], _ keys: [Int64], _ times: [Double], now: Double) -> UInt64 {
      equivalence(header(), now: now) { state in
        for number in numbers { state.add(number: number) }
        for key in keys { state.add(ObjectName("Item", key)) }
        for time in times { state.add(time: time) }
      }
    }
    let one = state([1, 3, 1], [5, 2], [990, 995], now: 1_000)
    #expect(state([4, 9, 4], [3, 1], [1_992, 1_993], now: 2_000) == one)
    #expect(state([4, 9, 9], [3, 1], [1_992, 1_993], now: 2_000) != one)
    #expect(state([4, 9, 4], [1, 3], [1_992, 1_993], now: 2_000) != one)
    #expect(state([4, 9, 4], [3, 1], [1_993, 1_992], now: 2_000) != one)
  }

  @Test func `A time counts by its age, in hours up to a week unless the clock may turn back`() {
    func state(_ age: Double, clipsAges: Bool) -> UInt64 {
      equivalence(header(), clipsAges: clipsAges, now: 1e9) { $0.add(time: 1e9 - age) }
    }
    let day = 86_400.0
    #expect(state(2, clipsAges: true) == state(3, clipsAges: true))
    #expect(state(2, clipsAges: true) != state(2 * day, clipsAges: true))
    #expect(state(8 * day, clipsAges: true) == state(16 * day, clipsAges: true))
    #expect(state(8 * day, clipsAges: false) != state(16 * day, clipsAges: false))
  }

  @Test func `Only the equality of values matters`() {
    func state(_ values: [Int64]) -> UInt64 {
      equivalence(header()) { state in for value in values { state.add(.int(value)) } }
    }
    #expect(state([7, 9, 7]) == state([2, 1, 2]))
    #expect(state([7, 9, 7]) != state([2, 1, 1]))
  }

  @Test func `With a transaction limit the distance from the newest matters`() {
    func state(_ numbers: [Int64], isLimited: Bool) -> UInt64 {
      let header = header { if isLimited { $0.retention = PlannedRetention(transactions: 1) } }
      return equivalence(header) { state in for number in numbers { state.add(number: number) } }
    }
    #expect(state([1, 2], isLimited: false) == state([1, 9], isLimited: false))
    #expect(state([1, 2], isLimited: true) != state([1, 9], isLimited: true))
    #expect(state([1, 2], isLimited: true) == state([8, 9], isLimited: true))
  }

  @Test func `Only actors with the same configuration are interchangeable`() {
    func state(_ header: PlanHeader, _ one: ActorID, _ other: ActorID) -> UInt64 {
      equivalence(header) { state in
        state.add(author: one.name)
        state.add(members: one == "app" ? 0b101 : 0b110)
        state.enter(one)
        state.add(number: 1)
        state.enter(other)
        state.add(number: 2)
      }
    }
    let plain = header()
    #expect(state(plain, "app", "widget") == state(plain, "widget", "app"))
    let late = header { $0.actors[1].launched = false }
    #expect(state(late, "app", "widget") == state(late, "widget", "app"))
    let skewed = header { $0.actors[1].ignores = ["app"] }
    #expect(state(skewed, "app", "widget") != state(skewed, "widget", "app"))
  }

  @Test func `An author shared by two actors identifies neither of them`() {
    let shared = header { $0.actors[1].author = "app" }
    let one = equivalence(shared) { state in
      state.enter(author: "app")
      state.add(1)
    }
    let two = equivalence(shared) { state in
      state.enter("app")
      state.add(1)
    }
    #expect(one != two)
  }

  @Test func `State is attributed to its actor`() {
    func state(_ first: ActorID, _ second: ActorID) -> UInt64 {
      equivalence(header()) { state in
        state.enter(first)
        state.add(1)
        state.enter(second)
        state.add(2)
      }
    }
    #expect(state("app", "app") != state("app", "widget"))
    #expect(state("app", "mirror") != state("mirror", "app"))
  }

  @Test func `A nested sketch matters, with its numbers ordered among all others`() {
    func state(_ other: Int64, of member: ActorID? = nil) -> UInt64 {
      var added = StateSketch(header())
      added.enter(member)
      added.add(number: other)
      return equivalence(header()) { state in
        for number in [2, 4] as [Int64] { state.add(number: number) }
        state.enter("widget")
        state.add(added)
        state.add(1)
      }
    }
    #expect(state(1) != state(2))
    #expect(state(2) != state(3) && state(3) != state(4))
    #expect(state(5) == state(6))
    #expect(state(2, of: "app") != state(2))
    #expect(state(2, of: "app") != state(2, of: "mirror"))
  }

  @Test func `Digests of similar states differ`() {
    func digest(_ number: Int64) -> UInt64 {
      var state = StateSketch(header())
      state.add(number: number)
      return state.digest
    }
    #expect(digest(1) != digest(2))
    #expect(digest(1) == digest(1))
  }
}
