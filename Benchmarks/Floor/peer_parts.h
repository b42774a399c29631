// The declarations that the files of the peers share.

#ifndef FLOOR_PEER_PARTS_H
#define FLOOR_PEER_PARTS_H

// SQLite's header declares the session extension only if these macros are defined.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1

#include "parts.h"
#include "peers.h"

typedef enum {
  // Sets the number of the current transaction for the triggers.
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
  // The number of the current transaction, or of the last one.
  int64_t number;
  // SQLite's count of changed rows when the transaction began.
  int64_t changed_before;
  sqlite3_session *session;
  sqlite3_stmt *statements[PEER_STATEMENT_COUNT];
};

// The columns of the table after key and version, bit for bit as in a change's bitmap.
enum { PEER_COLUMN_COUNT = 5, PEER_FIRST_COLUMN = 2 };
extern const char *const peer_columns[PEER_COLUMN_COUNT];

// Creates the tables and triggers of a kind of peer.
int peer_create_schema(sqlite3 *connection, PeerKind kind, const char *table);

#endif
