// A VFS that passes all calls to the platform's VFS and times the write lock.

#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>
#include <time.h>

#include "locks.h"

// The index of the write lock among the locks of a WAL index
// (https://sqlite.org/walformat.html#locks).
enum { WRITE_LOCK = 0 };

const char *const locks_vfs = "floor-locks";

typedef struct {
  sqlite3_file base;
  // The time at which the lock was taken; 0 while it is not held.
  int64_t held_since;
  // The platform's own file, in the memory that follows.
  sqlite3_file *inner;
} LockFile;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t holds[LOCKS_NOTED];
static int64_t hold_count;
static int64_t longest;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void note(int64_t ns) {
  pthread_mutex_lock(&mutex);
  if (hold_count < LOCKS_NOTED) holds[hold_count] = ns;
  hold_count += 1;
  if (ns > longest) longest = ns;
  pthread_mutex_unlock(&mutex);
}

void locks_reset(void) {
  pthread_mutex_lock(&mutex);
  hold_count = 0;
  longest = 0;
  pthread_mutex_unlock(&mutex);
}

int64_t locks_count(void) {
  pthread_mutex_lock(&mutex);
  int64_t count = hold_count;
  pthread_mutex_unlock(&mutex);
  return count;
}

int64_t locks_hold_ns(int64_t index) {
  pthread_mutex_lock(&mutex);
  int64_t ns = index >= 0 && index < hold_count && index < LOCKS_NOTED ? holds[index] : 0;
  pthread_mutex_unlock(&mutex);
  return ns;
}

int64_t locks_longest_ns(void) {
  pthread_mutex_lock(&mutex);
  int64_t ns = longest;
  pthread_mutex_unlock(&mutex);
  return ns;
}

// MARK: What is timed

static int shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  LockFile *locked = (LockFile *)file;
  int code = locked->inner->pMethods->xShmLock(locked->inner, offset, count, flags);
  if (code != SQLITE_OK || offset > WRITE_LOCK || !(flags & SQLITE_SHM_EXCLUSIVE)) return code;
  if (flags & SQLITE_SHM_LOCK) {
    locked->held_since = now();
  } else if (locked->held_since != 0) {
    note(now() - locked->held_since);
    locked->held_since = 0;
  }
  return code;
}

// MARK: What is passed on

#define INNER(file) (((LockFile *)(file))->inner)
#define PASS(file, method, ...) INNER(file)->pMethods->method(INNER(file), ##__VA_ARGS__)

static int file_close(sqlite3_file *file) { return PASS(file, xClose); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return PASS(file, xRead, bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  return PASS(file, xWrite, bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return PASS(file, xTruncate, size);
}

static int file_sync(sqlite3_file *file, int flags) { return PASS(file, xSync, flags); }

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return PASS(file, xFileSize, size);
}

static int file_lock(sqlite3_file *file, int level) { return PASS(file, xLock, level); }

static int file_unlock(sqlite3_file *file, int level) { return PASS(file, xUnlock, level); }

static int file_check_lock(sqlite3_file *file, int *answer) {
  return PASS(file, xCheckReservedLock, answer);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return PASS(file, xFileControl, operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return PASS(file, xSectorSize); }

static int file_traits(sqlite3_file *file) { return PASS(file, xDeviceCharacteristics); }

static int shm_map(
    sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
  return PASS(file, xShmMap, region, size, extends, memory);
}

static void shm_barrier(sqlite3_file *file) { PASS(file, xShmBarrier); }

static int shm_unmap(sqlite3_file *file, int deletes) { return PASS(file, xShmUnmap, deletes); }

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_traits,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

static int file_open(
    sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *opened) {
  LockFile *locked = (LockFile *)file;
  sqlite3_vfs *inner = sqlite3_vfs_find(NULL);
  (void)vfs;
  locked->inner = (sqlite3_file *)(locked + 1);
  locked->held_since = 0;
  int code = inner->xOpen(inner, path, locked->inner, flags, opened);
  file->pMethods = locked->inner->pMethods == NULL ? NULL : &methods;
  return code;
}

int locks_register(void) {
  static sqlite3_vfs vfs;
  int code = sqlite3_initialize();
  if (code != SQLITE_OK || sqlite3_vfs_find(locks_vfs) != NULL) return code;
  vfs = *sqlite3_vfs_find(NULL);
  vfs.pNext = NULL;
  vfs.zName = locks_vfs;
  vfs.szOsFile += (int)sizeof(LockFile);
  vfs.xOpen = file_open;
  return sqlite3_vfs_register(&vfs, 0);
}
