"""History tracking on SQLite in a page of Python, as a program that history-lab puts under test.

It reads one JSON object a line from standard input and answers each with one on standard output.
Usage: python3 first-system.py [--bug]
"""
import json
import sqlite3
import sys

SCHEMA = """
CREATE TABLE data (object TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE history (number INTEGER PRIMARY KEY AUTOINCREMENT, writer TEXT NOT NULL, author TEXT,
                      timestamp REAL NOT NULL, changes TEXT NOT NULL);
CREATE TABLE cursors (actor TEXT PRIMARY KEY, number INTEGER NOT NULL);
"""


class Unsupported(Exception):
    """A command that the program does not know."""


class FirstSystem:
    """One store, and what each actor that runs has in memory."""

    def __init__(self, has_bug):
        self.has_bug = has_bug

    def hello(self, message):
        abilities = ["steps", "clock", "crash", "purge", "history", "nullAuthor"]
        return {"system": "first-system", "version": "1", "capabilities": abilities}

    def reset(self, message):
        self.store = sqlite3.connect(":memory:", isolation_level=None)
        self.store.executescript(SCHEMA)
        self.authors = {actor["id"]: actor.get("author") for actor in message["actors"]}
        self.running = {}
        return {}

    # What an actor keeps, and what it loses when it ends

    def launch(self, message):
        actor = message["actor"]
        cursor = self.cursor(actor)
        if cursor is None:
            cursor = self.head()
            if not self.has_bug:
                self.keep(actor, cursor)
        self.running[actor] = {"view": self.rows(), "fetched": [], "scanned": cursor, "merged": cursor}
        return {"cursor": name(cursor)}

    def stop(self, message):
        del self.running[message["actor"]]
        return {}

    crash = stop

    def retire(self, message):
        self.store.execute("DELETE FROM cursors WHERE actor = ?", [message["actor"]])
        return self.stop(message)

    # A write is one SQLite transaction: the data and what history says of it

    def write(self, message):
        before = self.rows()
        after, columns = dict(before), {}
        for change in message["changes"]:
            item = change["object"]
            if (item in after) == (change["op"] == "insert"):
                continue  # An insert of what is there, or a change of what is not, is left out.
            if change["op"] == "delete":
                del after[item]
            else:
                after[item] = {**after.get(item, {}), **change.get("values", {})}
            columns.setdefault(item, set()).update(change.get("values", {}))
        changes = [net_change(item, before, after, columns[item]) for item in sorted(columns)]
        changes = [change for change in changes if change]
        if not changes:
            return {"transaction": None}
        actor = message["actor"]
        author = message.get("author", self.authors[actor])
        self.store.execute("BEGIN IMMEDIATE")
        for item in columns:
            self.store.execute("DELETE FROM data WHERE object = ?", [item])
            if item in after:
                self.store.execute("INSERT INTO data VALUES (?, ?)", [item, json.dumps(after[item])])
        number = self.store.execute(
            "INSERT INTO history (writer, author, timestamp, changes) VALUES (?, ?, ?, ?)",
            [actor, author, message["now"], json.dumps(changes)],
        ).lastrowid
        self.store.execute("COMMIT")
        refresh(self.running[actor]["view"], columns, after)
        return {"transaction": name(number), "timestamp": message["now"], "changes": changes}

    # A pass: read what is new, bring it into the view, record how far that was

    def fetch(self, message):
        actor = message["actor"]
        memory = self.running[actor]
        query = "SELECT number, changes FROM history WHERE number > ? AND writer != ? ORDER BY number"
        memory["fetched"] = self.store.execute(query, [self.recorded(actor), actor]).fetchall()
        memory["scanned"] = self.head()
        return {"transactions": [name(number) for number, _ in memory["fetched"]]}

    def merge(self, message):
        memory = self.running[message["actor"]]
        news, memory["fetched"] = memory["fetched"], []
        rows = self.rows()
        for _, changes in news:
            refresh(memory["view"], [change["object"] for change in json.loads(changes)], rows)
        memory["merged"] = memory["scanned"]
        return {"transactions": [name(number) for number, _ in news]}

    def record(self, message):
        actor = message["actor"]
        self.keep(actor, self.running[actor]["merged"])
        return {"cursor": name(self.recorded(actor))}

    def purge(self, message):
        bound = self.store.execute("SELECT ifnull(min(number), 0) FROM cursors").fetchone()[0]
        query = "SELECT number FROM history WHERE number <= ? ORDER BY number"
        gone = [name(number) for (number,) in self.store.execute(query, [bound])]
        self.store.execute("DELETE FROM history WHERE number <= ?", [bound])
        return {"purged": gone}

    def do_pass(self, message):
        self.fetch(message)
        return {**self.merge(message), **self.record(message), "purged": []}

    # Answers about what there is

    def view(self, message):
        return {"objects": self.running[message["actor"]]["view"]}

    def data(self, message):
        return {"objects": self.rows()}

    def history(self, message):
        query = "SELECT number, author, timestamp, changes FROM history ORDER BY number"
        keys = ["transaction", "author", "timestamp", "changes"]
        held = [dict(zip(keys, row)) for row in self.store.execute(query)]
        for item in held:
            item.update(transaction=name(item["transaction"]), changes=json.loads(item["changes"]))
        return {"transactions": held}

    def clock(self, message):
        return {"now": message["now"]}

    # The store

    def rows(self):
        found = self.store.execute("SELECT object, content FROM data")
        return {item: json.loads(content) for item, content in found}

    def head(self):
        found = self.store.execute("SELECT seq FROM sqlite_sequence").fetchone()
        return found[0] if found else 0

    def cursor(self, actor):
        found = self.store.execute("SELECT number FROM cursors WHERE actor = ?", [actor]).fetchone()
        return found[0] if found else None

    def recorded(self, actor):
        return self.cursor(actor) or 0

    def keep(self, actor, number):
        self.store.execute("INSERT OR REPLACE INTO cursors VALUES (?, ?)", [actor, number])


def name(number):
    return str(number) if number else None


def refresh(view, objects, rows):
    for item in objects:
        view.pop(item, None)
        if item in rows:
            view[item] = rows[item]


def net_change(item, before, after, columns):
    """What one write did to an object, all its edits together."""
    if item in before and item in after:
        values = {column: after[item][column] for column in sorted(columns)}
        return {"op": "update", "object": item, "columns": sorted(columns), "values": values}
    if item in after:
        return {"op": "insert", "object": item, "values": after[item]}
    return {"op": "delete", "object": item} if item in before else None


def answer(system, message):
    words = {"pass": "do_pass"}
    word = words.get(message["do"], message["do"])
    known = ["hello", "reset", "launch", "stop", "crash", "retire", "write", "fetch", "merge", "record"]
    known += ["purge", "do_pass", "view", "data", "history", "clock"]
    if word not in known:
        return {"error": {"code": "unsupported", "message": f"There is no command {word}."}}
    try:
        return {"ok": getattr(system, word)(message)}
    except Exception as error:  # pylint: disable=broad-except
        return {"error": {"code": "failed", "message": repr(error)}}


def main():
    system = FirstSystem(has_bug="--bug" in sys.argv[1:])
    for line in sys.stdin:
        message = json.loads(line)
        if message["do"] == "bye":
            break
        print(json.dumps({"id": message["id"], **answer(system, message)}), flush=True)


if __name__ == "__main__":
    main()
