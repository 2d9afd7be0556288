"""The oracle's book of events: what was offered in successful answers, and what snapshots of the database must hold."""
import threading
import time

from world import TOKEN

# Seconds after which a snapshot must have what was offered; and for which dates are coarser than our clock.
PATIENCE = 10
SLACK = 2


class Offer:
    """promised: since when it must be there; expiry: until when; latest: from when on it has to go."""

    def __init__(self, token, promised, expiry, latest):
        self.token, self.promised, self.expiry, self.latest = token, promised, expiry, latest
        self.is_seen = self.is_gone = False
        self.missing_since = None


class Ledger:
    """For all threads."""

    def __init__(self, overdue):
        """overdue: seconds after its expiry for which an event may stay."""
        self.lock, self.offers, self.overdue = threading.Lock(), {}, overdue
        self.faults = {'lost': [], 'doubled': [], 'came back': [], 'overdue': [], 'invented': []}
        self.known, self.seen = {}, set()
        self.snapshots = self.late = 0

    def promise(self, items, at, max_age, dating=lambda item: item.time):
        """Items of an answer that has been delivered whole; those that are too old already may be refused."""
        with self.lock:
            for item in items:
                first = self.known.setdefault(item.token, at)
                if item.token in self.offers:
                    continue
                date = dating(item)
                expiry, latest = ((seen if date is None else min(seen, date)) + max_age for seen in (first, at))
                if expiry > at + SLACK:
                    self.offers[item.token] = Offer(item.token, at, expiry, latest)

    def mention(self, items):
        """Items that may have come through now."""
        with self.lock:
            for item in items:
                self.known.setdefault(item.token, time.time())

    def judge(self, rows, began, ended):
        """A snapshot: (public id, provider, upstream id, title) of all events, read between two times."""
        tokens, names = {}, {}
        for public_id, provider, upstream_id, title in rows:
            found = TOKEN.search(title or '')
            if found:
                tokens.setdefault(found[1], set()).add(public_id)
            names.setdefault((provider, upstream_id), set()).add(public_id)
        with self.lock:
            self.snapshots += 1
            note = lambda fault, what: self.faults[fault].append('%s at %.1f' % (what, began))
            for name, holders in (*tokens.items(), *names.items()):
                if len(holders) > 1:
                    note('doubled', '%s is %s' % (name, ', '.join(sorted(holders))))
            self.seen.update(tokens)
            for token in tokens:
                offer = self.offers.get(token)
                if token not in self.known:
                    note('invented', token)
                if offer is None:
                    continue
                if offer.is_gone:
                    note('came back', token)
                offer.is_seen = True
                if began > offer.latest + self.overdue:
                    note('overdue', '%s, expired %.0f s ago' % (token, began - offer.latest))
                if offer.missing_since is not None:
                    offer.missing_since = None
                    self.late += 1
            for offer in self.offers.values():
                if offer.token not in tokens and not offer.is_gone:
                    self.judge_absent(offer, began, ended, note)

    def judge_absent(self, offer, began, ended, note):
        if ended < offer.expiry - SLACK:
            if offer.is_seen:
                note('lost', '%s was there and has gone %.1f s before its time' % (offer.token, offer.expiry - ended))
                offer.is_gone = True
            elif offer.promised + PATIENCE < began and offer.missing_since is None:
                offer.missing_since = began
        elif ended > offer.expiry:
            if offer.missing_since is not None:
                note('lost', '%s, offered at %.1f, was never there' % (offer.token, offer.promised))
            offer.is_gone = True

    def close(self):
        """The last word on what is missing still."""
        with self.lock:
            for offer in self.offers.values():
                if offer.missing_since is not None and not offer.is_gone:
                    self.faults['lost'].append('%s, offered at %.1f, is not there' % (offer.token, offer.promised))

    def summary(self):
        with self.lock:
            seen = sum(offer.is_seen for offer in self.offers.values())
            gone = sum(offer.is_seen and offer.is_gone for offer in self.offers.values())
            return len(self.offers), seen, gone
