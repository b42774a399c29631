// Writes of many rows in one statement, without history: two plans beside one statement per row.
//
// FLOOR_VALUES binds the values of all rows to one statement. FLOOR_TABLE reads them from the virtual
// table floor_slips (https://sqlite.org/vtab.html). Which plan is the fastest is measured.

#include <stdlib.h>

#include "parts.h"

// MARK: The virtual table

typedef struct {
  sqlite3_vtab base;
  const FloorSlips *slips;
} SlipTable;

typedef struct {
  sqlite3_vtab_cursor base;
  int64_t index;
} SlipCursor;

static int slip_connect(
    sqlite3 *connection, void *slips, int count, const char *const *arguments,
    sqlite3_vtab **result, char **message) {
  (void)count, (void)arguments, (void)message;
  SlipTable *table = calloc(1, sizeof(SlipTable));
  if (table == NULL) return SQLITE_NOMEM;
  table->slips = slips;
  *result = &table->base;
  return sqlite3_declare_vtab(
      connection,
      "CREATE TABLE slips(key INTEGER, version INTEGER, name TEXT, kind INTEGER, quantity INTEGER, "
      "price REAL, changed REAL)");
}

static int slip_disconnect(sqlite3_vtab *table) {
  free(table);
  return SQLITE_OK;
}

static int slip_best_index(sqlite3_vtab *table, sqlite3_index_info *plan) {
  (void)table;
  plan->estimatedRows = 10;
  plan->estimatedCost = 1;
  return SQLITE_OK;
}

static int slip_open(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
  (void)table;
  SlipCursor *cursor = calloc(1, sizeof(SlipCursor));
  if (cursor == NULL) return SQLITE_NOMEM;
  *result = &cursor->base;
  return SQLITE_OK;
}

static int slip_close(sqlite3_vtab_cursor *cursor) {
  free(cursor);
  return SQLITE_OK;
}

static int slip_filter(
    sqlite3_vtab_cursor *cursor, int plan, const char *name, int count, sqlite3_value **values) {
  (void)plan, (void)name, (void)count, (void)values;
  ((SlipCursor *)cursor)->index = 0;
  return SQLITE_OK;
}

static int slip_next(sqlite3_vtab_cursor *cursor) {
  ((SlipCursor *)cursor)->index += 1;
  return SQLITE_OK;
}

static const FloorSlips *slips_of(sqlite3_vtab_cursor *cursor) {
  return ((SlipTable *)cursor->pVtab)->slips;
}

static int slip_is_at_end(sqlite3_vtab_cursor *cursor) {
  return ((SlipCursor *)cursor)->index >= slips_of(cursor)->count;
}

static int slip_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column) {
  const FloorSlips *slips = slips_of(cursor);
  int64_t index = ((SlipCursor *)cursor)->index;
  const FloorItem *item = slips->items == NULL ? &slips->all : &slips->items[index];
  switch (column) {
  case 0: sqlite3_result_int64(context, slips->first_key + index); break;
  case 1: sqlite3_result_int64(context, slips->version); break;
  case 2: sqlite3_result_text(context, item->name, sizeof item->name, SQLITE_STATIC); break;
  case 3: sqlite3_result_int64(context, item->kind); break;
  case 4: sqlite3_result_int64(context, item->quantity); break;
  case 5: sqlite3_result_double(context, item->price); break;
  default: sqlite3_result_double(context, item->changed); break;
  }
  return SQLITE_OK;
}

static int slip_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row) {
  *row = ((SlipCursor *)cursor)->index;
  return SQLITE_OK;
}

static const sqlite3_module slip_module = {
    .iVersion = 1,
    .xConnect = slip_connect,
    .xBestIndex = slip_best_index,
    .xDisconnect = slip_disconnect,
    .xOpen = slip_open,
    .xClose = slip_close,
    .xFilter = slip_filter,
    .xNext = slip_next,
    .xEof = slip_is_at_end,
    .xColumn = slip_column,
    .xRowid = slip_rowid,
};

int floor_register_slips(Floor *floor) {
  return sqlite3_create_module(floor->connection, "floor_slips", &slip_module, &floor->slips);
}

// MARK: Statements

typedef enum { INSERT_MANY, UPDATE_MANY, DELETE_MANY } ManyKind;

// What precedes, repeats and follows the parameters of one row.
static const struct {
  const char *before, *row, *after, *table;
} sql[FLOOR_MANY_COUNT] = {
    [INSERT_MANY] =
        {"INSERT INTO Slip VALUES", "(?,?,?,?,?,?,?)", "", "INSERT INTO Slip SELECT * FROM floor_slips"},
    [UPDATE_MANY] =
        {"UPDATE Slip SET _version = v.column2, quantity = v.column3, price = v.column4 FROM (VALUES",
         "(?,?,?,?)", ") AS v WHERE _key = v.column1",
         "UPDATE Slip SET _version = v.version, quantity = v.quantity, price = v.price "
         "FROM floor_slips AS v WHERE _key = v.key"},
    [DELETE_MANY] =
        {"DELETE FROM Slip WHERE _key IN (", "?", ")",
         "DELETE FROM Slip WHERE _key IN (SELECT key FROM floor_slips)"},
};

static int prepare(Floor *floor, FloorMany *many, const char *text) {
  sqlite3_finalize(many->statement);
  many->statement = NULL;
  return sqlite3_prepare_v3(
      floor->connection, text, -1, SQLITE_PREPARE_PERSISTENT, &many->statement, NULL);
}

// The statement is kept for further writes of as many rows.
static int take(Floor *floor, ManyKind kind, FloorPlan plan, FloorMany **result) {
  FloorMany *many = &floor->many[kind];
  *result = many;
  int64_t count = plan == FLOOR_TABLE ? 0 : floor->slips.count;
  if (many->statement != NULL && many->count == count) return SQLITE_OK;
  many->count = count;
  if (plan == FLOOR_TABLE) return prepare(floor, many, sql[kind].table);
  sqlite3_str *text = sqlite3_str_new(floor->connection);
  sqlite3_str_appendall(text, sql[kind].before);
  for (int64_t row = 0; row < count; row++) {
    if (row > 0) sqlite3_str_appendchar(text, 1, ',');
    sqlite3_str_appendall(text, sql[kind].row);
  }
  sqlite3_str_appendall(text, sql[kind].after);
  char *whole = sqlite3_str_finish(text);
  if (whole == NULL) return SQLITE_NOMEM;
  int code = prepare(floor, many, whole);
  sqlite3_free(whole);
  return code;
}

static void bind(sqlite3_stmt *statement, ManyKind kind, const FloorSlips *slips) {
  int place = 1;
  for (int64_t row = 0; row < slips->count; row++) {
    const FloorItem *item = slips->items == NULL ? &slips->all : &slips->items[row];
    sqlite3_bind_int64(statement, place++, slips->first_key + row);
    if (kind == DELETE_MANY) continue;
    sqlite3_bind_int64(statement, place++, slips->version);
    if (kind == INSERT_MANY) {
      sqlite3_bind_text(statement, place++, item->name, sizeof item->name, SQLITE_STATIC);
      sqlite3_bind_int64(statement, place++, item->kind);
    }
    sqlite3_bind_int64(statement, place++, item->quantity);
    sqlite3_bind_double(statement, place++, item->price);
    if (kind == INSERT_MANY) sqlite3_bind_double(statement, place++, item->changed);
  }
}

static int write_many(
    Floor *floor, ManyKind kind, FloorPlan plan, FloorSlips slips, int64_t *changed) {
  floor->slips = slips;
  FloorMany *many;
  int code = take(floor, kind, plan, &many);
  if (code != SQLITE_OK) return code;
  if (plan == FLOOR_VALUES) bind(many->statement, kind, &floor->slips);
  code = floor_begin(floor);
  if (code == SQLITE_OK) code = floor_run(many->statement);
  *changed = sqlite3_changes64(floor->connection);
  return floor_end(floor, code);
}

int floor_insert_many(
    Floor *floor, FloorPlan plan, const FloorItem *items, int64_t count, int64_t first_key,
    int64_t version) {
  FloorSlips slips = {.items = items, .count = count, .first_key = first_key, .version = version};
  int64_t changed;
  return write_many(floor, INSERT_MANY, plan, slips, &changed);
}

int floor_update_many(
    Floor *floor, FloorPlan plan, int64_t first_key, int64_t count, int64_t version,
    int64_t quantity, double price) {
  FloorSlips slips = {.count = count, .first_key = first_key, .version = version};
  slips.all.quantity = quantity;
  slips.all.price = price;
  int64_t changed;
  return write_many(floor, UPDATE_MANY, plan, slips, &changed);
}

int floor_delete_many(
    Floor *floor, FloorPlan plan, int64_t first_key, int64_t count, int64_t *deleted) {
  FloorSlips slips = {.count = count, .first_key = first_key};
  return write_many(floor, DELETE_MANY, plan, slips, deleted);
}

void floor_free_plans(Floor *floor) {
  for (int kind = 0; kind < FLOOR_MANY_COUNT; kind++) {
    sqlite3_finalize(floor->many[kind].statement);
  }
}
