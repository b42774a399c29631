// The declarations that the files of the floor share.

#ifndef FLOOR_PARTS_H
#define FLOOR_PARTS_H

#include <sqlite3.h>

#include "floor.h"

// The statements, each prepared when the file is opened.
typedef enum {
  FLOOR_BEGIN,
  FLOOR_COMMIT,
  FLOOR_INSERT_SLIP,
  FLOOR_UPDATE_KIND,
  FLOOR_DELETE_KIND,
  FLOOR_UPDATE_SLIP,
  FLOOR_DELETE_SLIP,
  FLOOR_UPDATE_ITEM,
  FLOOR_SELECT_ITEMS,
  FLOOR_FETCH,
  FLOOR_PURGE,
  FLOOR_RECORD,
  FLOOR_NEXT_EPOCH,
  FLOOR_JOIN,
  FLOOR_HEAD,
  FLOOR_INSERT_TRANSACTION,
  FLOOR_DELETE_PACKED,
  FLOOR_FIND_STRING,
  FLOOR_FETCH_AUTHOR,
  FLOOR_FETCH_ENTITY,
  FLOOR_SELECT_ALL,
  FLOOR_SELECT_FROM,
  FLOOR_WATERMARK,
  FLOOR_STATEMENT_COUNT,
} FloorStatement;

// The keys that the table floor_keys shows to SQL.
typedef struct {
  const int64_t *keys;
  int64_t count;
} FloorKeys;

// The packed changes of the write in progress.
typedef struct {
  uint8_t bytes[32 * 1024];
  int length;
  int64_t count;
  int64_t last_key;
} FloorPacker;

// The newest transaction (0 if it must be read), and the file's data_version at the last read.
typedef struct {
  int64_t number;
  double timestamp;
  unsigned int data_version;
  uint64_t marks;
} FloorHead;

// The numbers of the strings that transactions name.
typedef struct {
  int64_t author;
  int64_t bundle;
  int64_t process;
} FloorNames;

// The rows that one statement writes; without `items`, all of them have the values of `all`.
typedef struct {
  const FloorItem *items;
  FloorItem all;
  int64_t count;
  int64_t first_key;
  int64_t version;
} FloorSlips;

enum { FLOOR_MANY_COUNT = 3 };

// A statement that writes many rows, and their number (0 if it reads them from floor_slips).
typedef struct {
  sqlite3_stmt *statement;
  int64_t count;
} FloorMany;

typedef struct Peer Peer;

struct Floor {
  sqlite3 *connection;
  sqlite3_stmt *statements[FLOOR_STATEMENT_COUNT];
  FloorKeys keys;
  FloorPacker packer;
  FloorHead head;
  FloorNames names;
  FloorSlips slips;
  FloorMany many[FLOOR_MANY_COUNT];
  // The peer that records the writes, or NULL.
  Peer *peer;
};

// Runs a statement that returns no rows, and resets it.
int floor_run(sqlite3_stmt *statement);

int floor_begin(Floor *floor);

// Commits if the code is SQLITE_OK, otherwise rolls back; returns the first error code.
int floor_end(Floor *floor, int code);

// Binds a whole row to the statement that inserts it.
void floor_bind_item(
    sqlite3_stmt *insert, const FloorItem *item, int64_t key, int64_t version);

// Creates the SQL function that packs deletes.
int floor_register_packing(Floor *floor);

// Creates the virtual table floor_keys.
int floor_register_keys(Floor *floor);

// Creates the virtual table floor_slips.
int floor_register_slips(Floor *floor);

// Ends the statements that write many rows.
void floor_free_plans(Floor *floor);

// Looks up the number of a string in the file; returns SQLITE_NOTFOUND if there is none.
int floor_find_string(Floor *floor, const char *text, int64_t *number);

// Reads the columns of a row that a query returns.
void floor_read_row(sqlite3_stmt *select, FloorRow *row);

// Reads the transactions that a query returns, after binding its position and limit.
int floor_read_page(sqlite3_stmt *fetch, int64_t after, int64_t limit, FloorPage *page);

// Makes room in a page for some more transactions, changes, and bytes of tombstones.
int floor_make_room(FloorPage *page, int64_t transactions, int64_t changes, int64_t bytes);

// The peer's work right after BEGIN, and right before COMMIT or ROLLBACK; peer_end returns the
// first error code.
int peer_begin(Floor *floor);
int peer_end(Floor *floor, int code);

void peer_free(Peer *peer);

#endif
