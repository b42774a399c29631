// Peers: other ways to keep history on SQLite, written anew from their public descriptions.
//
// A peer records what the floor writes into one table. The statements that write are the floor's
// own, so that peers differ from the floor, and from each other, in nothing but the recording.

#ifndef PEERS_H
#define PEERS_H

#include <stdint.h>

#include "floor.h"

#pragma clang assume_nonnull begin

typedef enum {
  // SQL triggers insert a row for each change into one table of changes, beside a table of
  // transactions (https://sqlite.org/lang_createtrigger.html).
  PEER_TRIGGERS,
  // The session extension makes one changeset of each transaction, kept as a blob in the row of the
  // transaction (https://sqlite.org/sessionintro.html).
  PEER_SESSION,
  // The triggers of sqlite-history: for each change the whole row with its version and a mask of
  // the columns (https://github.com/simonw/sqlite-history). It knows no transactions.
  PEER_HISTORY_TABLE,
} PeerKind;

// Makes what the peer needs in the file, and lets it record what is written into a table from now
// on. One peer a floor.
int peer_attach(Floor *floor, PeerKind kind, const char *table);

// Makes changes to the table as one transaction: inserts rows, updates quantity and price, deletes.
int peer_apply(Floor *floor, const FloorChange *changes, int64_t count, int64_t version);

// Reads what was recorded after a transaction, the changes of one transaction in any order. Only
// the session's page has transactions; the history table has but one, which is everything.
int peer_fetch(Floor *floor, int64_t after, FloorPage *page);

// The number of the transaction that was recorded last.
int64_t peer_last(const Floor *floor);

// Forgets all that was recorded.
int peer_clear(Floor *floor);

#pragma clang assume_nonnull end

#endif
