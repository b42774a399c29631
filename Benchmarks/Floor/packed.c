// Inserts, updates and deletes that write history as the store does: one commit has the rows and
// one row of history, with the changes packed into one blob (see history.c for its format).

#include <string.h>
#include <time.h>

#include "parts.h"

enum {
  // The greatest number of bytes that the store keeps in one row; it writes chunks beyond.
  BLOB_MAX = 32 * 1024,
  FORMAT_VERSION = 1,
  TYPE_INSERT = 0,
  TYPE_UPDATE = 1,
  TYPE_DELETE = 2,
  // The number of the entity, and the columns that updates set.
  SLIP = 2,
  QUANTITY_AND_PRICE = 0xc,
  // The bytes with which a tombstone marks the first attribute, and a text.
  NAME = 0,
  TEXT = 3,
};

// Seconds between 1970-01-01, where the clock of the machine starts, and 2001-01-01.
static const double reference_date = 978307200;

static inline void put_varint(FloorPacker *packer, uint64_t value) {
  uint8_t *next = packer->bytes + packer->length;
  while (value >= 0x80) {
    *next++ = (uint8_t)value | 0x80;
    value >>= 7;
  }
  *next++ = (uint8_t)value;
  packer->length = (int)(next - packer->bytes);
}

// Makes room for one more change, and starts it.
static inline int put_change(FloorPacker *packer, int type, int64_t key, int64_t more) {
  if (packer->length + more + 32 > BLOB_MAX) return SQLITE_TOOBIG;
  int64_t step = key - packer->last_key;
  put_varint(packer, SLIP << 2 | (uint64_t)type);
  put_varint(packer, (uint64_t)step << 1 ^ (uint64_t)(step >> 63));
  packer->last_key = key;
  packer->count += 1;
  return SQLITE_OK;
}

// The function that the statement of a delete calls with the key and the name of each row, before
// it deletes the row.
static void pack_delete(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  FloorPacker *packer = sqlite3_user_data(context);
  const void *name = sqlite3_value_blob(values[1]);
  int length = sqlite3_value_bytes(values[1]);
  if (put_change(packer, TYPE_DELETE, sqlite3_value_int64(values[0]), length) != SQLITE_OK) {
    sqlite3_result_error_toobig(context);
    return;
  }
  // Names in the benchmarks are short, so each of the two lengths takes one byte.
  put_varint(packer, (uint64_t)length + 3);
  packer->bytes[packer->length++] = NAME;
  packer->bytes[packer->length++] = TEXT;
  put_varint(packer, (uint64_t)length);
  memcpy(packer->bytes + packer->length, name, (size_t)length);
  packer->length += length;
  sqlite3_result_int(context, 1);
}

int floor_register_packing(Floor *floor) {
  int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
  return sqlite3_create_function_v2(
      floor->connection, "floor_pack_delete", 2, flags, &floor->packer, pack_delete, NULL, NULL,
      NULL);
}

// MARK: A transaction

// Reads the newest transaction again if another connection has written since the last read, which
// SQLITE_FCNTL_DATA_VERSION shows.
static int read_head(Floor *floor) {
  FloorHead *head = &floor->head;
  unsigned int version = 0;
  sqlite3_file_control(floor->connection, NULL, SQLITE_FCNTL_DATA_VERSION, &version);
  if (head->number != 0 && head->data_version == version) return SQLITE_OK;
  sqlite3_stmt *select = floor->statements[FLOOR_HEAD];
  int code = sqlite3_step(select);
  if (code == SQLITE_ROW) {
    head->number = sqlite3_column_int64(select, 0);
    head->timestamp = sqlite3_column_double(select, 1);
  }
  sqlite3_reset(select);
  return code == SQLITE_ROW ? SQLITE_OK : SQLITE_MISMATCH;
}

// Begins a write; its transaction gets the number after the newest one.
static int begin(Floor *floor) {
  FloorPacker *packer = &floor->packer;
  packer->bytes[0] = FORMAT_VERSION;
  packer->length = 1;
  packer->count = 0;
  packer->last_key = 0;
  int code = floor_begin(floor);
  return code == SQLITE_OK ? read_head(floor) : code;
}

static double timestamp_after(double previous) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  double seconds = (double)now.tv_sec - reference_date + (double)now.tv_nsec * 1e-9;
  return seconds > previous ? seconds : previous + 1e-6;
}

// The next mark (SplitMix64).
static int64_t next_mark(FloorHead *head) {
  uint64_t mixed = head->marks += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return (int64_t)((mixed ^ mixed >> 31) >> 33);
}

static int insert_transaction(Floor *floor, double timestamp) {
  const FloorPacker *packer = &floor->packer;
  sqlite3_stmt *insert = floor->statements[FLOOR_INSERT_TRANSACTION];
  sqlite3_bind_int64(insert, 1, floor->head.number + 1);
  sqlite3_bind_double(insert, 2, timestamp);
  sqlite3_bind_int64(insert, 3, next_mark(&floor->head));
  sqlite3_bind_int64(insert, 4, floor->names.author);
  sqlite3_bind_int64(insert, 5, 0);
  sqlite3_bind_int64(insert, 6, floor->names.bundle);
  sqlite3_bind_int64(insert, 7, floor->names.process);
  sqlite3_bind_int64(insert, 8, 0);
  sqlite3_bind_int64(insert, 9, packer->count);
  sqlite3_bind_int64(insert, 10, 1 << SLIP);
  sqlite3_bind_blob(insert, 11, packer->bytes, packer->length, SQLITE_STATIC);
  return floor_run(insert);
}

// Writes the transaction and commits, or rolls back after a failure.
static int end(Floor *floor, int code) {
  double timestamp = timestamp_after(floor->head.timestamp);
  if (code == SQLITE_OK) code = insert_transaction(floor, timestamp);
  code = floor_end(floor, code);
  FloorHead *head = &floor->head;
  if (code == SQLITE_OK) {
    head->number += 1;
    head->timestamp = timestamp;
    sqlite3_file_control(
        floor->connection, NULL, SQLITE_FCNTL_DATA_VERSION, &head->data_version);
  } else {
    head->number = 0;
  }
  return code;
}

// MARK: What is written

int floor_insert_packed(
    Floor *floor, const FloorItem *items, int64_t count, int64_t first_key) {
  sqlite3_stmt *insert = floor->statements[FLOOR_INSERT_SLIP];
  int code = begin(floor);
  for (int64_t index = 0; index < count && code == SQLITE_OK; index++) {
    floor_bind_item(insert, &items[index], first_key + index, floor->head.number + 1);
    code = floor_run(insert);
    if (code == SQLITE_OK) {
      code = put_change(&floor->packer, TYPE_INSERT, first_key + index, 0);
    }
  }
  return end(floor, code);
}

int floor_update_packed(
    Floor *floor, int64_t first_key, int64_t count, int64_t quantity, double price) {
  sqlite3_stmt *update = floor->statements[FLOOR_UPDATE_SLIP];
  int code = begin(floor);
  for (int64_t index = 0; index < count && code == SQLITE_OK; index++) {
    sqlite3_bind_int64(update, 1, floor->head.number + 1);
    sqlite3_bind_int64(update, 2, quantity);
    sqlite3_bind_double(update, 3, price);
    sqlite3_bind_int64(update, 4, first_key + index);
    code = floor_run(update);
    if (code != SQLITE_OK || sqlite3_changes64(floor->connection) == 0) continue;
    code = put_change(&floor->packer, TYPE_UPDATE, first_key + index, 0);
    put_varint(&floor->packer, QUANTITY_AND_PRICE);
  }
  return end(floor, code);
}

int floor_delete_packed(Floor *floor, int64_t first_key, int64_t count, int64_t *deleted) {
  sqlite3_stmt *delete = floor->statements[FLOOR_DELETE_PACKED];
  sqlite3_bind_int64(delete, 1, first_key);
  sqlite3_bind_int64(delete, 2, first_key + count - 1);
  int code = begin(floor);
  if (code == SQLITE_OK) code = floor_run(delete);
  *deleted = floor->packer.count;
  return end(floor, code);
}

int floor_find_string(Floor *floor, const char *text, int64_t *number) {
  sqlite3_stmt *find = floor->statements[FLOOR_FIND_STRING];
  sqlite3_bind_text(find, 1, text, -1, SQLITE_TRANSIENT);
  int code = sqlite3_step(find);
  *number = code == SQLITE_ROW ? sqlite3_column_int64(find, 0) : 0;
  sqlite3_reset(find);
  if (code == SQLITE_DONE) return SQLITE_NOTFOUND;
  return code == SQLITE_ROW ? SQLITE_OK : code;
}

int floor_take_names(
    Floor *floor, const char *author, const char *bundle, const char *process) {
  int code = floor_find_string(floor, author, &floor->names.author);
  if (code == SQLITE_OK) code = floor_find_string(floor, bundle, &floor->names.bundle);
  if (code == SQLITE_OK) code = floor_find_string(floor, process, &floor->names.process);
  return code;
}
