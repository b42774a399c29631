// The floor: the same work with raw SQLite in C, with whose cost the store is compared.
//
// The floor has one connection to a file with the store's tables and settings, and one prepared
// statement for each operation. It tracks nothing, and checks only what SQLite checks. A store that
// keeps history cannot be faster; the ratio to the floor is the cost of keeping history.
//
// Functions return SQLITE_OK or SQLite's result code; floor_message returns its message. A write is
// one BEGIN IMMEDIATE and COMMIT, rolled back when a statement in it fails.

#ifndef FLOOR_H
#define FLOOR_H

#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct Floor Floor;

// Opens a file that a store has made, and sets the pragmas that are given as SQL.
int floor_open(const char *path, const char *pragmas, Floor *_Nullable *_Nonnull floor);
void floor_close(Floor *floor);
const char *floor_message(const Floor *floor);

// MARK: Rows

// The values of a row, without its key and version.
typedef struct {
  char name[16];
  int64_t kind;
  int64_t quantity;
  double price;
  double changed;
} FloorItem;

// A row as it is read.
typedef struct {
  int64_t key;
  int64_t version;
  FloorItem item;
} FloorRow;

// Inserts slips with keys from first_key on: one statement a row.
int floor_insert(
    Floor *floor, const FloorItem *items, int64_t count, int64_t first_key, int64_t version);

// Sets quantity and price of the slips of a kind: one statement for all.
int floor_update(
    Floor *floor, int64_t kind, int64_t version, int64_t quantity, double price, int64_t *changed);

// Deletes the slips of a kind: one statement for all.
int floor_delete(Floor *floor, int64_t kind, int64_t *changed);

// The same update and delete with one statement per row, by key. The values are bound for each row,
// as if each row had its own.
int floor_update_slips(
    Floor *floor, int64_t first_key, int64_t count, int64_t version, int64_t quantity,
    double price);
int floor_delete_slips(Floor *floor, int64_t first_key, int64_t count, int64_t *deleted);

// How one statement gets the values of many rows: as parameters, or from a virtual table.
typedef enum { FLOOR_VALUES, FLOOR_TABLE } FloorPlan;

// The same writes with one statement for all rows; each row has values of its own.
int floor_insert_many(
    Floor *floor, FloorPlan plan, const FloorItem *items, int64_t count, int64_t first_key,
    int64_t version);
int floor_update_many(
    Floor *floor, FloorPlan plan, int64_t first_key, int64_t count, int64_t version,
    int64_t quantity, double price);
int floor_delete_many(
    Floor *floor, FloorPlan plan, int64_t first_key, int64_t count, int64_t *deleted);

// Sets quantity and price of some items by their keys.
int floor_update_items(
    Floor *floor, const int64_t *keys, int64_t count, int64_t version, int64_t quantity,
    double price);

// Reads the items with the given sorted keys that exist; rows has room for one per key.
int floor_rows(
    Floor *floor, const int64_t *keys, int64_t count, FloorRow *rows, int64_t *found);

// Reads all items, sorted by their keys; rows must have room for them.
int floor_all_rows(Floor *floor, FloorRow *rows, int64_t room, int64_t *found);

// Reads the first items with at least the given quantity, sorted by it; rows has room for limit.
int floor_rows_from(
    Floor *floor, int64_t quantity, FloorRow *rows, int64_t limit, int64_t *found);

// Reads all items and compares them with known rows, both sorted by key. New and changed rows are
// written to `differing`, which must have room for them; `written` is their number, and `gone` the
// number of known rows that are missing.
int floor_compare(
    Floor *floor, const FloorRow *known, int64_t count, FloorRow *differing, int64_t room,
    int64_t *written, int64_t *gone);

// MARK: Rows with history

// Looks up the strings that the transactions of this connection name; SQLITE_NOTFOUND when the file
// has not given a number to one of them yet.
int floor_take_names(
    Floor *floor, const char *author, const char *bundle, const char *process);

// The same writes with the packed history that the store would write: the least cost of tracking in
// C. Changes that do not fit into one row of history return SQLITE_TOOBIG.
int floor_insert_packed(
    Floor *floor, const FloorItem *items, int64_t count, int64_t first_key);
int floor_update_packed(
    Floor *floor, int64_t first_key, int64_t count, int64_t quantity, double price);
int floor_delete_packed(Floor *floor, int64_t first_key, int64_t count, int64_t *deleted);

// MARK: History

// A transaction of a page.
typedef struct {
  int64_t number;
  double timestamp;
  int64_t mark;
  int64_t writer;
  int64_t first_change;
  int64_t count;
  int32_t author;
  int32_t context;
  int32_t bundle;
  int32_t process;
} FloorTransaction;

// A change of a page: 32 bytes, as the store's own.
typedef struct {
  int64_t key;
  uint64_t columns;
  int32_t entity;
  uint32_t tombstone_start;
  uint32_t tombstone_length;
  uint8_t type;
} FloorChange;

// Transactions, with all changes in one flat array and all tombstones in one buffer.
typedef struct {
  FloorTransaction *_Nullable transactions;
  int64_t transaction_count;
  int64_t transaction_capacity;
  FloorChange *_Nullable changes;
  int64_t change_count;
  int64_t change_capacity;
  uint8_t *_Nullable tombstones;
  int64_t tombstone_count;
  int64_t tombstone_capacity;
} FloorPage;

// Reads the transactions after a number, and decodes their packed changes. Changes must be in the
// transaction's own row; a transaction in chunks returns SQLITE_MISMATCH.
int floor_fetch(Floor *floor, int64_t after, int64_t limit, FloorPage *page);
void floor_page_free(FloorPage *page);

// The same for one author's transactions, and for those that changed an entity. An author that the
// file does not contain returns SQLITE_NOTFOUND.
int floor_fetch_author(
    Floor *floor, int64_t after, int64_t limit, const char *author, FloorPage *page);
int floor_fetch_entity(
    Floor *floor, int64_t after, int64_t limit, int64_t entity, FloorPage *page);

// The number of the newest transaction, 0 without one.
int floor_head(Floor *floor, int64_t *number);

// Deletes the transactions through a number.
int floor_purge(Floor *floor, int64_t through, int64_t *deleted);

// MARK: Members

// Reads the least cursor within a write transaction, like a purge with nothing to delete; 0 without
// a member.
int floor_watermark(Floor *floor, int64_t *least);

// Moves a member's cursor.
int floor_record(Floor *floor, const char *member, int64_t cursor, int64_t mark, double seen);

// Increments the epoch and assigns it to a member.
int floor_join(Floor *floor, const char *member, double seen, int64_t *epoch);

#pragma clang assume_nonnull end

#endif
