#pragma once
#include <stdint.h>

// Settings of SQLite. Swift cannot call these functions, because they are variadic.

struct sqlite3;
extern int sqlite3_config(int, ...);
extern int sqlite3_db_config(struct sqlite3 *, int, ...);

// Turns off SQLITE_CONFIG_MEMSTATUS (9): the counts of memory, which nobody reads, have one lock for all threads. Call
// it before the first connection is opened. Returns a result code.
static inline int32_t leaveMemoryUncounted(void) { return sqlite3_config(9, 0); }

// Turns on SQLITE_DBCONFIG_DEFENSIVE (1010), by which no SQL can damage the file. Returns a result code.
static inline int32_t makeDefensive(struct sqlite3 *connection) {
    return sqlite3_db_config(connection, 1010, 1, (int *)0);
}
