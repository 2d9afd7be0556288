#include "CSQLiteSetup.h"
#include <sqlite3.h>

// SQLite counts each piece of memory that it takes, under a lock of the whole process, for sqlite3_memory_used(3) and
// limits to it, which nothing here asks for. It has to be told before it is used at all.
__attribute__((constructor)) static void do_not_count_memory(void) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
