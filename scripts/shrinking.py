"""Runs Hypothesis on what ShrinkingTable runs our engine on, and prints both as Markdown.

Usage: shrinking.py ROWS SEEDS TOY_SEEDS. ROWS is the file with ShrinkingTable's lines of
JSON; SEEDS is how many seeds Hypothesis gets for each challenge, TOY_SEEDS for each mistake of the toy.
"""

import json
import random
import sqlite3
import statistics
import sys
import time

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, assume, given, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from hypothesis.stateful import run_state_machine_as_test

PHASES = [Phase.generate, Phase.shrink]
COMMON = dict(
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=PHASES,
    verbosity=Verbosity.quiet,
    print_blob=False,
)


# The shrinking challenge (github.com/jlink/shrinking-challenge).


def wrapped(number):
    """A sum in 16 bits."""
    return (number + 2**15) % 2**16 - 2**15


def bound5(lists):
    assert wrapped(sum(sum(numbers) for numbers in lists)) < 5 * 256


def large_union_list(lists):
    assert len(set().union(*lists)) < 5


def reverse(numbers):
    assert numbers == numbers[::-1]


def is_suitable(tree):
    """Whether no divisor of an expression is written as the number zero."""
    if isinstance(tree, int):
        return True
    sign, left, right = tree
    return not (sign == "/" and right == 0) and is_suitable(left) and is_suitable(right)


def value_of(tree):
    if isinstance(tree, int):
        return tree
    sign, left, right = tree
    return value_of(left) + value_of(right) if sign == "+" else value_of(left) // value_of(right)


def calculator(tree):
    assume(is_suitable(tree))
    value_of(tree)


def lengthlist(numbers):
    assert max(numbers) < 900


def difference(holds):
    def check(pair):
        assert pair[0] < 10 or holds(abs(pair[0] - pair[1]))

    return check


def heap_numbers(heap):
    """The numbers of a heap, from the root on, the right branch first."""
    return [] if heap is None else [heap[0]] + heap_numbers(heap[2]) + heap_numbers(heap[1])


def heap_merged(left, right):
    if left is None or right is None:
        return right if left is None else left
    if left[0] <= right[0]:
        return (left[0], heap_merged(left[2], right), left[1])
    return (right[0], heap_merged(right[2], left), right[1])


def binheap(heap):
    drained = [] if heap is None else [heap[0]] + heap_numbers(heap_merged(heap[1], heap[2]))
    assert drained == sorted(drained) == sorted(heap_numbers(heap))


@st.composite
def heaps(draw, lowest=0, size=None):
    size = draw(st.integers(0, 20)) if size is None else size
    if size == 0 or not draw(st.booleans()):
        return None
    least = draw(st.integers(lowest, 2**31 - 1))
    return (least, draw(heaps(least, size // 2)), draw(heaps(least, size // 2)))


def coupling(numbers):
    assume(all(number < len(numbers) for number in numbers))
    for index, number in enumerate(numbers):
        assert index == number or numbers[number] != index


def deletion(case):
    numbers, index = case
    assume(index < len(numbers))
    copy = list(numbers)
    copy.remove(numbers[index])
    assert numbers[index] not in copy


def distinct(numbers):
    assert len(set(numbers)) < 3


def nestedlists(lists):
    assert sum(map(len, lists)) <= 10


SHORT = st.integers(-(2**15), 2**15 - 1)
SHORT_LISTS = st.lists(SHORT, max_size=10).filter(lambda numbers: wrapped(sum(numbers)) < 256)
NUMBERS = st.lists(st.integers())
PAIRS = st.tuples(st.integers(1, 2**31 - 1), st.integers(1, 2**31 - 1))
TREES = st.deferred(
    lambda: st.one_of(
        st.integers(),
        st.tuples(st.just("+"), TREES, TREES),
        st.tuples(st.just("/"), TREES, TREES),
    )
)
LENGTHS = st.integers(1, 100).flatmap(
    lambda count: st.lists(st.integers(0, 1000), min_size=count, max_size=count)
)

CHALLENGES = {
    "bound5": (st.tuples(*[SHORT_LISTS] * 5), bound5, "([], [], [], [-1], [-32768])"),
    "large_union_list": (st.lists(NUMBERS), large_union_list, "[[0, 1, -1, 2, -2]]"),
    "reverse": (NUMBERS, reverse, "[0, 1]"),
    "calculator": (TREES, calculator, "('/', 0, ('+', 0, 0))"),
    "lengthlist": (LENGTHS, lengthlist, "[900]"),
    "difference: not zero": (PAIRS, difference(lambda gap: gap != 0), "(10, 10)"),
    "difference: small": (PAIRS, difference(lambda gap: not 1 <= gap <= 4), "(10, 6)"),
    "difference: one": (PAIRS, difference(lambda gap: gap != 1), "(10, 9)"),
    "binheap": (heaps(), binheap, "(0, None, (0, (0, None, None), (1, None, None)))"),
    "coupling": (st.lists(st.integers(0, 10)), coupling, "[1, 0]"),
    "deletion": (st.tuples(NUMBERS, st.integers(0, 10)), deletion, "([0, 0], 0)"),
    "distinct": (NUMBERS, distinct, "[0, 1, -1]"),
    "nestedlists": (
        st.lists(st.lists(st.just(0))),
        nestedlists,
        "[[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]",
    ),
}


def challenge_row(name, seed_count):
    """The share of seeds that come to the known answer, and the mean number of evaluations."""
    strategy, check, answer = CHALLENGES[name]
    numbers = random.Random(name)
    answers, evaluations = [], []
    for _ in range(seed_count):
        answer_text, count = shrunk_challenge(strategy, check, numbers.getrandbits(64))
        if answer_text is not None:
            answers.append(answer_text)
            evaluations.append(count)
    share = answers.count(answer) / len(answers) if answers else 0
    return dict(share=share, evaluations=statistics.mean(evaluations) if evaluations else 0)


def shrunk_challenge(strategy, check, number):
    """The last failing value as text, and the evaluations from the first failing one on."""
    found = dict(answer=None, evaluations=0)

    @seed(number)
    @settings(max_examples=20000, **COMMON)
    @given(strategy)
    def run(value):
        failed = False
        try:
            check(value)
        except (AssertionError, ZeroDivisionError):
            failed = True
            found["answer"] = repr(value)
            raise
        finally:
            if failed or found["answer"] is not None:
                found["evaluations"] += 1

    try:
        run()
    except (AssertionError, ZeroDivisionError, BaseExceptionGroup):
        pass
    return found["answer"], found["evaluations"]


# The toy: a shared log in SQLite, with the mistakes of Tests/ShrinkingExamples/SharedLog.swift.


class Lost(AssertionError):
    """An entry is gone that an actor has not merged, or one misses an entry at the end."""


class Store:
    def __init__(self, actor_count, mistake):
        self.mistake, self.known = mistake, None
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.run = self.connection.execute
        self.run(
            "CREATE TABLE txn(id INTEGER PRIMARY KEY AUTOINCREMENT,"
            " author INT NOT NULL, n INT NOT NULL)"
        )
        self.run("CREATE TABLE cursor(actor INTEGER PRIMARY KEY, pos INT NOT NULL)")
        for actor in range(actor_count):
            self.run("INSERT INTO cursor VALUES(?,0)", (actor,))

    def append(self, author, size):
        return self.run("INSERT INTO txn(author,n) VALUES(?,?)", (author, size)).lastrowid

    def merge(self, actor):
        (start,) = self.run("SELECT pos FROM cursor WHERE actor=?", (actor,)).fetchone()
        rows = self.run(
            "SELECT id,n FROM txn WHERE id>? AND author<>? ORDER BY id LIMIT ?",
            (start, actor, 8 if self.mistake == "B4" else -1),
        ).fetchall()
        top = self.run("SELECT seq FROM sqlite_sequence WHERE name='txn'").fetchone()
        self.run("UPDATE cursor SET pos=? WHERE actor=?", (top[0] if top else 0, actor))
        sizes = {size for _, size in rows}
        if self.mistake == "B5" and len(rows) == 3 and len(sizes) == 1 and min(sizes) >= 7:
            rows.pop()
        if self.mistake == "B7":
            rows = rows[:29]
        return {number for number, _ in rows}

    def purge(self):
        places = [place for (place,) in self.run("SELECT pos FROM cursor ORDER BY actor")]
        self.known = self.known or len(places)
        if self.mistake == "B3":
            places = places[: self.known]
        mark = max(places) if self.mistake == "B1" else min(places)
        if self.mistake == "B2":
            mark += 1
        if self.mistake == "B6" and len(places) == 4 == len(set(places)):
            mark = max(places)
        self.run("DELETE FROM txn WHERE id<=?", (mark,))

    def join(self, actor):
        (least,) = self.run("SELECT COALESCE(MIN(pos),0) FROM cursor").fetchone()
        self.run("INSERT INTO cursor VALUES(?,?)", (actor, least))

    def held(self):
        return {number for (number,) in self.run("SELECT id FROM txn")}


class Toy:
    """The store with its oracle, and what happened."""

    def __init__(self, actor_count, mistake):
        self.store = Store(actor_count, mistake)
        self.seen = [set() for _ in range(actor_count)]
        self.all = set()
        self.steps = []

    def append(self, actor, size):
        number = self.store.append(actor, size)
        self.all.add(number)
        self.seen[actor].add(number)

    def merge(self, actor):
        self.seen[actor] |= self.store.merge(actor)

    def purge(self):
        self.store.purge()

    def join(self):
        self.store.join(len(self.seen))
        purged = self.all - self.store.held()
        self.seen.append(set.intersection(*self.seen) | purged)

    def perform(self, name, *arguments):
        self.steps.append((name, *arguments))
        getattr(self, name)(*arguments)
        held = self.store.held()
        for seen in self.seen:
            if not self.all <= seen | held:
                raise Lost("purged")

    def finish(self):
        for actor, seen in enumerate(self.seen):
            seen |= self.store.merge(actor)
        if any(seen != self.all for seen in self.seen):
            raise Lost("missing")


LEAST = {
    "B1": {"purged": 3},
    "B2": {"purged": 2},
    "B3": {"purged": 6},
    "B4": {"missing": 9, "purged": 12},
    "B5": {"missing": 3, "purged": 6},
    "B6": {"purged": 7},
    "B7": {"missing": 30},
}


class Tally:
    """What one run of Hypothesis did."""

    def __init__(self):
        self.cases = self.steps = self.evaluations = 0
        self.first = self.answer = self.failure = None

    def failed(self, toy, error):
        if self.first is None:
            self.first, self.evaluations = self.cases, 1
        self.answer, self.failure = list(toy.steps), str(error)


def run_toy(mistake, number, examples):
    """Runs the state machine with one seed."""
    tally = Tally()

    class Machine(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            tally.cases += 1
            tally.evaluations += 1
            self.toy, self.has_failed = None, False

        @initialize(count=st.integers(2, 5))
        def begin(self, count):
            self.toy = Toy(count, mistake)

        @rule(actor=st.integers(0, 7), size=st.integers(1, 8))
        def append(self, actor, size):
            self.perform("append", actor % len(self.toy.seen), size)

        @rule(actor=st.integers(0, 7))
        def merge(self, actor):
            self.perform("merge", actor % len(self.toy.seen))

        @rule()
        def purge(self):
            self.perform("purge")

        @precondition(lambda self: mistake == "B3" and self.toy and len(self.toy.seen) < 8)
        @rule()
        def join(self):
            self.perform("join")

        def perform(self, *step):
            tally.steps += 1
            self.guarded(lambda: self.toy.perform(*step))

        def guarded(self, body):
            try:
                body()
            except Lost as error:
                self.has_failed = True
                tally.failed(self.toy, error)
                raise

        def teardown(self):
            if self.toy and not self.has_failed:
                self.guarded(self.toy.finish)

    seeded = seed(number)(Machine)
    options = settings(max_examples=examples, stateful_step_count=50, **COMMON)
    try:
        run_state_machine_as_test(seeded, settings=options)
    except (Lost, BaseExceptionGroup):
        pass
    return tally


def toy_row(mistake, seed_count):
    """Medians over some seeds, and how many answers have the least length of their failure."""
    tallies, seconds = [], []
    for number in range(seed_count):
        start = time.process_time()
        tally = run_toy(mistake, number, 20000)
        seconds.append(time.process_time() - start)
        if tally.answer is not None:
            tallies.append(tally)
    if not tallies:
        return dict(found=0)
    return dict(
        found=len(tallies),
        cases=statistics.median(tally.first for tally in tallies),
        evaluations=statistics.median(tally.evaluations for tally in tallies),
        least=sum(len(t.answer) == LEAST[mistake][t.failure] for t in tallies),
        seconds=statistics.median(seconds),
    )


def speed_row():
    """Steps and seconds of processor time on the toy without a mistake."""
    start = time.process_time()
    tally = run_toy(None, 1, 400)
    return dict(steps=tally.steps, seconds=time.process_time() - start)


# The tables.


def number(value):
    return f"{value:.1f}".removesuffix(".0")


def challenge_table(rows, seed_count):
    yield "| property | ours: share | evaluations, mean | goal | Hypothesis: share | evaluations |"
    yield "|---|---|---|---|---|---|"
    for row in rows:
        theirs = challenge_row(row["name"], seed_count)
        say(row["name"])
        yield (
            f"| {row['name']} | {row['share']:.0%} | {number(row['evaluations'])} | "
            f"{row['goalShare']:.0%}, {number(row['goalEvaluations'])} | "
            f"{theirs['share']:.0%} | {number(theirs['evaluations'])} |"
        )


def toy_table(rows, seed_count):
    yield (
        "| mistake | ours: cases to find | goal | evaluations to shrink (max) | goal | least length "
        "| s | Hypothesis: cases | evaluations | least length | find and shrink, s |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        say(row["name"])
        theirs = toy_row(row["name"], seed_count)
        rest = "| not found | | | |"
        if theirs["found"]:
            rest = (
                f"| {number(theirs['cases'])} | {number(theirs['evaluations'])} | "
                f"{theirs['least']} of {theirs['found']} | {theirs['seconds']:.1f} |"
            )
        yield (
            f"| {row['name']} | {number(row['cases'])} | {row['goalCases']} | "
            f"{number(row['evaluations'])} ({row['evaluationsMax']}) | {row['goalEvaluations']} | "
            f"{row['least']} of {row['found']} | {row['seconds']:.4f} {rest}"
        )


def say(text):
    print(text, file=sys.stderr, flush=True)


def main():
    path, seed_count, toy_seed_count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    kinds = {kind: [row for row in rows if row["kind"] == kind] for kind in ("challenge", "toy")}
    ours = next(row for row in rows if row["kind"] == "speed")
    theirs = speed_row()
    speeds = [row["steps"] / row["seconds"] for row in (ours, theirs)]
    print(
        f"Speed on the toy without a mistake, oracle included: {speeds[0]:,.0f} steps a second, "
        f"Hypothesis {hypothesis.__version__}: {speeds[1]:,.0f}; {speeds[0] / speeds[1]:.1f} times.\n"
    )
    print(f"## The shrinking challenge\n\nHypothesis: {seed_count} seeds each.\n")
    print("\n".join(challenge_table(kinds["challenge"], seed_count)))
    print(f"\n## The toy\n\nMedians. Hypothesis: {toy_seed_count} seeds each.\n")
    print("\n".join(toy_table(kinds["toy"], toy_seed_count)))


main()
