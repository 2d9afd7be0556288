"""The oracle's eye on requests: gap and one at a time for each host, Retry-After, validators."""
import threading

# What a busy machine may add to or take from a time between two arrivals.
TOLERANCE = 0.05


class Politeness:
    """For all threads."""

    def __init__(self, gap):
        self.gap, self.lock = gap, threading.Lock()
        self.faults = {'gap': [], 'at a time': [], 'Retry-After': [], 'validators': []}
        self.last, self.open, self.alone = {}, {}, {}
        self.expected, self.served = {}, {}
        self.arrivals = []
        self.requests = self.conditional = self.unchanged = 0

    def arrived(self, site, request, source):
        """A request has come; source: whose first request of a poll it is, or None."""
        with self.lock:
            self.requests += 1
            last = self.last.get(site)
            # An arrival is later than its start by what the machine pleases, so half of the gap is what must be kept.
            if last is not None and request.at - last < self.gap / 2:
                self.note('gap', '%s: %s after %.3f s' % (site, request.path, request.at - last))
            self.last[site] = request.at
            others = self.open.setdefault(site, {})
            # One whose connection is closed was given up, as by an edit of its source.
            others = self.open[site] = {each: path for each, path in others.items() if not each.reader.at_eof()}
            if others:
                self.note('at a time', '%s: %s beside %s' % (site, request.path, list(others.values())))
            others[request] = request.path
            until = self.alone.get(site, 0)
            if request.at < until - TOLERANCE:
                self.note('Retry-After', '%s: %s came %.2f s too early' % (site, request.path, until - request.at))
            if source:
                self.arrivals.append((source, request.at))

    def ended(self, site, request):
        with self.lock:
            self.open[site].pop(request, None)

    def leave_alone(self, site, until):
        with self.lock:
            self.alone[site] = until

    def validates(self, request, is_strict):
        """Looks at what a request says of the last answer of its address."""
        with self.lock:
            given = request.headers.get('if-none-match')
            if given is not None:
                self.conditional += 1
                if given not in self.served.get(request.target, ()):
                    self.note('validators', '%s: %s was never good' % (request.target, given))
            if is_strict and given != self.expected.get(request.target):
                self.note('validators', '%s: %s in place of %s' % (
                    request.target, given, self.expected.get(request.target)))

    def kept(self, request, etag):
        """A whole answer was delivered: it is what the next request has to name. None: it was not whole."""
        with self.lock:
            self.expected[request.target] = etag
            if etag:
                served = self.served.setdefault(request.target, [])
                served.append(etag)
                del served[:-50]

    def same(self):
        with self.lock:
            self.unchanged += 1

    def note(self, fault, what):
        self.faults[fault].append(what)
