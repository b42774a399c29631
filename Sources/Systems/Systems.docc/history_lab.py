"""Client of history-lab's wire protocol: a system under test is a class with a method for each command.

    import history_lab

    class Mine(history_lab.System):
        name = "mine"

        def reset(self, plan): ...
        def launch(self, actor): ...
        def write(self, actor, changes, author, now): ...

    if __name__ == "__main__":
        history_lab.serve(Mine())

Copy this file next to your program; it needs Python 3.9 or newer and nothing else. Then run

    history-lab protocol check "python3 mine.py"
    history-lab check --system "external:python3 mine.py"

A method names the keys of its command that it needs, in any order: `actor`, `changes`, `now`, and so on. The key
`context` is "view" unless the message has another, and `author` is the actor's own unless the message has another.
`reset` gets the whole header of the plan as `plan`; it launches no actor, because the lab sends `launch` for each.

    method                               returns                             if missing
    -----------------------------------  ----------------------------------  ---------------------------
    reset, stop, retire                  None                                unsupported
    launch                               the cursor                          unsupported
    write                                `transaction(...)`, or None         unsupported
    view, data                           the objects                         unsupported
    fetch, merge                         the names of transactions           not offered (steps)
    record                               the cursor                          not offered (steps)
    pass_                                `Answer(transactions=...,           fetch, merge and record
                                         cursor=..., purged=...)`
    purge                                the names that are gone             not offered
    history                              a list of `transaction(...)`        not offered
    crash                                None                                not offered
    resync                               the cursor                          not offered
    consume                              the names of transactions           not offered
    batch, commit                        `transaction(...)`, or None         not offered (batch; begin)
    begin                                None                                not offered (begin)
    deliver, poll                        None, or `Answer(woke=True, ...)`   not offered (signals; poll)
    clock, heal                          None                                None

What is defined is offered: `capabilities` of a class only names what no method shows, for instance
`["clock", "nullAuthor"]`. A name of a transaction is a string or a number from 1; None or 0 stands for none, as
the cursor does while history is empty. A method that returns an `Answer` sets all keys of its answer itself.

An exception becomes an error with the code "failed"; raise `Failure` for another code. What is printed goes to
standard error, because standard output belongs to the protocol.
"""
import inspect
import json
import sys
import traceback

__all__ = ["Answer", "Failure", "System", "apply", "refresh", "serve", "transaction"]

# The key of an answer that holds what the method of a command returns.
ANSWER_KEYS = {
    "launch": "cursor", "record": "cursor", "resync": "cursor", "fetch": "transactions", "merge": "transactions",
    "consume": "transactions", "history": "transactions", "purge": "purged", "view": "objects", "data": "objects",
}
# What a class offers when it has these methods.
OFFERS = {
    "steps": ["fetch", "merge", "record"], "begin": ["begin", "commit"], "signals": ["deliver"],
    "crash": ["crash"], "purge": ["purge"], "resync": ["resync"], "history": ["history"], "batch": ["batch"],
    "consume": ["consume"], "poll": ["poll"],
}
WRITES = ["write", "batch", "commit"]
WITHOUT_ANSWER = ["reset", "stop", "crash", "retire", "begin", "deliver", "poll", "clock", "heal"]
COMMANDS = [*ANSWER_KEYS, *WRITES, *WITHOUT_ANSWER, "pass"]


class Answer(dict):
    """All keys of an answer, where a command has more to report than its method's usual result."""


class Failure(Exception):
    """An error with a code of the protocol: expired, rewound, superseded, inUse, conflict, busy, full, io, failed.

    `done` is an `Answer` with what was done before it failed.
    """

    def __init__(self, code, message, done=None):
        super().__init__(message)
        self.code, self.message, self.done = code, message, done


class System:
    """A system under test. Override the methods of the commands that it can do."""

    name = "mine"
    version = "1"
    capabilities = []

    def pass_(self, actor, **keys):
        """Fetches, merges and records; override it where a pass does more, such as a purge."""
        call(self, "fetch", {"actor": actor, **keys})
        merged = call(self, "merge", {"actor": actor, **keys})
        return Answer({**merged, **call(self, "record", {"actor": actor, **keys}), "purged": []})

    def clock(self):
        """Does nothing: every method can have `now`, the time of the plan."""

    def heal(self):
        """Does nothing: override it where hooks throw."""


def transaction(name, timestamp, changes, author=None, **keys):
    """A transaction as `write` and `history` return it; `author` is None for a write without an author."""
    return Answer(transaction=name_or_none(name), timestamp=timestamp, changes=changes, author=author, **keys)


def apply(objects, changes):
    """Applies the changes of one write, and returns the objects afterwards and the net changes.

    A net change is what the write did to an object, all its changes together: an insert and an update are an insert,
    a delete and an insert are an update, an insert and a delete are none. An insert of an object that exists, and an
    update or a delete of one that does not, are left out.
    """
    after, columns = dict(objects), {}
    for change in changes:
        item, values = change["object"], change.get("values", {})
        if (item in after) == (change["op"] == "insert"):
            continue
        touched = columns.setdefault(item, set())
        touched.update(values)
        if change["op"] == "delete":
            # What is inserted later replaces every attribute.
            touched.update(after.pop(item))
        else:
            after[item] = {**after.get(item, {}), **values}
    net = [net_change(item, objects, after, sorted(columns[item])) for item in sorted(columns)]
    return after, [change for change in net if change]


def net_change(item, before, after, columns):
    if item not in after:
        return {"op": "delete", "object": item} if item in before else None
    if item not in before:
        return {"op": "insert", "object": item, "values": after[item]}
    values = {column: after[item].get(column) for column in columns}
    return {"op": "update", "object": item, "columns": columns, "values": values}


def refresh(view, changes, objects):
    """Brings what some changes touched up to date in a view: a dictionary of objects, as `data` returns them."""
    for item in {change["object"] for change in changes}:
        view.pop(item, None)
        if item in objects:
            view[item] = objects[item]


def serve(system, source=None, target=None):
    """Answers messages until standard input ends or `bye` comes."""
    source, target = source or sys.stdin, target or sys.stdout
    printed, sys.stdout = sys.stdout, sys.stderr
    authors = {}
    try:
        for line in source:
            message = json.loads(line)
            if message["do"] == "reset":
                authors = {actor["id"]: actor.get("author") for actor in message.get("actors", [])}
            body = respond(system, message, authors)
            target.write(json.dumps({"id": message["id"], **body}) + "\n")
            target.flush()
            if message["do"] == "bye":
                break
    finally:
        sys.stdout = printed


def respond(system, message, authors):
    """The answer to a message, without its id."""
    word = message["do"]
    try:
        if word == "hello":
            return {"ok": greeting(system)}
        if word == "bye":
            return {"ok": {}}
        keys = {"context": "view", "author": authors.get(message.get("actor")), "plan": message, **message}
        return {"ok": call(system, word, keys)}
    except Failure as failure:
        error = {"code": failure.code, "message": failure.message}
        return {"error": error if failure.done is None else {**error, "done": keys_of(failure.done)}}
    except Exception as problem:  # The lab decides what follows from it.
        traceback.print_exc()
        return {"error": {"code": "failed", "message": f"{type(problem).__name__}: {problem}"}}


def greeting(system):
    offered = [word for word, methods in OFFERS.items() if all(hasattr(system, method) for method in methods)]
    further = [word for word in system.capabilities if word not in offered]
    return {"system": system.name, "version": system.version, "capabilities": offered + further}


def call(system, word, keys):
    """The keys of the answer to a command."""
    method = getattr(system, "pass_" if word == "pass" else word, None) if word in COMMANDS else None
    if method is None:
        raise Failure("unsupported", f"The command {word!r} is unknown or has no method.")
    result = method(**arguments(method, keys))
    if isinstance(result, Answer):
        return keys_of(result)
    if word in WRITES and result is None:
        return {"transaction": None}
    if word in ANSWER_KEYS:
        return {ANSWER_KEYS[word]: names_or_value(ANSWER_KEYS[word], result)}
    if result is None and word in WITHOUT_ANSWER:
        return {}
    raise TypeError(f"{word} returned {result!r}: return None or an Answer.")


def arguments(method, keys):
    """The keys of a message that a method has parameters for; a key that is missing has the parameter's default."""
    wanted = inspect.signature(method).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in wanted):
        return keys
    lacking = [p.name for p in wanted if p.name not in keys and p.default is p.empty]
    if lacking:
        raise TypeError(f"{method.__name__} asks for {lacking[0]!r}, which the message does not have.")
    return {parameter.name: keys[parameter.name] for parameter in wanted if parameter.name in keys}


def keys_of(answer):
    return {key: names_or_value(key, value) for key, value in answer.items()}


def names_or_value(key, value):
    if key in ("cursor", "recorded", "transaction"):
        return name_or_none(value)
    if key in ("transactions", "purged", "fetched", "observed", "finished"):
        if isinstance(value, (str, bytes, int)) or value is None:
            raise TypeError(f"{key} is {value!r}: return a list of the names of transactions.")
        return [item if isinstance(item, dict) else name_or_none(item) for item in value]
    return value


def name_or_none(value):
    """The name of a transaction, which is a string or a number from 1."""
    return None if value is None or value == 0 else str(value)
