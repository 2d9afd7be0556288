"""What the upstreams have to tell: items that come, change, vanish, return and roll off, all from a seed.

Time is real, chance is not: a world moves on in ticks, and the n-th tick of a world is the same in every run of one
seed. An item carries its token in its title, so that it is found again whatever becomes of its other names.
"""
import random
import re

TICK = 0.25
TOKEN = re.compile(r'\[([a-z]+\d+) r(\d+)\]')
WORDS = ('lava ash plume crater slope village road harbour fault tremor shake depth reading station night morning '
         'witness report office warning water wave coast island ridge valley sensor signal swarm sequence').split()
TOWNS = ('Lisbon', 'Reykjavík', 'Ponta Delgada', 'Nowhereville', 'Atlantis', '')


class Item:
    """Something that a feed lists: known by `token`, worded anew with each revision."""

    def __init__(self, token, born, time, leaves, chance):
        self.token, self.born, self.time, self.leaves = token, born, time, leaves
        self.revision, self.hidden_until, self.updated = 0, 0, born
        self.magnitude = round(chance.uniform(0.5, 6), 1)
        self.position = (round(chance.uniform(-179, 179), 3), round(chance.uniform(-80, 80), 3))
        self.town = chance.choice(TOWNS)
        self.topics = chance.sample(('world', 'science', 'sport'), chance.choice((1, 1, 2)))
        # What a feed gives as the date: mostly the truth, sometimes nothing or a time to come.
        self.dating = chance.choices(('true', 'none', 'future'), (94, 3, 3))[0]
        self.text = ' '.join(chance.choices(WORDS, k=chance.randint(30, 400)))

    @property
    def title(self):
        return '[%s r%d] lava at %s' % (self.token, self.revision, self.town or 'sea')


class World:
    """The items of one upstream."""

    def __init__(self, seed, name, prefix, pace, start):
        self.chance = random.Random('%s/%s' % (seed, name))
        self.name, self.prefix, self.pace, self.start = name, prefix, pace, start
        self.ticks = self.count = 0
        self.items = []
        self.cancelled = []
        self.is_frozen = False
        self.changed = start

    def advance(self, now):
        """Takes the ticks that have come until now."""
        while self.start + (self.ticks + 1) * TICK <= now and not self.is_frozen:
            self.ticks += 1
            self.tick(self.start + self.ticks * TICK)

    def tick(self, now):
        chance, pace, is_changed = self.chance, self.pace, False
        if chance.random() < pace.births * TICK:
            self.count += 1
            life = chance.uniform(*pace.lives)
            item = Item('%s%06d' % (self.prefix, self.count), now, now - (pace.max_age - life),
                        now + chance.uniform(0.3, 1.4) * life, chance)
            self.items.append(item)
            is_changed = True
        for item in self.items:
            if chance.random() < TICK / 40:
                item.revision += 1
                item.updated = now
                item.magnitude = round(item.magnitude + chance.choice((-0.1, 0.1)), 1)
                is_changed = True
            if chance.random() < TICK / 200:
                item.hidden_until = now + chance.uniform(2, 12)
                is_changed = True
        gone = [item for item in self.items if item.leaves <= now]
        if gone:
            self.items = [item for item in self.items if item.leaves > now]
            is_changed = True
        if is_changed:
            self.changed = now

    def listed(self, now):
        """The items that are shown now, the newest first."""
        return [item for item in reversed(self.items) if item.hidden_until <= now]


class Pace:
    """How fast things happen, from how long the soak lasts: what comes in the first third expires before the second
    ends, so that the store is as full at the end as in the middle."""

    def __init__(self, seconds, births):
        self.max_age = int(min(300, max(60, seconds / 6)))
        longest = min(self.max_age, seconds / 4)
        self.lives = (longest * 0.4, longest)
        self.births = births * (1 if seconds >= 600 else 2)
