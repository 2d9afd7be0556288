"""Times in which the whole machine stood still, as when a virtual machine is paused: no oracle can judge what a daemon
does in them."""
import threading
import time

STEP = 0.25
# Seconds by which a step comes late on a machine that is merely busy.
BUSY = 2


class Standstill:
    """Notices them by steps of its own that come late."""

    def __init__(self):
        self.times, self.is_over = [], threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def start(self):
        self.thread.start()

    def watch(self):
        last = time.time()
        while not self.is_over.wait(STEP):
            now = time.time()
            if now - last > STEP + BUSY:
                self.times.append((last, now))
            last = now

    def stop(self):
        self.is_over.set()
        self.thread.join()

    def __str__(self):
        return ', '.join('%.0f s at %.1f' % (end - start, start) for start, end in self.times)
