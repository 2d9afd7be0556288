"""The checks of a soak, one line each, and the closing line."""
import sqlite3

from faults import STREAM_WEIGHTS, WEIGHTS
from ledger import PATIENCE, SLACK

RESULTS = []
# How much the last third may differ from the middle third.
FLAT = 1.10


def check(name, faults, detail='', excuse=''):
    """faults: what speaks against it, none: passed; None: it could not be looked at. excuse: why faults do not count."""
    if faults and excuse:
        detail = excuse
    word = 'skipped' if faults is None or faults and excuse else 'FAILED' if faults else 'passed'
    RESULTS.append(word)
    print('%-8s%s%s' % (word, name, ': ' + detail if detail else ''))
    for fault in (faults or [])[:10]:
        print('            ' + str(fault))
    if faults and len(faults) > 10:
        print('            and %d more' % (len(faults) - 10))


def timed(soak, name, faults, detail=''):
    """A check of when something happens, which cannot be judged if the machine stood still."""
    times = soak.standstill.times
    check(name, faults, detail, 'the machine stood still for %s' % soak.standstill if times else '')


def closing_line():
    return '%d passed, %d failed, %d skipped' % tuple(RESULTS.count(word) for word in ('passed', 'FAILED', 'skipped'))


def report(soak, journal, stopped, rest):
    """Prints all checks; whether one has failed."""
    print('\nfaults that have hit: ' + ', '.join('%s %d' % pair for pair in sorted(soak.faults.fired.items())))
    if stopped is None:
        check('the daemon has run to the end', ['it has ended with %s' % soak.process.returncode])
        return True
    events(soak, journal)
    requests(soak, journal)
    surroundings(soak, journal, stopped)
    flatness(soak, rest)
    return 'FAILED' in RESULTS


def events(soak, journal):
    ledger = soak.ledger
    offered, seen, gone = ledger.summary()
    check('no event is lost', ledger.faults['lost'], '%d offered, %d seen, %d of them expired' % (offered, seen, gone))
    check('no event is doubled', ledger.faults['doubled'])
    check('no event has come back', ledger.faults['came back'])
    timed(soak, 'no event is overdue', ledger.faults['overdue'])
    check('no event is invented', ledger.faults['invented'])
    check('what the stream has brought is counted', [] if soak.upstream.streamed else ['nothing has come'],
          '%d messages over %d connections' % (soak.upstream.streamed, soak.upstream.streams))
    check('what the file has held during a poll is there', missing_lines(soak, journal))
    check('the last revision counts', stale(soak, journal))
    check('truncation has removed events', [] if journal.truncated else ['none'], '%d' % journal.truncated)
    connection = sqlite3.connect('file:%s?mode=ro' % soak.database, uri=True)
    found = [row[0] for row in connection.execute('PRAGMA integrity_check') if row[0] != 'ok']
    connection.close()
    check('the database is whole', found)


def missing_lines(soak, journal):
    """Messages that stood in the file from the beginning to the end of a successful poll."""
    polls = [poll for poll in journal.polls.get('lines', ()) if not poll.error]
    missing = set()
    for poll in polls:
        for begun, ended, messages in soak.lines.versions:
            if begun < poll.due - 0.1 and ended > poll.ended + 0.1:
                for token, time in messages:
                    if token not in soak.ledger.seen and time + soak.max_age > poll.ended + PATIENCE:
                        missing.add(token)
    return sorted(missing) if polls else ['no poll has succeeded']


def stale(soak, journal):
    """Items that are listed at the end, but not as they are listed. A document that came broken twice is given up."""
    found = []
    for name, items in soak.now_listed.items():
        if name in ('stream', 'lines') or (name == 'extra' and soak.commands.is_edited):
            continue
        for item in items:
            offer = soak.ledger.offers.get(item.token)
            given_up = [at for at in journal.given_up.get(item.token + '.xml', ()) if at > item.updated]
            if not offer or offer.is_gone or len(given_up) > 1 or soak.ended_at >= offer.expiry - SLACK:
                continue
            if item.title not in soak.titles:
                found.append('%s: %s' % (name, item.title))
    return found


def requests(soak, journal):
    politeness = soak.politeness
    timed(soak, 'gap between the requests to a host', politeness.faults['gap'], '%d requests' % politeness.requests)
    timed(soak, 'one request to a host at a time', politeness.faults['at a time'])
    timed(soak, 'Retry-After is obeyed', politeness.faults['Retry-After'])
    check('each request names the last whole answer', politeness.faults['validators'],
          '%d conditional, %d answered 304' % (politeness.conditional, politeness.unchanged))
    polls = sum(len(polls) for polls in journal.polls.values())
    timed(soak, 'no poll before it is due', journal.early(soak.commands.excuses), '%d polls' % polls)
    timed(soak, 'no request without a poll', journal.unasked(politeness.arrivals))


def surroundings(soak, journal, stopped):
    names = {*(name for name in WEIGHTS), *('stream_' + name for name in STREAM_WEIGHTS), 'file_garbage',
             'file_missing'}
    missing = sorted(names - set(soak.faults.fired))
    # In a short soak rare faults may not have their turn.
    check('each kind of fault has hit', None if missing and soak.seconds < 600 else missing, ', '.join(missing))
    counts = soak.readers.counts
    timed(soak, 'readers are never refused', soak.readers.faults or [name for name in counts if not counts[name]],
          ', '.join('%s %d' % pair for pair in counts.items()))
    timed(soak, 'commands end as they should', soak.commands.faults,
          ', '.join('%s %d' % pair for pair in sorted(soak.commands.counts.items())))
    timed(soak, 'no line at error level without a cause', unscripted(soak, journal),
          ', '.join('%s %d' % pair for pair in sorted(journal.levels.items())))
    check('each line of the log is one', journal.unreadable)
    reloads = journal.messages.get('configuration was reloaded', 0)
    timed(soak, 'edits have come into force', [] if reloads else ['none'], '%d' % reloads)
    seconds, status = stopped
    timed(soak, 'SIGTERM ends it within 5 s', [] if seconds < 5 and status == 0 else [
        'ended with %d after %.1f s' % (status, seconds)], '%.1f s' % seconds)


def unscripted(soak, journal):
    found = []
    for at, line in journal.errors:
        is_file = line['message'] == 'source is failing' and line.get('source') == 'lines' and (
            line.get('error') == 'file_not_found')
        is_refusal = line['message'].startswith('configuration is refused') and any(
            start <= at <= end for start, end in soak.commands.refusals)
        if not is_file and not is_refusal:
            found.append(' '.join('%s=%s' % pair for pair in line.items()))
    return found


def flatness(soak, rest):
    for name, before, after, ratio in soak.series.judge():
        timed(soak, '%s stays flat' % name, [] if 1 / FLAT <= ratio <= FLAT or ratio < 1 else ['%.2f' % ratio],
              'middle third %.2f, last third %.2f' % (before, after))
    if rest is not None:
        for name, figure, fault in rest:
            check(name, [fault] if fault else [], figure)
