// What the files of the peers share.

#ifndef FLOOR_PEER_PARTS_H
#define FLOOR_PEER_PARTS_H

// SQLite's header declares the session extension only to those who ask for it.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1

#include "parts.h"
#include "peers.h"

typedef enum {
  // Tells the triggers which transaction is under way.
  PEER_SET_CURRENT,
  PEER_INSERT_TRANSACTION,
  PEER_FETCH,
  PEER_INSERT_ROW,
  PEER_UPDATE_ROW,
  PEER_DELETE_ROW,
  PEER_STATEMENT_COUNT,
} PeerStatement;

struct Peer {
  PeerKind kind;
  char *table;
  // The number of the transaction that is under way, or was the last.
  int64_t number;
  // What SQLite had counted as changed when the transaction began.
  int64_t changed_before;
  sqlite3_session *session;
  sqlite3_stmt *statements[PEER_STATEMENT_COUNT];
};

// The columns of the table after key and version, bit for bit as in a change's bitmap.
enum { PEER_COLUMN_COUNT = 5, PEER_FIRST_COLUMN = 2 };
extern const char *const peer_columns[PEER_COLUMN_COUNT];

// Makes the tables and triggers of a kind.
int peer_create_schema(sqlite3 *connection, PeerKind kind, const char *table);

#endif
