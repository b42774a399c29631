#pragma once
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>
#include <stdint.h>
#include <time.h>

// The milliseconds of a monotonic clock that is cheap to read and exact to a few milliseconds.
static inline int64_t csqlite_coarse_milliseconds(void) {
  struct timespec time = {0, 0};
#if defined(CLOCK_MONOTONIC_COARSE)
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
#elif defined(CLOCK_MONOTONIC_RAW_APPROX)
  clock_gettime(CLOCK_MONOTONIC_RAW_APPROX, &time);
#else
  clock_gettime(CLOCK_MONOTONIC, &time);
#endif
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// sqlite3_db_config takes a variable number of arguments, which Swift cannot call.
static inline int csqlite_db_config_flag(sqlite3 *connection, int option, int value) {
  return sqlite3_db_config(connection, option, value, (int *)0);
}

// sqlite3_config takes a variable number of arguments, too.
static inline int csqlite_get_allocator(sqlite3_mem_methods *methods) {
  return sqlite3_config(SQLITE_CONFIG_GETMALLOC, methods);
}

static inline int csqlite_set_allocator(sqlite3_mem_methods *methods) {
  return sqlite3_config(SQLITE_CONFIG_MALLOC, methods);
}

static inline int csqlite_turn_off_lookaside(void) {
  return sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

// SQLite then counts no memory, which takes a mutex that all threads share at every request.
static inline int csqlite_turn_off_memory_status(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// A virtual table whose rows lie in memory, and a place in it. SQLite needs its own part to come
// first, which Swift does not promise of its structures.
typedef struct {
  sqlite3_vtab base;
  void *rows;
} csqlite_memory_table;

typedef struct {
  sqlite3_vtab_cursor base;
  const void *next;
  const void *end;
  sqlite3_int64 stride;
} csqlite_memory_cursor;
