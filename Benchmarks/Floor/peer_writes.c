// A peer's work in addition to the statements that write.

#include <stdlib.h>

#include "peer_parts.h"

static const char fetch_changes[] =
    "SELECT key, type, columns, tombstone FROM peer_change WHERE number > ?1 ORDER BY id";

static const char fetch_transactions[] =
    "SELECT number, timestamp, author, context, bundle, process, count, changes "
    "FROM peer_transaction WHERE number > ?1 ORDER BY number";

static const char fetch_rows[] =
    "SELECT row, row_version, mask, name FROM peer_row WHERE ?1 >= 0 ORDER BY rowid";

static const char *const fetch_sql[] = {
    [PEER_TRIGGERS] = fetch_changes,
    [PEER_SESSION] = fetch_transactions,
    [PEER_HISTORY_TABLE] = fetch_rows,
};

static const char *const row_sql[PEER_STATEMENT_COUNT] = {
    [PEER_INSERT_ROW] =
        "INSERT INTO %s VALUES(?1, ?2, printf('%%016x', ?1), 1, ?1 & 1023, ?1 * 0.25, 7e8)",
    [PEER_UPDATE_ROW] =
        "UPDATE %s SET _version = ?2, quantity = quantity + 1, price = price + 0.5"
        " WHERE _key = ?1",
    [PEER_DELETE_ROW] = "DELETE FROM %s WHERE _key = ?1",
};

static int prepare(Floor *floor, PeerStatement statement, const char *sql) {
  return sqlite3_prepare_v3(
      floor->connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &floor->peer->statements[statement],
      NULL);
}

static int prepare_row(Floor *floor, PeerStatement statement) {
  char *sql = sqlite3_mprintf(row_sql[statement], floor->peer->table);
  if (sql == NULL) return SQLITE_NOMEM;
  int code = prepare(floor, statement, sql);
  sqlite3_free(sql);
  return code;
}

static int prepare_all(Floor *floor) {
  PeerKind kind = floor->peer->kind;
  int code = prepare(floor, PEER_FETCH, fetch_sql[kind]);
  for (int row = PEER_INSERT_ROW; row <= PEER_DELETE_ROW && code == SQLITE_OK; row++) {
    code = prepare_row(floor, row);
  }
  if (code == SQLITE_OK && kind != PEER_HISTORY_TABLE) {
    code = prepare(
        floor, PEER_INSERT_TRANSACTION,
        "INSERT INTO peer_transaction VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  }
  if (code == SQLITE_OK && kind == PEER_TRIGGERS) {
    code = prepare(floor, PEER_SET_CURRENT, "UPDATE peer_current SET number = ?1 WHERE id = 1");
  }
  return code;
}

int peer_attach(Floor *floor, PeerKind kind, const char *table) {
  int code = peer_create_schema(floor->connection, kind, table);
  if (code != SQLITE_OK) return code;
  Peer *peer = calloc(1, sizeof(Peer));
  if (peer == NULL) return SQLITE_NOMEM;
  peer->kind = kind;
  peer->table = sqlite3_mprintf("%s", table);
  floor->peer = peer;
  return peer->table == NULL ? SQLITE_NOMEM : prepare_all(floor);
}

void peer_free(Peer *peer) {
  for (int index = 0; index < PEER_STATEMENT_COUNT; index++) {
    sqlite3_finalize(peer->statements[index]);
  }
  sqlite3_free(peer->table);
  free(peer);
}

// MARK: Each transaction

static int begin_session(Floor *floor) {
  Peer *peer = floor->peer;
  int code = sqlite3session_create(floor->connection, "main", &peer->session);
  if (code == SQLITE_OK) code = sqlite3session_attach(peer->session, peer->table);
  return code;
}

static int set_current(Floor *floor) {
  sqlite3_stmt *set = floor->peer->statements[PEER_SET_CURRENT];
  sqlite3_bind_int64(set, 1, floor->peer->number);
  return floor_run(set);
}

int peer_begin(Floor *floor) {
  Peer *peer = floor->peer;
  int code = SQLITE_OK;
  peer->number += 1;
  if (peer->kind == PEER_TRIGGERS) code = set_current(floor);
  if (peer->kind == PEER_SESSION) code = begin_session(floor);
  peer->changed_before = sqlite3_total_changes64(floor->connection);
  return code;
}

// Writes the row of the transaction, as an application that wants authors and times has to.
static int insert_transaction(Floor *floor, const void *changes, int length) {
  Peer *peer = floor->peer;
  sqlite3_stmt *insert = peer->statements[PEER_INSERT_TRANSACTION];
  int64_t count = sqlite3_total_changes64(floor->connection) - peer->changed_before;
  // SQLite counts the rows that triggers write too: one for each change.
  if (peer->kind == PEER_TRIGGERS) count /= 2;
  sqlite3_bind_int64(insert, 1, peer->number);
  sqlite3_bind_double(insert, 2, 7e8 + (double)peer->number);
  for (int string = 3; string <= 6; string++) sqlite3_bind_int(insert, string, string);
  sqlite3_bind_int64(insert, 7, count);
  sqlite3_bind_blob(insert, 8, changes, length, SQLITE_STATIC);
  return floor_run(insert);
}

static int insert_changeset(Floor *floor) {
  void *changes = NULL;
  int length = 0;
  int code = sqlite3session_changeset(floor->peer->session, &length, &changes);
  if (code == SQLITE_OK) code = insert_transaction(floor, changes, length);
  sqlite3_free(changes);
  return code;
}

int peer_end(Floor *floor, int code) {
  Peer *peer = floor->peer;
  if (code == SQLITE_OK) {
    if (peer->kind == PEER_TRIGGERS) code = insert_transaction(floor, NULL, 0);
    if (peer->kind == PEER_SESSION) code = insert_changeset(floor);
  }
  if (peer->session != NULL) sqlite3session_delete(peer->session);
  peer->session = NULL;
  return code;
}

int peer_apply(Floor *floor, const FloorChange *changes, int64_t count, int64_t version) {
  int code = floor_begin(floor);
  for (int64_t index = 0; index < count && code == SQLITE_OK; index++) {
    sqlite3_stmt *row = floor->peer->statements[PEER_INSERT_ROW + changes[index].type];
    sqlite3_bind_int64(row, 1, changes[index].key);
    // A delete has no version to set.
    if (sqlite3_bind_parameter_count(row) > 1) sqlite3_bind_int64(row, 2, version);
    code = floor_run(row);
  }
  return floor_end(floor, code);
}

int64_t peer_last(const Floor *floor) { return floor->peer->number; }

int peer_clear(Floor *floor) {
  static const char *const sql[] = {
      [PEER_TRIGGERS] = "BEGIN; DELETE FROM peer_transaction; DELETE FROM peer_change; COMMIT",
      [PEER_SESSION] = "DELETE FROM peer_transaction",
      [PEER_HISTORY_TABLE] = "DELETE FROM peer_row",
  };
  return sqlite3_exec(floor->connection, sql[floor->peer->kind], NULL, NULL, NULL);
}
