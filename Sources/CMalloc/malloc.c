#include "CMalloc.h"
#include <jemalloc/jemalloc.h>
#include <stddef.h>

// malloc(3) of the whole process is jemalloc's, which reads this before main. MALLOC_CONF in the environment wins.
//
// One arena, and runs of one page for all that is small: what stays after a poll then shares its pages with little that
// is free. Threads keep little for themselves, up to 2 KiB each, which does without most locks. What the threads of a
// poll leave when they end, some seconds after it, a thread of jemalloc's own gives back; it sleeps while there is none.
const char *malloc_conf =
    "narenas:1,slab_sizes:1-4096:1,lg_tcache_max:11,tcache_nslots_small_max:20,lg_tcache_nslots_mul:0,"
    "dirty_decay_ms:300,muzzy_decay_ms:0,background_thread:true,max_background_threads:1";

void cmalloc_flush_thread(void) {
    mallctl("thread.tcache.flush", NULL, NULL, NULL, 0);
}

void cmalloc_give_back(void) {
    cmalloc_flush_thread();
    mallctl("arena.0.purge", NULL, NULL, NULL, 0);
}
