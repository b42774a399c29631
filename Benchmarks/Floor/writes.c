// Inserts, updates and deletes.

#include "parts.h"

void floor_bind_item(
    sqlite3_stmt *insert, const FloorItem *item, int64_t key, int64_t version) {
  sqlite3_bind_int64(insert, 1, key);
  sqlite3_bind_int64(insert, 2, version);
  sqlite3_bind_text(insert, 3, item->name, sizeof item->name, SQLITE_STATIC);
  sqlite3_bind_int64(insert, 4, item->kind);
  sqlite3_bind_int64(insert, 5, item->quantity);
  sqlite3_bind_double(insert, 6, item->price);
  sqlite3_bind_double(insert, 7, item->changed);
}

int floor_insert(
    Floor *floor, const FloorItem *items, int64_t count, int64_t first_key, int64_t version) {
  sqlite3_stmt *insert = floor->statements[FLOOR_INSERT_SLIP];
  int code = floor_begin(floor);
  for (int64_t index = 0; index < count && code == SQLITE_OK; index++) {
    floor_bind_item(insert, &items[index], first_key + index, version);
    code = floor_run(insert);
  }
  return floor_end(floor, code);
}

static void bind_values(
    sqlite3_stmt *update, int64_t version, int64_t quantity, double price) {
  sqlite3_bind_int64(update, 1, version);
  sqlite3_bind_int64(update, 2, quantity);
  sqlite3_bind_double(update, 3, price);
}

int floor_update(
    Floor *floor, int64_t kind, int64_t version, int64_t quantity, double price,
    int64_t *changed) {
  sqlite3_stmt *update = floor->statements[FLOOR_UPDATE_KIND];
  bind_values(update, version, quantity, price);
  sqlite3_bind_int64(update, 4, kind);
  int code = floor_begin(floor);
  if (code == SQLITE_OK) code = floor_run(update);
  *changed = sqlite3_changes64(floor->connection);
  return floor_end(floor, code);
}

int floor_delete(Floor *floor, int64_t kind, int64_t *changed) {
  sqlite3_stmt *delete = floor->statements[FLOOR_DELETE_KIND];
  sqlite3_bind_int64(delete, 1, kind);
  int code = floor_begin(floor);
  if (code == SQLITE_OK) code = floor_run(delete);
  *changed = sqlite3_changes64(floor->connection);
  return floor_end(floor, code);
}

int floor_update_slips(
    Floor *floor, int64_t first_key, int64_t count, int64_t version, int64_t quantity,
    double price) {
  sqlite3_stmt *update = floor->statements[FLOOR_UPDATE_SLIP];
  int code = floor_begin(floor);
  for (int64_t index = 0; index < count && code == SQLITE_OK; index++) {
    bind_values(update, version, quantity, price);
    sqlite3_bind_int64(update, 4, first_key + index);
    code = floor_run(update);
  }
  return floor_end(floor, code);
}

int floor_delete_slips(Floor *floor, int64_t first_key, int64_t count, int64_t *deleted) {
  sqlite3_stmt *delete = floor->statements[FLOOR_DELETE_SLIP];
  int64_t before = sqlite3_total_changes64(floor->connection);
  int code = floor_begin(floor);
  for (int64_t index = 0; index < count && code == SQLITE_OK; index++) {
    sqlite3_bind_int64(delete, 1, first_key + index);
    code = floor_run(delete);
  }
  *deleted = sqlite3_total_changes64(floor->connection) - before;
  return floor_end(floor, code);
}

int floor_update_items(
    Floor *floor, const int64_t *keys, int64_t count, int64_t version, int64_t quantity,
    double price) {
  sqlite3_stmt *update = floor->statements[FLOOR_UPDATE_ITEM];
  bind_values(update, version, quantity, price);
  int code = floor_begin(floor);
  for (int64_t index = 0; index < count && code == SQLITE_OK; index++) {
    sqlite3_bind_int64(update, 4, keys[index]);
    code = floor_run(update);
  }
  return floor_end(floor, code);
}
