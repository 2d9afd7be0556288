"""What goes wrong on the way: for the n-th request of an address always the same, by the seed."""
import random

# How the answer to a request differs from a plain one, and how often (of a thousand). The first three do no harm.
WEIGHTS = {
    'chunked': 60, 'gzip': 60, 'slow': 40,
    'http_500': 40, 'http_503': 25, 'http_404': 12, 'retry_after': 20,
    'reset': 30, 'reset_in_body': 30, 'cut': 30, 'stalled': 8,
    'broken': 30, 'html': 25, 'empty': 15, 'redirect': 40, 'moved': 15, 'circle': 8,
}
# Faults of a stream, at its opening or after a while.
STREAM_WEIGHTS = {'end': 40, 'cut': 25, 'reset': 25, 'http_503': 10}


class Faults:
    """Deals faults out; `fired` counts them by name."""

    def __init__(self, seed):
        self.seed, self.numbers, self.fired, self.is_quiet = seed, {}, {}, False

    def chance(self, address):
        """Chance of this request of an address."""
        number = self.numbers[address] = self.numbers.get(address, 0) + 1
        return random.Random('%s/%s/%d' % (self.seed, address, number))

    def deal(self, address):
        """The fault of the next request of an address; None: there is none."""
        chance = self.chance(address)
        names = [None, *WEIGHTS]
        fault = chance.choices(names, [1000 - sum(WEIGHTS.values()), *WEIGHTS.values()])[0]
        return None if self.is_quiet else fault, chance

    def hit(self, fault):
        """A fault has really happened."""
        self.fired[fault] = self.fired.get(fault, 0) + 1
