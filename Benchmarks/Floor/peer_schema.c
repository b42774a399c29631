// The tables and triggers of the peers.

#include <stddef.h>

#include "peer_parts.h"

const char *const peer_columns[PEER_COLUMN_COUNT] = {
    "name", "kind", "quantity", "price", "changed",
};

// Runs the SQL that was put together, and frees it.
static int execute(sqlite3 *connection, sqlite3_str *text) {
  char *sql = sqlite3_str_finish(text);
  if (sql == NULL) return SQLITE_NOMEM;
  int code = sqlite3_exec(connection, sql, NULL, NULL, NULL);
  sqlite3_free(sql);
  return code;
}

// MARK: A table of changes

static const char transaction_table[] =
    "CREATE TABLE peer_transaction(number INTEGER PRIMARY KEY, timestamp REAL, author INTEGER,"
    " context INTEGER, bundle INTEGER, process INTEGER, count INTEGER, changes BLOB);";

static const char change_tables[] =
    "CREATE TABLE peer_change(id INTEGER PRIMARY KEY, number INTEGER, entity INTEGER, key INTEGER,"
    " type INTEGER, columns INTEGER, tombstone);"
    "CREATE TABLE peer_current(id INTEGER PRIMARY KEY, number INTEGER);"
    "INSERT INTO peer_current VALUES(1, 0);";

static const char current[] = "(SELECT number FROM peer_current WHERE id = 1)";

static void append_change_triggers(sqlite3_str *text, const char *table) {
  sqlite3_str_appendf(
      text,
      "CREATE TRIGGER peer_insert AFTER INSERT ON %s BEGIN"
      " INSERT INTO peer_change(number, entity, key, type) VALUES(%s, 1, new._key, 0); END;",
      table, current);
  sqlite3_str_appendf(
      text,
      "CREATE TRIGGER peer_update AFTER UPDATE ON %s BEGIN"
      " INSERT INTO peer_change(number, entity, key, type, columns)"
      " VALUES(%s, 1, new._key, 1, 0",
      table, current);
  for (int column = 0; column < PEER_COLUMN_COUNT; column++) {
    const char *name = peer_columns[column];
    sqlite3_str_appendf(text, " + (old.%s IS NOT new.%s) * %d", name, name, 1 << column);
  }
  sqlite3_str_appendall(text, "); END;");
  sqlite3_str_appendf(
      text,
      "CREATE TRIGGER peer_delete AFTER DELETE ON %s BEGIN"
      " INSERT INTO peer_change(number, entity, key, type, tombstone)"
      " VALUES(%s, 1, old._key, 2, old.name); END;",
      table, current);
}

// MARK: A table of rows

// The columns of sqlite-history are _rowid, _version, _updated and _mask; the recorded table has a
// _version of its own, so here they have other names.
static const char now[] = "cast((julianday('now') - 2440587.5) * 86400 * 1000 as integer)";

enum { ALL_COLUMNS = PEER_FIRST_COLUMN + PEER_COLUMN_COUNT };

static const char *column_name(int column) {
  static const char *const first[PEER_FIRST_COLUMN] = {"_key", "_version"};
  return column < PEER_FIRST_COLUMN ? first[column] : peer_columns[column - PEER_FIRST_COLUMN];
}

static void append_row_table(sqlite3_str *text) {
  sqlite3_str_appendall(
      text,
      "CREATE TABLE peer_row(row INTEGER, _key INTEGER, _version INTEGER, name TEXT, kind INTEGER,"
      " quantity INTEGER, price REAL, changed REAL, row_version INTEGER, updated INTEGER,"
      " mask INTEGER);"
      "CREATE INDEX peer_row_row ON peer_row(row);");
}

// Every column of the old or the new row, each behind a comma.
static void append_row(sqlite3_str *text, const char *side) {
  for (int column = 0; column < ALL_COLUMNS; column++) {
    sqlite3_str_appendf(text, ", %s.%s", side, column_name(column));
  }
}

static void append_row_update(sqlite3_str *text, const char *table) {
  sqlite3_str_appendf(
      text,
      "CREATE TRIGGER peer_update AFTER UPDATE ON %s FOR EACH ROW BEGIN"
      " INSERT INTO peer_row SELECT old.rowid",
      table);
  for (int column = 0; column < ALL_COLUMNS; column++) {
    const char *name = column_name(column);
    sqlite3_str_appendf(
        text, ", CASE WHEN old.%s != new.%s THEN new.%s ELSE null END", name, name, name);
  }
  sqlite3_str_appendf(
      text, ", (SELECT max(row_version) FROM peer_row WHERE row = old.rowid) + 1, %s, ", now);
  for (int column = 0; column < ALL_COLUMNS; column++) {
    const char *name = column_name(column);
    sqlite3_str_appendf(
        text, "%s(CASE WHEN old.%s != new.%s THEN %d ELSE 0 END)", column == 0 ? "" : " + ", name,
        name, 1 << column);
  }
  for (int column = 0; column < ALL_COLUMNS; column++) {
    const char *name = column_name(column);
    sqlite3_str_appendf(
        text, "%s old.%s != new.%s", column == 0 ? " WHERE" : " OR", name, name);
  }
  sqlite3_str_appendall(text, "; END;");
}

static void append_row_triggers(sqlite3_str *text, const char *table) {
  sqlite3_str_appendf(
      text,
      "CREATE TRIGGER peer_insert AFTER INSERT ON %s BEGIN"
      " INSERT INTO peer_row VALUES(new.rowid",
      table);
  append_row(text, "new");
  sqlite3_str_appendf(text, ", 1, %s, %d); END;", now, (1 << ALL_COLUMNS) - 1);
  append_row_update(text, table);
  sqlite3_str_appendf(
      text,
      "CREATE TRIGGER peer_delete AFTER DELETE ON %s BEGIN"
      " INSERT INTO peer_row VALUES(old.rowid",
      table);
  append_row(text, "old");
  sqlite3_str_appendf(
      text,
      ", (SELECT coalesce(max(row_version), 0) FROM peer_row WHERE row = old.rowid) + 1, %s, -1);"
      " END;",
      now);
}

int peer_create_schema(sqlite3 *connection, PeerKind kind, const char *table) {
  sqlite3_str *text = sqlite3_str_new(connection);
  sqlite3_str_appendall(text, "BEGIN;");
  switch (kind) {
    case PEER_TRIGGERS:
      sqlite3_str_appendall(text, transaction_table);
      sqlite3_str_appendall(text, change_tables);
      append_change_triggers(text, table);
      break;
    case PEER_SESSION:
      sqlite3_str_appendall(text, transaction_table);
      break;
    case PEER_HISTORY_TABLE:
      append_row_table(text);
      append_row_triggers(text, table);
      break;
  }
  sqlite3_str_appendall(text, "COMMIT;");
  return execute(connection, text);
}
