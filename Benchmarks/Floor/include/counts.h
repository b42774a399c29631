// Counts of SQLite's work, over all connections that one thread opens.
//
// While counting is on, an extension that SQLite loads into each connection
// (https://sqlite.org/c3ref/auto_extension.html) registers every connection that the thread opens.
// The steps of a statement are counted when the statement ends
// (https://sqlite.org/c3ref/c_trace.html); the other counts are read from the connections.
// Connections that were opened before, or by other threads, are not counted.

#ifndef COUNTS_H
#define COUNTS_H

#include <stdint.h>

#pragma clang assume_nonnull begin

// Sums since counting was started.
typedef struct {
  // Instructions of SQLite's virtual machine.
  int64_t vm_steps;
  // Pages that were requested, from the cache or from the file.
  int64_t page_reads;
  // Pages that were written to a file, including the write-ahead log.
  int64_t page_writes;
  // Rows that were inserted, updated or deleted.
  int64_t rows;
} SQLiteCounts;

// Starts counting connections that the calling thread opens from now on; the sums start at 0.
int counts_start(void);

// Registers no further connections; the registered ones are still counted.
void counts_stop(void);

// Reads the sums. Nothing is allocated.
void counts_read(SQLiteCounts *counts);

// Does nothing. Callgrind writes a profile when a process calls it.
void counts_mark(void);

// Executes about COUNTS_SPIN_INSTRUCTIONS instructions in each round.
void counts_spin(int64_t rounds);

enum { COUNTS_CONNECTIONS_MAX = 1024, COUNTS_SPIN_INSTRUCTIONS = 10 };

#pragma clang assume_nonnull end

#endif
