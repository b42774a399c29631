#include "counts.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

// The open connections, and the sums of the connections that were closed.
static struct {
  pthread_mutex_t lock;
  // The thread whose connections are counted.
  pthread_t thread;
  sqlite3 *connections[COUNTS_CONNECTIONS_MAX];
  int count;
  SQLiteCounts done;
  // Not guarded by the lock: a statement ends while its connection is locked, and a reader of the
  // sums takes the two locks in the other order.
  atomic_llong vm_steps;
} noted = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int64_t status(sqlite3 *connection, int counter) {
  int value = 0;
  int highest = 0;
  sqlite3_db_status(connection, counter, &value, &highest, 0);
  return value;
}

static void add(SQLiteCounts *counts, sqlite3 *connection) {
  counts->page_reads += status(connection, SQLITE_DBSTATUS_CACHE_HIT);
  counts->page_reads += status(connection, SQLITE_DBSTATUS_CACHE_MISS);
  counts->page_writes += status(connection, SQLITE_DBSTATUS_CACHE_WRITE);
  counts->rows += sqlite3_total_changes64(connection);
}

static void forget(sqlite3 *connection) {
  pthread_mutex_lock(&noted.lock);
  for (int index = 0; index < noted.count; index++) {
    if (noted.connections[index] != connection) continue;
    add(&noted.done, connection);
    noted.connections[index] = noted.connections[--noted.count];
    break;
  }
  pthread_mutex_unlock(&noted.lock);
}

// Called when a statement has ended, and before a connection is closed.
static int traced(unsigned what, void *context, void *subject, void *detail) {
  (void)context;
  (void)detail;
  if (what == SQLITE_TRACE_CLOSE) forget(subject);
  if (what == SQLITE_TRACE_PROFILE) {
    atomic_fetch_add(&noted.vm_steps, sqlite3_stmt_status(subject, SQLITE_STMTSTATUS_VM_STEP, 1));
  }
  return 0;
}

static int note(sqlite3 *connection, const char **message, const void *routines) {
  (void)message;
  (void)routines;
  int code = SQLITE_OK;
  pthread_mutex_lock(&noted.lock);
  int is_own = pthread_equal(noted.thread, pthread_self());
  if (is_own && noted.count == COUNTS_CONNECTIONS_MAX) code = SQLITE_FULL;
  if (is_own && code == SQLITE_OK) noted.connections[noted.count++] = connection;
  pthread_mutex_unlock(&noted.lock);
  if (!is_own || code != SQLITE_OK) return code;
  return sqlite3_trace_v2(connection, SQLITE_TRACE_PROFILE | SQLITE_TRACE_CLOSE, traced, NULL);
}

int counts_start(void) {
  pthread_mutex_lock(&noted.lock);
  noted.thread = pthread_self();
  noted.count = 0;
  memset(&noted.done, 0, sizeof noted.done);
  atomic_store(&noted.vm_steps, 0);
  pthread_mutex_unlock(&noted.lock);
  return sqlite3_auto_extension((void (*)(void))note);
}

void counts_stop(void) { sqlite3_cancel_auto_extension((void (*)(void))note); }

void counts_read(SQLiteCounts *counts) {
  pthread_mutex_lock(&noted.lock);
  *counts = noted.done;
  counts->vm_steps = atomic_load(&noted.vm_steps);
  for (int index = 0; index < noted.count; index++) add(counts, noted.connections[index]);
  pthread_mutex_unlock(&noted.lock);
}

__attribute__((noinline)) void counts_mark(void) { __asm__ volatile("" ::: "memory"); }

void counts_spin(int64_t rounds) {
  for (int64_t round = 0; round < rounds; round++) {
    __asm__ volatile("nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop");
  }
}
