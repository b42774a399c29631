"""A system that makes one mistake of the wire protocol, for the tests of `history-lab protocol check`.

Usage: python3 mistakes.py MISTAKE
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Sources" / "Systems" / "Systems.docc"))
import history_lab  # noqa: E402


class Right(history_lab.System):
    """Makes none."""

    name, capabilities = "mistakes", ["clock", "nullAuthor"]
    apply = staticmethod(history_lab.apply)

    def reset(self, plan):
        self.rows, self.log, self.head, self.cursors, self.running = {}, {}, 0, {}, {}

    def launch(self, actor):
        cursor = self.cursors.setdefault(actor, self.head)
        self.running[actor] = {"view": dict(self.rows), "fetched": [], "scanned": cursor, "merged": cursor}
        return cursor

    def stop(self, actor):
        del self.running[actor]

    crash = stop

    def retire(self, actor):
        del self.cursors[actor]
        self.stop(actor)

    def write(self, actor, changes, author, now):
        self.rows, net = self.apply(self.rows, changes)
        if not net:
            return None
        self.head += 1
        self.log[self.head] = history_lab.transaction(self.head, now, net, author, writer=actor)
        history_lab.refresh(self.running[actor]["view"], changes, self.rows)
        return self.log[self.head]

    def fetch(self, actor):
        memory, cursor = self.running[actor], self.cursors[actor]
        memory["fetched"] = [n for n in self.log if n > cursor and self.log[n]["writer"] != actor]
        memory["scanned"] = self.head
        return memory["fetched"]

    def merge(self, actor):
        memory = self.running[actor]
        news, memory["fetched"] = memory["fetched"], []
        for number in news:
            history_lab.refresh(memory["view"], self.log[number]["changes"], self.rows)
        memory["merged"] = memory["scanned"]
        return news

    def record(self, actor):
        self.cursors[actor] = self.running[actor]["merged"]
        return self.cursors[actor]

    def purge(self):
        gone = [n for n in self.log if n <= min(self.cursors.values(), default=0)]
        return [self.log.pop(n)["transaction"] for n in gone]

    def view(self, actor):
        return self.running[actor]["view"]

    def data(self):
        return self.rows

    def history(self):
        return list(self.log.values())


def answering(edits, wrong):
    """An `apply` that answers with wrong changes of an object that a write edits so."""

    def apply(objects, changes):
        after, net = history_lab.apply(objects, changes)
        item = changes[0]["object"]
        if [change["op"] for change in changes] != edits or (item in objects) != (edits[0] != "insert"):
            return after, net
        found = [{"op": op, "object": item} for op in wrong]
        return after, [change for change in net if change["object"] != item] + found

    return apply


def replacing(objects, changes):
    """An `apply` that does not leave out inserts of objects that exist."""
    if any(change["op"] == "insert" and change["object"] in objects for change in changes):
        fresh = [{"op": "insert", "object": c["object"], "values": c.get("values", {})} for c in changes]
        return {**objects, **{change["object"]: change["values"] for change in fresh}}, fresh
    return history_lab.apply(objects, changes)


class LaunchedByReset(Right):
    def reset(self, plan):
        super().reset(plan)
        for actor in plan["actors"]:
            super().launch(actor["id"])

    def launch(self, actor):
        if actor in self.running:
            raise history_lab.Failure("inUse", f"{actor} runs already")
        return super().launch(actor)


class CursorZero(Right):
    def launch(self, actor):
        return history_lab.Answer(cursor=str(super().launch(actor) or "zero"))


class PurgeTooFew(Right):
    def purge(self):
        return super().purge()[1:]


class PurgeOfAll(Right):
    def purge(self):
        return list(self.log)


class PurgeAgain(Right):
    def reset(self, plan):
        super().reset(plan)
        self.gone = []

    def purge(self):
        self.gone += super().purge()
        return self.gone


class StaleView(Right):
    def merge(self, actor):
        view = self.running[actor]["view"]
        before = dict(view)
        merged = super().merge(actor)
        view.clear()
        view.update(before)
        return merged


class Misnamed(Right):
    capabilities = ["clock", "nullAuthor", "crsh"]


def applying(apply):
    return type("Applying", (Right,), {"apply": staticmethod(apply)})


def with_keys(change):
    """A line whose answer was changed."""

    def edit(message, answer):
        change(message, answer)
        return json.dumps(answer)

    return edit


def wrong_id(message, answer):
    answer["id"] += 1


def no_id(message, answer):
    del answer["id"]


def old_id(message, answer):
    answer["id"] = max(1, answer["id"] - 1)


def no_message(message, answer):
    answer.get("error", {}).pop("message", None)


def no_cursor(message, answer):
    if message["do"] == "launch":
        del answer["ok"]["cursor"]


def number_cursor(message, answer):
    if message["do"] == "launch":
        answer["ok"]["cursor"] = int(answer["ok"]["cursor"] or 0)


def no_timestamp(message, answer):
    if message["do"] == "write":
        answer["ok"].pop("timestamp", None)


def number_name(message, answer):
    if message["do"] == "write" and answer["ok"]["transaction"]:
        answer["ok"]["transaction"] = int(answer["ok"]["transaction"])


def purge_count(message, answer):
    if message["do"] == "purge":
        answer["ok"]["purged"] = len(answer["ok"]["purged"])


def wrong_error(message, answer):
    if "error" in answer:
        answer["error"]["code"] = "failed"


def other_name(message, answer, resets=[]):
    if message["do"] == "reset":
        resets.append(message)
    if message["do"] == "write" and len(resets) > 1 and answer["ok"]["transaction"]:
        answer["ok"]["transaction"] += "-again"


def printing(message, answer):
    return ("writing\n" if message["do"] == "write" else "") + json.dumps(answer)


def no_json(message, answer):
    return "OK" if message["do"] == "stop" else json.dumps(answer)


def twice(message, answer):
    return (json.dumps(answer) + "\n") * (2 if message["do"] == "view" else 1)


MISTAKES = {
    "none": (Right, None),
    "wrong-id": (Right, with_keys(wrong_id)),
    "old-id": (Right, with_keys(old_id)),
    "no-id": (Right, with_keys(no_id)),
    "answers-twice": (Right, twice),
    "no-json": (Right, no_json),
    "prints": (Right, printing),
    "error-without-message": (Right, with_keys(no_message)),
    "error-with-wrong-code": (Right, with_keys(wrong_error)),
    "unknown-capability": (Misnamed, None),
    "reset-launches": (LaunchedByReset, None),
    "reset-keeps-names": (Right, with_keys(other_name)),
    "cursor-missing": (Right, with_keys(no_cursor)),
    "cursor-of-nothing": (CursorZero, None),
    "cursor-number": (Right, with_keys(number_cursor)),
    "timestamp-missing": (Right, with_keys(no_timestamp)),
    "name-is-number": (Right, with_keys(number_name)),
    "insert-update": (applying(answering(["insert", "update"], ["insert", "update"])), None),
    "delete-insert": (applying(answering(["delete", "insert"], ["insert"])), None),
    "insert-delete": (applying(answering(["insert", "delete"], ["insert", "delete"])), None),
    "update-delete": (applying(answering(["update", "delete"], ["update", "delete"])), None),
    "insert-of-existing": (applying(replacing), None),
    "purge-count": (Right, with_keys(purge_count)),
    "purge-names-too-few": (PurgeTooFew, None),
    "purge-names-too-many": (PurgeOfAll, None),
    "purge-names-again": (PurgeAgain, None),
    "stale-view": (StaleView, None),
}


class Lines:
    """Standard output with a mistake in its lines."""

    def __init__(self, target, edit, source):
        self.target, self.edit, self.source = target, edit, source

    def write(self, line):
        self.target.write(self.edit(self.source.message, json.loads(line)).rstrip("\n") + "\n")

    def flush(self):
        self.target.flush()


class Messages:
    """Standard input that remembers the message that was read last."""

    def __iter__(self):
        for line in sys.stdin:
            self.message = json.loads(line)
            yield line


def main():
    kind, edit = MISTAKES[sys.argv[1]]
    source = Messages()
    target = Lines(sys.stdout, edit, source) if edit else sys.stdout
    history_lab.serve(kind(), source, target)


if __name__ == "__main__":
    main()
