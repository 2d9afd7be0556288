"""What the daemon's log (JSON lines) says: polls with their due times, truncations, lines at error level."""
import json
from datetime import datetime

POLL_ENDS = ('poll ended', 'stream is open')


def seconds(text):
    return datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()


class Journal:
    def __init__(self, path):
        self.levels, self.messages, self.errors, self.polls, self.truncated = {}, {}, [], {}, 0
        self.unreadable, self.abandoned, self.given_up = [], [], {}
        begun = {}
        with open(path) as file:
            for text in file:
                try:
                    line = json.loads(text)
                except ValueError:
                    self.unreadable.append(text.strip()[:200])
                    continue
                self.take(line, seconds(line['time']), begun)
        for source, beginning in begun.items():
            self.abandon(source, beginning, float('inf'))

    def take(self, line, at, begun):
        message, level = line['message'], line['level']
        self.levels[level] = self.levels.get(level, 0) + 1
        self.messages[message] = self.messages.get(message, 0) + 1
        if level in ('error', 'critical'):
            self.errors.append((at, line))
        if message == 'poll started':
            if line['source'] in begun:
                self.abandon(line['source'], begun.pop(line['source']), at)
            begun[line['source']] = (seconds(line['due']), at)
        elif message in POLL_ENDS:
            due, started = begun.get(line['source'], (seconds(line['due']), at))
            if message == 'poll ended':
                begun.pop(line['source'], None)
            self.polls.setdefault(line['source'], []).append(
                Poll(due, started, at, seconds(line['next']), line.get('error'), message == 'stream is open'))
        elif message == 'truncation ended':
            self.truncated += int(line['events'])
        elif message == 'document given up':
            self.given_up.setdefault(line['url'].rsplit('/', 1)[1], []).append(at)

    def abandon(self, source, beginning, at):
        """A poll that has no end: a reload has given it up."""
        self.abandoned.append((source, beginning[0], at))

    def early(self, excuses):
        """Polls that began before the time that the one before has named; excuses: (source, from, to) of commands."""
        found = []
        for source, polls in self.polls.items():
            for before, after in zip(polls, polls[1:]):
                if before.is_stream or after.is_stream:
                    continue
                is_asked = any(name in (source, None) and start - 0.2 <= after.due <= end + 0.2 or
                               name in (source, None) and before.ended <= end and start <= after.due
                               for name, start, end in excuses)
                if after.due < before.next - 0.05 and not is_asked:
                    found.append('%s: due %.3f s before its time' % (source, before.next - after.due))
        return found

    def unasked(self, arrivals):
        """First requests outside of any poll."""
        found = []
        for source, at in arrivals:
            polls = self.polls.get(source, ())
            is_last = not polls or at > polls[-1].ended
            times = [(poll.due, poll.ended) for poll in polls] + [
                (due, end) for name, due, end in self.abandoned if name == source]
            if not is_last and not any(due - 0.05 <= at <= end + 0.5 for due, end in times):
                found.append('%s at %.3f' % (source, at))
        return found


class Poll:
    def __init__(self, due, started, ended, next, error, is_stream):
        self.due, self.started, self.ended, self.next = due, started, ended, next
        self.error, self.is_stream = error, is_stream
