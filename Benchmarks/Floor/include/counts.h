// What SQLite does, counted over all connections that one thread opens.
//
// While counting is on, every connection that the thread opens is noted by an extension that SQLite
// loads into it (https://sqlite.org/c3ref/auto_extension.html). The steps of a statement are taken when it
// ends (https://sqlite.org/c3ref/c_trace.html), the rest is asked of the connections. Connections
// that were opened before, or by others, are not counted; a statement under way counts when it ends.

#ifndef COUNTS_H
#define COUNTS_H

#include <stdint.h>

#pragma clang assume_nonnull begin

// Sums since counting was turned on.
typedef struct {
  // Instructions of SQLite's virtual machine.
  int64_t vm_steps;
  // Pages that were asked for, whether they lay in the cache or not.
  int64_t page_reads;
  // Pages that were written to a file, the write-ahead log's among them.
  int64_t page_writes;
  // Rows that were inserted, updated or deleted.
  int64_t rows;
} SQLiteCounts;

// Notes every connection that the calling thread opens from now on; the sums begin at zero.
int counts_start(void);

// Notes no further connection; those that were noted are still counted.
void counts_stop(void);

// Reads the sums. Nothing is allocated.
void counts_read(SQLiteCounts *counts);

enum { COUNTS_CONNECTIONS_MAX = 1024 };

#pragma clang assume_nonnull end

#endif
