#include "CPoolMonitor.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

// On Linux libdispatch wakes up once a second, for ever, to see whether work waits in a global queue whose threads are
// all blocked, so that it may begin another (src/event/workqueue.c, _dispatch_workq_init_once). Nothing of ours blocks
// them, so once a minute is often enough. And when there is no descriptor left to read /proc with, that look ends the
// process (SIGILL), so it waits for the next minute.
//
// There is no switch for it: the linker (--wrap) leads its calls here. Where Swift's libraries are linked dynamically,
// as in debug builds, its calls stay inside of libdispatch.so, and all is as it was.

typedef void (*handler)(void *context);

void __real_dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway);
void __real_dispatch_source_set_event_handler_f(void *source, handler look);

static const uint64_t second = 1000000000;
static _Atomic(void *) monitor;
static handler look_at_pools;

static void look_if_descriptor_is_left(void *context) {
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    close(descriptor);
    look_at_pools(context);
}

void __wrap_dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
    // The first of all timers that repeat each second without leeway: it comes with the first thread of a global queue.
    void *none = NULL;
    if (interval == second && leeway == 0 && atomic_compare_exchange_strong(&monitor, &none, source)) {
        interval = 60 * second;
        leeway = 30 * second;
    }
    __real_dispatch_source_set_timer(source, start, interval, leeway);
}

void __wrap_dispatch_source_set_event_handler_f(void *source, handler look) {
    if (source == atomic_load(&monitor)) {
        look_at_pools = look;
        look = look_if_descriptor_is_left;
    }
    __real_dispatch_source_set_event_handler_f(source, look);
}
