// The connection and its statements.

#include <stdlib.h>

#include "parts.h"

static const char *const sql[FLOOR_STATEMENT_COUNT] = {
    [FLOOR_BEGIN] = "BEGIN IMMEDIATE",
    [FLOOR_COMMIT] = "COMMIT",
    [FLOOR_INSERT_SLIP] = "INSERT INTO Slip VALUES(?1,?2,?3,?4,?5,?6,?7)",
    [FLOOR_UPDATE_KIND] =
        "UPDATE Slip SET _version = ?1, quantity = ?2, price = ?3 WHERE kind = ?4",
    [FLOOR_DELETE_KIND] = "DELETE FROM Slip WHERE kind = ?1",
    [FLOOR_UPDATE_SLIP] =
        "UPDATE Slip SET _version = ?1, quantity = ?2, price = ?3 WHERE _key = ?4",
    [FLOOR_DELETE_SLIP] = "DELETE FROM Slip WHERE _key = ?1",
    [FLOOR_UPDATE_ITEM] =
        "UPDATE Item SET _version = ?1, quantity = ?2, price = ?3 WHERE _key = ?4",
    // CROSS keeps the keys outside: the table is then visited once and in order.
    [FLOOR_SELECT_ITEMS] =
        "SELECT _key, _version, name, kind, quantity, price, changed "
        "FROM floor_keys CROSS JOIN Item ON _key = floor_keys.key",
    [FLOOR_FETCH] =
        "SELECT number, timestamp, mark, author, context, bundle, process, writer, count, changes "
        "FROM history_transaction WHERE number > ?1 ORDER BY number LIMIT ?2",
    [FLOOR_PURGE] = "DELETE FROM history_transaction WHERE number <= ?1",
    [FLOOR_RECORD] = "UPDATE history_member SET cursor = ?2, mark = ?3, seen = ?4 WHERE id = ?1",
    [FLOOR_NEXT_EPOCH] =
        "UPDATE history_metadata SET value = value + 1 WHERE name = 'epoch' RETURNING value",
    [FLOOR_JOIN] = "UPDATE history_member SET epoch = ?2, seen = ?3 WHERE id = ?1",
    [FLOOR_HEAD] =
        "SELECT number, timestamp FROM history_transaction ORDER BY number DESC LIMIT 1",
    [FLOOR_INSERT_TRANSACTION] =
        "INSERT INTO history_transaction VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)",
    [FLOOR_DELETE_PACKED] =
        "DELETE FROM Slip WHERE _key BETWEEN ?1 AND ?2 AND floor_pack_delete(_key, name)",
    [FLOOR_FIND_STRING] = "SELECT number FROM history_string WHERE text = ?1",
    [FLOOR_FETCH_AUTHOR] =
        "SELECT number, timestamp, mark, author, context, bundle, process, writer, count, changes "
        "FROM history_transaction WHERE number > ?1 AND author = ?3 ORDER BY number LIMIT ?2",
    [FLOOR_FETCH_ENTITY] =
        "SELECT number, timestamp, mark, author, context, bundle, process, writer, count, changes "
        "FROM history_transaction WHERE number > ?1 AND entities & ?3 ORDER BY number LIMIT ?2",
    [FLOOR_SELECT_ALL] =
        "SELECT _key, _version, name, kind, quantity, price, changed FROM Item ORDER BY _key",
    [FLOOR_SELECT_FROM] =
        "SELECT _key, _version, name, kind, quantity, price, changed FROM Item "
        "WHERE quantity >= ?1 ORDER BY quantity, _key LIMIT ?2",
    [FLOOR_WATERMARK] = "SELECT min(cursor) FROM history_member WHERE state = 0",
};

static int prepare_all(Floor *floor) {
  for (int index = 0; index < FLOOR_STATEMENT_COUNT; index++) {
    int code = sqlite3_prepare_v3(
        floor->connection, sql[index], -1, SQLITE_PREPARE_PERSISTENT, &floor->statements[index],
        NULL);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int floor_open(const char *path, const char *pragmas, Floor **result) {
  Floor *floor = calloc(1, sizeof(Floor));
  *result = floor;
  if (floor == NULL) return SQLITE_NOMEM;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  int code = sqlite3_open_v2(path, &floor->connection, flags, NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(floor->connection, pragmas, NULL, NULL, NULL);
  if (code == SQLITE_OK) code = floor_register_keys(floor);
  if (code == SQLITE_OK) code = floor_register_slips(floor);
  if (code == SQLITE_OK) code = floor_register_packing(floor);
  if (code == SQLITE_OK) code = prepare_all(floor);
  return code;
}

void floor_close(Floor *floor) {
  for (int index = 0; index < FLOOR_STATEMENT_COUNT; index++) {
    sqlite3_finalize(floor->statements[index]);
  }
  floor_free_plans(floor);
  if (floor->peer != NULL) peer_free(floor->peer);
  sqlite3_close(floor->connection);
  free(floor);
}

const char *floor_message(const Floor *floor) { return sqlite3_errmsg(floor->connection); }

int floor_run(sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int floor_begin(Floor *floor) {
  int code = floor_run(floor->statements[FLOOR_BEGIN]);
  return code == SQLITE_OK && floor->peer != NULL ? peer_begin(floor) : code;
}

int floor_end(Floor *floor, int code) {
  if (floor->peer != NULL) code = peer_end(floor, code);
  if (code == SQLITE_OK) code = floor_run(floor->statements[FLOOR_COMMIT]);
  if (code != SQLITE_OK && !sqlite3_get_autocommit(floor->connection)) {
    sqlite3_exec(floor->connection, "ROLLBACK", NULL, NULL, NULL);
  }
  return code;
}
