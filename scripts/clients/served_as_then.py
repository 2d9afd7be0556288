#!/usr/bin/env python3
"""`visiventd serve` on the past, compared with event_history_v1, and with a log whose beginning is gone:
served_as_then.py FOLDER PROGRAM"""
import contextlib
import http.client
import json
import sqlite3

from checks import DATABASE, RUN, ask, check, same
from served import CONFIGURATION, change, event, public_id, rfc3339, serving, visiventd

# The properties of a feature whose values stand in columns of the same name.
COLUMNS = ['title', 'magnitude', 'depth_km', 'status', 'category', 'place_text']


def known_then(identity, seq):
    """The columns of an event after a change: its row with the old values of later revisions, newest first."""
    row = event(identity)
    for revision in ask(f"SELECT * FROM event_history_v1 WHERE public_id = '{identity}' AND seq > {seq} "
                        'ORDER BY revision DESC'):
        row.update(json.loads(revision['previous_json']))
    return row


def same_then(properties, row):
    same({name: properties.get(name) for name in COLUMNS}, {name: row[name] for name in COLUMNS}, row['public_id'])


def item(service, identity, moment):
    return service.json(f'/collections/events/items/{identity}?as_of={moment}')['properties']


def page(service, moment):
    """The features that were known, by id."""
    document = service.json(f'/collections/events/items?limit=10000&as_of={moment}')
    return {feature['id']: feature['properties'] for feature in document['features']}


# MARK: - As known then

def revisions(service):
    revised = public_id('zz000010')
    numbers = [row['seq'] for row in ask(f"SELECT seq FROM changes_v1 WHERE public_id = '{revised}' ORDER BY seq")]

    @check('as_of: an earthquake has the magnitude of then, before and after each revision')
    def _():
        found = [item(service, revised, number)['magnitude'] for number in numbers]
        same(found, [3.1, 4.4, 4.6])
        for number in numbers:
            same_then(item(service, revised, number), known_then(revised, number))
            same_then(page(service, number)[revised], known_then(revised, number))

    @check('as_of: a time stands for the last change committed until then')
    def _():
        second = ask(f'SELECT at_ms FROM changes_v1 WHERE seq = {numbers[1]}')[0]['at_ms']
        same(item(service, revised, rfc3339(second))['magnitude'], 4.4, 'at the time of the change:')
        same(item(service, revised, rfc3339(second - 1))['magnitude'], 3.1, 'a millisecond before:')

    @check('as_of: before its first sight an event is in no list, and answered 404')
    def _():
        first = ask('SELECT min(seq) AS seq FROM changes_v1')[0]['seq']
        service.get(f'/collections/events/items/{revised}?as_of={first - 1}').problem(404)
        same(page(service, 0), {})

    @check('as_of: all events of a moment are those whose first change came before')
    def _():
        moment = numbers[1]
        expected = {row['public_id'] for row in ask(
            f"SELECT public_id FROM changes_v1 WHERE kind = 'new' AND seq <= {moment}")}
        # Truncated events are missing at every moment, as are erased ones.
        expected -= {row['public_id'] for row in ask("SELECT public_id FROM changes_v1 WHERE kind = 'truncated'")}
        expected -= {row['public_id'] for row in ask("SELECT public_id FROM events_v1 WHERE title = '(deleted)'")}
        gone = ask(f"SELECT public_id FROM changes_v1 WHERE kind IN ('withdrawn', 'merged') AND seq <= {moment}")
        survivors = {row['into_public_id'] for row in ask('SELECT into_public_id FROM merged_events_v1')}
        expected -= {row['public_id'] for row in gone} - survivors
        found = page(service, moment)
        same(set(found), expected)
        for identity in expected - {row['public_id'] for row in ask('SELECT public_id FROM merged_events_v1')}:
            same_then(found[identity], known_then(identity, moment))

    @check('as_of: the state after the last change is the present one')
    def _():
        newest = ask('SELECT max(seq) AS seq FROM changes_v1')[0]['seq']
        present = service.json('/collections/events/items?limit=10000')['features']
        same({key: value['title'] for key, value in page(service, newest).items()},
             {feature['id']: feature['properties']['title'] for feature in present})


def withdrawals(service):
    withdrawn = public_id('zz000011')

    @check('as_of: before its withdrawal an event stands as it stood')
    def _():
        seq = change(withdrawn, 'withdrawn')['seq']
        before, after = item(service, withdrawn, seq - 1), item(service, withdrawn, seq)
        same('withdrawn' in before, False, 'withdrawn before:')
        same(after['withdrawn'], 'deleted')
        same_then(before, known_then(withdrawn, seq - 1))
        same(withdrawn in page(service, seq - 1), True, 'in the list before:')
        same(withdrawn in page(service, seq), False, 'in the list after:')


def merges(service):
    merged = ask('SELECT * FROM merged_events_v1')[0]
    old, survivor = merged['public_id'], merged['into_public_id']

    @check('as_of: before a merge both events are there, afterwards one')
    def _():
        seq = change(old, 'merged')['seq']
        same({old, survivor} - set(page(service, seq - 1)), set(), 'missing before:')
        same(item(service, old, seq - 1)['magnitude'], 2.5)
        newest = ask('SELECT max(seq) AS seq FROM changes_v1')[0]['seq']
        same({old, survivor} & set(page(service, newest)), {survivor}, 'afterwards:')


def versions(service):
    revised = public_id('zz000010')

    @check('versions: each version of an event with the times at which it was known')
    def _():
        row = event(revised)
        columns = service.json('/collections/earthquakes/items?f=columns&versions=true&limit=10000'
                               f'&datetime={rfc3339(row["time_ms"])}')['columns']
        found = sorted(
            (columns['known_from'][i], columns['known_to'][i], columns['magnitude'][i])
            for i, identity in enumerate(columns['id']) if identity == revised)
        at = [row['at_ms'] for row in ask(f"SELECT at_ms FROM changes_v1 WHERE public_id = '{revised}' ORDER BY seq")]
        same(found, [(at[0], at[1], 3.1), (at[1], at[2], 4.4), (at[2], None, 4.6)])


# MARK: - A log whose beginning is gone

def cut_log():
    """A copy of the database whose first hundred changes are so old that a truncation has removed them; the number of
    the oldest change left."""
    path = RUN + '/cut.sqlite'
    with contextlib.closing(sqlite3.connect(DATABASE)) as source, contextlib.closing(sqlite3.connect(path)) as copy:
        source.backup(copy)
        copy.execute('UPDATE change SET at_ms = at_ms - 40 * 86400000 WHERE seq <= 100')
        copy.commit()
    with open(CONFIGURATION, encoding='utf-8') as file:
        configuration = file.read().replace('database: v.sqlite', 'database: cut.sqlite')
    with open(RUN + '/cut.yaml', 'w', encoding='utf-8') as file:
        file.write(configuration)
    visiventd('truncate', '--config', RUN + '/cut.yaml')
    return path, ask('SELECT min(seq) AS seq FROM changes_v1', path)[0]['seq']


def messages(service, target, **fields):
    """The messages of a stream that ends, as dictionaries."""
    connection = http.client.HTTPConnection(service.address, timeout=20)
    with contextlib.closing(connection):
        connection.request('GET', target, headers={'Accept': 'text/event-stream', **fields})
        response = connection.getresponse()
        same((response.status, response.headers['content-type']), (200, 'text/event-stream'))
        blocks = response.read().decode().split('\n\n')
    return [dict(line.split(': ', 1) for line in block.splitlines() if not line.startswith(':')) for block in blocks]


def cut(service, path, oldest):
    newest = ask('SELECT max(seq) AS seq FROM changes_v1', path)[0]['seq']

    @check('changes: a cursor before the oldest change is answered 410 with where to begin')
    def _():
        problem = service.get(f'/changes?after={oldest - 2}').problem(410)
        same((problem['parameter'], f'after={newest}' in problem['detail']), ('after', True), problem['detail'])
        same(service.json(f'/changes?after={oldest - 1}')['changes'][0]['seq'], oldest)
        same(service.json('/changes')['oldest'], oldest)

    @check('stream: a cursor before the oldest change gets a gap and the end')
    def _():
        for target, fields in [(f'/stream?after={oldest - 2}', {}), ('/stream', {'Last-Event-ID': str(oldest - 2)})]:
            gap = [message for message in messages(service, target, **fields) if message.get('event') == 'gap']
            same(len(gap), 1, 'gaps:')
            same(json.loads(gap[0]['data']), {'oldest': oldest, 'newest': newest})


with serving() as running:
    for group in [revisions, withdrawals, merges, versions]:
        group(running)
copy_of_database, first_kept = cut_log()
with serving(RUN + '/cut.yaml') as running:
    cut(running, copy_of_database, first_kept)
