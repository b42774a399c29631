"""History tracking as a program that history-lab puts under test. Usage: python3 first-system.py [--bug]"""
import sys

import history_lab


class FirstSystem(history_lab.System):
    name, capabilities = "first-system", ["clock", "nullAuthor"]

    def reset(self, plan):  # The store: its data, its history, the number of its last transaction, its cursors.
        self.rows, self.log, self.head, self.cursors = {}, {}, 0, {}
        self.views = {}  # What each actor that runs has in memory.

    def launch(self, actor):
        cursor = self.cursors.get(actor, self.head)
        if "--bug" not in sys.argv:
            self.cursors[actor] = cursor
        self.views[actor] = dict(self.rows)
        return cursor

    def stop(self, actor):
        del self.views[actor]

    crash = stop

    def retire(self, actor):
        self.cursors.pop(actor, None)
        self.stop(actor)

    def write(self, actor, changes, author, now):
        self.rows, net = history_lab.apply(self.rows, changes)
        if not net:
            return None
        self.head += 1
        self.log[self.head] = history_lab.transaction(self.head, now, net, author, writer=actor)
        history_lab.refresh(self.views[actor], net, self.rows)
        return self.log[self.head]

    def pass_(self, actor):
        start, self.cursors[actor] = self.cursors.get(actor, 0), self.head
        news = {n: entry for n, entry in self.log.items() if n > start and entry["writer"] != actor}
        for entry in news.values():
            history_lab.refresh(self.views[actor], entry["changes"], self.rows)
        return history_lab.Answer(transactions=list(news), cursor=self.head, purged=[])

    def purge(self):
        gone = [n for n in self.log if n <= min(self.cursors.values(), default=0)]
        return [self.log.pop(n)["transaction"] for n in gone]

    def view(self, actor):
        return self.views[actor]

    def data(self):
        return self.rows

    def history(self):
        return list(self.log.values())


history_lab.serve(FirstSystem())
