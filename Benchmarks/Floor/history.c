// Fetching, purging and recording.
//
// The decoder reverses the store's packing. A blob is a version byte and then the changes:
//
//   varint    entity * 4 + type
//   zigzag    the key, as the difference to the change before
//   update:   varint, the bitmap of the columns that were set
//   delete:   varint, the length of the tombstone, and its bytes
//
// The decoder does not validate the bytes, as the store must.

#include <stdlib.h>
#include <string.h>

#include "parts.h"

enum { FORMAT_VERSION = 1, TYPE_UPDATE = 1, TYPE_DELETE = 2 };

// Seven bits per byte, low bits first; a set high bit means that another byte follows.
static inline uint64_t read_varint(const uint8_t **bytes) {
  const uint8_t *next = *bytes;
  uint64_t value = 0;
  int shift = 0;
  while (*next & 0x80) {
    value |= (uint64_t)(*next++ & 0x7f) << shift;
    shift += 7;
  }
  value |= (uint64_t)*next++ << shift;
  *bytes = next;
  return value;
}

static inline int64_t read_zigzag(const uint8_t **bytes) {
  uint64_t raw = read_varint(bytes);
  return (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
}

// Makes room for more elements of some size; returns NULL if there is no memory.
static void *with_room(void *array, int64_t *capacity, int64_t needed, size_t size) {
  if (array != NULL && needed <= *capacity) return array;
  int64_t wanted = *capacity == 0 ? 64 : *capacity * 2;
  while (wanted < needed) wanted *= 2;
  void *larger = realloc(array, (size_t)wanted * size);
  if (larger != NULL) *capacity = wanted;
  return larger;
}

int floor_make_room(FloorPage *page, int64_t transactions, int64_t changes, int64_t bytes) {
  FloorTransaction *more = with_room(
      page->transactions, &page->transaction_capacity, page->transaction_count + transactions,
      sizeof(FloorTransaction));
  if (more == NULL) return SQLITE_NOMEM;
  page->transactions = more;
  FloorChange *records = with_room(
      page->changes, &page->change_capacity, page->change_count + changes, sizeof(FloorChange));
  if (records == NULL) return SQLITE_NOMEM;
  page->changes = records;
  // No tombstone is longer than its blob.
  uint8_t *tombstones = with_room(
      page->tombstones, &page->tombstone_capacity, page->tombstone_count + bytes, 1);
  if (tombstones == NULL) return SQLITE_NOMEM;
  page->tombstones = tombstones;
  return SQLITE_OK;
}

static void unpack(FloorPage *page, const uint8_t *bytes, const uint8_t *end) {
  int64_t key = 0;
  while (bytes < end) {
    uint64_t head = read_varint(&bytes);
    key += read_zigzag(&bytes);
    FloorChange change = {.key = key, .entity = (int32_t)(head >> 2), .type = head & 3};
    if (change.type == TYPE_UPDATE) {
      change.columns = read_varint(&bytes);
    } else if (change.type == TYPE_DELETE) {
      uint64_t length = read_varint(&bytes);
      change.tombstone_start = (uint32_t)page->tombstone_count;
      change.tombstone_length = (uint32_t)length;
      memcpy(page->tombstones + page->tombstone_count, bytes, length);
      page->tombstone_count += (int64_t)length;
      bytes += length;
    }
    page->changes[page->change_count++] = change;
  }
}

static int append(FloorPage *page, sqlite3_stmt *row) {
  const uint8_t *bytes = sqlite3_column_blob(row, 9);
  int length = sqlite3_column_bytes(row, 9);
  if (length == 0 || bytes[0] != FORMAT_VERSION) return SQLITE_MISMATCH;
  int64_t count = sqlite3_column_int64(row, 8);
  int code = floor_make_room(page, 1, count, length);
  if (code != SQLITE_OK) return code;
  page->transactions[page->transaction_count++] = (FloorTransaction){
      .number = sqlite3_column_int64(row, 0),
      .timestamp = sqlite3_column_double(row, 1),
      .mark = sqlite3_column_int64(row, 2),
      .author = sqlite3_column_int(row, 3),
      .context = sqlite3_column_int(row, 4),
      .bundle = sqlite3_column_int(row, 5),
      .process = sqlite3_column_int(row, 6),
      .writer = sqlite3_column_int64(row, 7),
      .first_change = page->change_count,
      .count = count,
  };
  unpack(page, bytes + 1, bytes + length);
  return SQLITE_OK;
}

int floor_read_page(sqlite3_stmt *fetch, int64_t after, int64_t limit, FloorPage *page) {
  memset(page, 0, sizeof *page);
  sqlite3_bind_int64(fetch, 1, after);
  sqlite3_bind_int64(fetch, 2, limit);
  int code = sqlite3_step(fetch);
  while (code == SQLITE_ROW) {
    code = append(page, fetch);
    if (code != SQLITE_OK) break;
    code = sqlite3_step(fetch);
  }
  sqlite3_reset(fetch);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

int floor_fetch(Floor *floor, int64_t after, int64_t limit, FloorPage *page) {
  return floor_read_page(floor->statements[FLOOR_FETCH], after, limit, page);
}

void floor_page_free(FloorPage *page) {
  free(page->transactions);
  free(page->changes);
  free(page->tombstones);
  memset(page, 0, sizeof *page);
}

int floor_purge(Floor *floor, int64_t through, int64_t *deleted) {
  sqlite3_stmt *purge = floor->statements[FLOOR_PURGE];
  sqlite3_bind_int64(purge, 1, through);
  int code = floor_begin(floor);
  if (code == SQLITE_OK) code = floor_run(purge);
  *deleted = sqlite3_changes64(floor->connection);
  return floor_end(floor, code);
}

int floor_record(Floor *floor, const char *member, int64_t cursor, int64_t mark, double seen) {
  sqlite3_stmt *record = floor->statements[FLOOR_RECORD];
  sqlite3_bind_text(record, 1, member, -1, SQLITE_TRANSIENT);
  sqlite3_bind_int64(record, 2, cursor);
  sqlite3_bind_int64(record, 3, mark);
  sqlite3_bind_double(record, 4, seen);
  int code = floor_begin(floor);
  if (code == SQLITE_OK) code = floor_run(record);
  return floor_end(floor, code);
}

int floor_join(Floor *floor, const char *member, double seen, int64_t *epoch) {
  sqlite3_stmt *next = floor->statements[FLOOR_NEXT_EPOCH];
  sqlite3_stmt *join = floor->statements[FLOOR_JOIN];
  int code = floor_begin(floor);
  if (code == SQLITE_OK) {
    code = sqlite3_step(next);
    *epoch = sqlite3_column_int64(next, 0);
    sqlite3_reset(next);
    code = code == SQLITE_ROW ? SQLITE_OK : SQLITE_MISMATCH;
  }
  if (code == SQLITE_OK) {
    sqlite3_bind_text(join, 1, member, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(join, 2, *epoch);
    sqlite3_bind_double(join, 3, seen);
    code = floor_run(join);
  }
  return floor_end(floor, code);
}
