/// Counts work in numbers that do not depend on the machine's speed, for tests.
///
/// This object defines `malloc`, `calloc` and `realloc` for the whole process; they count and pass on to glibc.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// The bytes that the calling thread has asked for so far. Growing a block counts its new size, since all of it may be
/// copied.
uint64_t cwork_bytes(void);

/// Whether the program was built with coverage counters (`swift test --enable-code-coverage`).
bool cwork_counts_visits(void);

/// How often all threads have passed the counted places of the program's own code: functions, branches and loops. 0
/// without counters.
uint64_t cwork_visits(void);
