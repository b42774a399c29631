#pragma once
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

// sqlite3_db_config takes a variable number of arguments, which Swift cannot call.
static inline int csqlite_db_config_flag(sqlite3 *connection, int option, int value) {
  return sqlite3_db_config(connection, option, value, (int *)0);
}

// A virtual table whose rows are an array of integers, and a place in it. SQLite needs its own part
// to come first, which Swift does not promise of its structures.
typedef struct {
  sqlite3_vtab base;
  void *keys;
} csqlite_key_table;

typedef struct {
  sqlite3_vtab_cursor base;
  const sqlite3_int64 *next;
  const sqlite3_int64 *end;
} csqlite_key_cursor;
