// Measures how long the write lock is held.
//
// A VFS over the platform's own (https://sqlite.org/vfs.html) passes all calls on, and records how
// long each of its files holds the lock that a writer needs in WAL mode, from the time when SQLite
// gets the lock until SQLite releases it. Connections through other VFSs take the same locks and
// are not recorded.

#ifndef LOCKS_H
#define LOCKS_H

#include <stdint.h>

#pragma clang assume_nonnull begin

// The name of the VFS, after locks_register.
extern const char *const locks_vfs;

// Registers the VFS; further calls do nothing.
int locks_register(void);

// Clears the records.
void locks_reset(void);

// The number of times that the lock was taken and released.
int64_t locks_count(void);

// The duration of one of the first LOCKS_NOTED holds, in nanoseconds.
int64_t locks_hold_ns(int64_t index);

// The longest duration of all holds, in nanoseconds.
int64_t locks_longest_ns(void);

enum { LOCKS_NOTED = 4096 };

#pragma clang assume_nonnull end

#endif
