// Peers: other ways to keep history on SQLite, implemented from their public descriptions.
//
// A peer records what the floor writes into one table. The statements that write are the floor's
// own, so that peers differ from the floor, and from each other, only in the recording.

#ifndef PEERS_H
#define PEERS_H

#include <stdint.h>

#include "floor.h"

#pragma clang assume_nonnull begin

typedef enum {
  // SQL triggers insert a row for each change into one table of changes, next to a table of
  // transactions (https://sqlite.org/lang_createtrigger.html).
  PEER_TRIGGERS,
  // The session extension makes one changeset of each transaction, kept as a blob in the row of the
  // transaction (https://sqlite.org/sessionintro.html).
  PEER_SESSION,
  // The triggers of sqlite-history: for each change the whole row with its version and a mask of
  // the columns (https://github.com/simonw/sqlite-history). It does not record transactions.
  PEER_HISTORY_TABLE,
} PeerKind;

// Creates the peer's tables in the file, and lets the peer record the writes to a table from now
// on. A floor has at most one peer.
int peer_attach(Floor *floor, PeerKind kind, const char *table);

// Applies changes to the table in one transaction: inserts rows, updates quantity and price,
// deletes.
int peer_apply(Floor *floor, const FloorChange *changes, int64_t count, int64_t version);

// Reads what was recorded after a transaction, the changes of one transaction in any order. Only
// the session's page has the single transactions; the page of the history table has one transaction
// with all changes.
int peer_fetch(Floor *floor, int64_t after, FloorPage *page);

// The number of the last recorded transaction.
int64_t peer_last(const Floor *floor);

// Deletes all records.
int peer_clear(Floor *floor);

#pragma clang assume_nonnull end

#endif
