#pragma once
#include <stdint.h>

struct sqlite3;
// Swift cannot call this function, because it is variadic.
extern int sqlite3_db_config(struct sqlite3 *, int, ...);

// Turns on SQLITE_DBCONFIG_DEFENSIVE (1010), by which no SQL can damage the file. Returns a result code.
static inline int32_t makeDefensive(struct sqlite3 *connection) {
    return sqlite3_db_config(connection, 1010, 1, (int *)0);
}
