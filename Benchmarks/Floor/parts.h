// What the files of the floor share.

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
  FLOOR_STATEMENT_COUNT,
} FloorStatement;

// The keys that the table floor_keys shows to SQL.
typedef struct {
  const int64_t *keys;
  int64_t count;
} FloorKeys;

typedef struct Peer Peer;

struct Floor {
  sqlite3 *connection;
  sqlite3_stmt *statements[FLOOR_STATEMENT_COUNT];
  FloorKeys keys;
  // Who records what is written, or NULL.
  Peer *peer;
};

// Runs a statement that answers no rows, and resets it.
int floor_run(sqlite3_stmt *statement);

int floor_begin(Floor *floor);

// Commits when all went well, else rolls back; answers what went wrong first.
int floor_end(Floor *floor, int code);

// Makes the table floor_keys.
int floor_register_keys(Floor *floor);

// Makes room in a page for some more transactions, changes, and bytes of tombstones.
int floor_make_room(FloorPage *page, int64_t transactions, int64_t changes, int64_t bytes);

// What a peer does right after BEGIN, and right before COMMIT or ROLLBACK; the latter answers what
// went wrong first.
int peer_begin(Floor *floor);
int peer_end(Floor *floor, int code);

void peer_free(Peer *peer);

#endif
