// Reading a part of history, all rows, and the least cursor.

#include <string.h>

#include "parts.h"

// MARK: History

int floor_fetch_author(
    Floor *floor, int64_t after, int64_t limit, const char *author, FloorPage *page) {
  sqlite3_stmt *fetch = floor->statements[FLOOR_FETCH_AUTHOR];
  int64_t number = 0;
  memset(page, 0, sizeof *page);
  int code = floor_find_string(floor, author, &number);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_int64(fetch, 3, number);
  return floor_read_page(fetch, after, limit, page);
}

int floor_fetch_entity(
    Floor *floor, int64_t after, int64_t limit, int64_t entity, FloorPage *page) {
  sqlite3_stmt *fetch = floor->statements[FLOOR_FETCH_ENTITY];
  // The store keeps one bit for each entity, by number modulo 64.
  sqlite3_bind_int64(fetch, 3, (int64_t)((uint64_t)1 << (entity & 63)));
  return floor_read_page(fetch, after, limit, page);
}

int floor_head(Floor *floor, int64_t *number) {
  sqlite3_stmt *select = floor->statements[FLOOR_HEAD];
  int code = sqlite3_step(select);
  *number = code == SQLITE_ROW ? sqlite3_column_int64(select, 0) : 0;
  sqlite3_reset(select);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

// MARK: Rows

int floor_all_rows(Floor *floor, FloorRow *rows, int64_t room, int64_t *found) {
  sqlite3_stmt *select = floor->statements[FLOOR_SELECT_ALL];
  *found = 0;
  int code = sqlite3_step(select);
  while (code == SQLITE_ROW && *found < room) {
    floor_read_row(select, &rows[*found]);
    *found += 1;
    code = sqlite3_step(select);
  }
  sqlite3_reset(select);
  return code == SQLITE_DONE ? SQLITE_OK : SQLITE_TOOBIG;
}

int floor_rows_from(
    Floor *floor, int64_t quantity, FloorRow *rows, int64_t limit, int64_t *found) {
  sqlite3_stmt *select = floor->statements[FLOOR_SELECT_FROM];
  sqlite3_bind_int64(select, 1, quantity);
  sqlite3_bind_int64(select, 2, limit);
  *found = 0;
  int code = sqlite3_step(select);
  while (code == SQLITE_ROW && *found < limit) {
    floor_read_row(select, &rows[*found]);
    *found += 1;
    code = sqlite3_step(select);
  }
  sqlite3_reset(select);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

// Returns whether two rows with the same key have equal values.
static int is_same(const FloorRow *one, const FloorRow *other) {
  return one->version == other->version
      && memcmp(&one->item, &other->item, sizeof one->item) == 0;
}

int floor_compare(
    Floor *floor, const FloorRow *known, int64_t count, FloorRow *differing, int64_t room,
    int64_t *written, int64_t *gone) {
  sqlite3_stmt *select = floor->statements[FLOOR_SELECT_ALL];
  int64_t next = 0;
  *written = 0;
  *gone = 0;
  int code = sqlite3_step(select);
  while (code == SQLITE_ROW && *written < room) {
    FloorRow *row = &differing[*written];
    floor_read_row(select, row);
    while (next < count && known[next].key < row->key) {
      next += 1;
      *gone += 1;
    }
    int is_known = next < count && known[next].key == row->key;
    if (!is_known || !is_same(&known[next], row)) *written += 1;
    if (is_known) next += 1;
    code = sqlite3_step(select);
  }
  *gone += count - next;
  sqlite3_reset(select);
  return code == SQLITE_DONE ? SQLITE_OK : SQLITE_TOOBIG;
}

// MARK: Members

int floor_watermark(Floor *floor, int64_t *least) {
  sqlite3_stmt *select = floor->statements[FLOOR_WATERMARK];
  *least = 0;
  int code = floor_begin(floor);
  if (code != SQLITE_OK) return code;
  code = sqlite3_step(select);
  if (code == SQLITE_ROW) *least = sqlite3_column_int64(select, 0);
  sqlite3_reset(select);
  return floor_end(floor, code == SQLITE_ROW ? SQLITE_OK : code);
}
