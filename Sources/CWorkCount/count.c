#include "CWorkCount.h"

#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static _Thread_local uint64_t bytes __attribute__((tls_model("initial-exec")));

void *malloc(size_t size) {
    bytes += size;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    bytes += count * size;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    bytes += size;
    return __libc_realloc(block, size);
}

uint64_t cwork_bytes(void) { return bytes; }

// LLVM's profile runtime, which is linked in only with coverage.
extern char *__llvm_profile_begin_counters(void) __attribute__((weak));
extern char *__llvm_profile_end_counters(void) __attribute__((weak));

bool cwork_counts_visits(void) { return __llvm_profile_begin_counters != NULL; }

uint64_t cwork_visits(void) {
    if (!cwork_counts_visits()) return 0;
    const uint64_t *counter = (const uint64_t *)__llvm_profile_begin_counters();
    const uint64_t *end = (const uint64_t *)__llvm_profile_end_counters();
    uint64_t sum = 0;
    while (counter < end) sum += *counter++;
    return sum;
}
