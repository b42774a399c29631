// Reading what a peer has recorded.

#include <string.h>

#include "peer_parts.h"

enum { TYPE_INSERT = 0, TYPE_UPDATE = 1, TYPE_DELETE = 2 };

// Adds a change, and the tombstone if it is a delete.
static int append(FloorPage *page, FloorChange change, const void *name, int length) {
  if (change.type != TYPE_DELETE) length = 0;
  int code = floor_make_room(page, 0, 1, length);
  if (code != SQLITE_OK) return code;
  if (length > 0) {
    change.tombstone_start = (uint32_t)page->tombstone_count;
    change.tombstone_length = (uint32_t)length;
    memcpy(page->tombstones + page->tombstone_count, name, (size_t)length);
    page->tombstone_count += length;
  }
  page->changes[page->change_count++] = change;
  return SQLITE_OK;
}

// MARK: Triggers

static int read_change(sqlite3_stmt *row, FloorPage *page) {
  FloorChange change = {
      .entity = 1,
      .key = sqlite3_column_int64(row, 0),
      .type = (uint8_t)sqlite3_column_int(row, 1),
      .columns = (uint64_t)sqlite3_column_int64(row, 2),
  };
  return append(page, change, sqlite3_column_blob(row, 3), sqlite3_column_bytes(row, 3));
}

static int read_row(sqlite3_stmt *row, FloorPage *page) {
  int64_t version = sqlite3_column_int64(row, 1);
  int64_t mask = sqlite3_column_int64(row, 2);
  FloorChange change = {.entity = 1, .key = sqlite3_column_int64(row, 0), .type = TYPE_UPDATE};
  if (mask < 0) {
    change.type = TYPE_DELETE;
  } else if (version == 1) {
    change.type = TYPE_INSERT;
  } else {
    change.columns = (uint64_t)mask >> PEER_FIRST_COLUMN;
  }
  return append(page, change, sqlite3_column_blob(row, 3), sqlite3_column_bytes(row, 3));
}

// MARK: Session

static uint64_t changed_columns(sqlite3_changeset_iter *iterator, int count) {
  uint64_t columns = 0;
  for (int column = PEER_FIRST_COLUMN; column < count; column++) {
    sqlite3_value *value = NULL;
    sqlite3changeset_new(iterator, column, &value);
    if (value != NULL) columns |= (uint64_t)1 << (column - PEER_FIRST_COLUMN);
  }
  return columns;
}

static int append_of_session(sqlite3_changeset_iter *iterator, FloorPage *page) {
  const char *table = NULL;
  int count = 0;
  int operation = 0;
  sqlite3_value *key = NULL;
  sqlite3_value *name = NULL;
  FloorChange change = {.entity = 1};
  int code = sqlite3changeset_op(iterator, &table, &count, &operation, NULL);
  if (code != SQLITE_OK) return code;
  switch (operation) {
    case SQLITE_INSERT:
      change.type = TYPE_INSERT;
      code = sqlite3changeset_new(iterator, 0, &key);
      break;
    case SQLITE_UPDATE:
      change.type = TYPE_UPDATE;
      change.columns = changed_columns(iterator, count);
      code = sqlite3changeset_old(iterator, 0, &key);
      break;
    default:
      change.type = TYPE_DELETE;
      code = sqlite3changeset_old(iterator, 0, &key);
      if (code == SQLITE_OK) code = sqlite3changeset_old(iterator, PEER_FIRST_COLUMN, &name);
  }
  if (code != SQLITE_OK) return code;
  change.key = sqlite3_value_int64(key);
  if (name == NULL) return append(page, change, NULL, 0);
  return append(page, change, sqlite3_value_blob(name), sqlite3_value_bytes(name));
}

static int read_changeset(sqlite3_stmt *row, FloorPage *page) {
  int code = floor_make_room(page, 1, 0, 0);
  if (code != SQLITE_OK) return code;
  FloorTransaction *transaction = &page->transactions[page->transaction_count++];
  *transaction = (FloorTransaction){
      .number = sqlite3_column_int64(row, 0),
      .timestamp = sqlite3_column_double(row, 1),
      .author = sqlite3_column_int(row, 2),
      .context = sqlite3_column_int(row, 3),
      .bundle = sqlite3_column_int(row, 4),
      .process = sqlite3_column_int(row, 5),
      .first_change = page->change_count,
  };
  sqlite3_changeset_iter *iterator = NULL;
  // SQLite's signature lacks const, although the bytes are only read.
  code = sqlite3changeset_start(
      &iterator, sqlite3_column_bytes(row, 7), (void *)sqlite3_column_blob(row, 7));
  if (code != SQLITE_OK) return code;
  while (code == SQLITE_OK && sqlite3changeset_next(iterator) == SQLITE_ROW) {
    code = append_of_session(iterator, page);
  }
  int end = sqlite3changeset_finalize(iterator);
  transaction->count = page->change_count - transaction->first_change;
  return code == SQLITE_OK ? end : code;
}

int peer_fetch(Floor *floor, int64_t after, FloorPage *page) {
  static int (*const readers[])(sqlite3_stmt *, FloorPage *) = {
      [PEER_TRIGGERS] = read_change,
      [PEER_SESSION] = read_changeset,
      [PEER_HISTORY_TABLE] = read_row,
  };
  Peer *peer = floor->peer;
  sqlite3_stmt *fetch = peer->statements[PEER_FETCH];
  memset(page, 0, sizeof *page);
  sqlite3_bind_int64(fetch, 1, after);
  int code = sqlite3_step(fetch);
  while (code == SQLITE_ROW) {
    code = readers[peer->kind](fetch, page);
    if (code != SQLITE_OK) break;
    code = sqlite3_step(fetch);
  }
  sqlite3_reset(fetch);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}
