// How long the write lock is held.
//
// A VFS over the platform's own (https://sqlite.org/vfs.html) that passes everything on, and notes
// for how long each of its files holds the one lock that a writer needs in WAL mode: from the moment
// when SQLite has it until SQLite gives it back. Connections that are opened with other VFSs take
// the same locks and are not noted.

#ifndef LOCKS_H
#define LOCKS_H

#include <stdint.h>

#pragma clang assume_nonnull begin

// The name of the VFS, after locks_register.
extern const char *const locks_vfs;

// Registers the VFS, once however often it is called.
int locks_register(void);

// Forgets what was noted.
void locks_reset(void);

// How often the lock was held and given back.
int64_t locks_count(void);

// The time of one of the first LOCKS_NOTED holds, in nanoseconds.
int64_t locks_hold_ns(int64_t index);

// The longest time of all, in nanoseconds.
int64_t locks_longest_ns(void);

enum { LOCKS_NOTED = 4096 };

#pragma clang assume_nonnull end

#endif
