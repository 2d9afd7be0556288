"""RSS: one feed of 50 MB, and 1 000 feeds of 50 items from a loopback server."""
import os

from support import PROGRAM, SHARED, bar, benchlib, configuration, copy, database, empty_database, free_port, \
    ratio, require, served, settle, state
from benchlib import Case, PY, compare, data, fresh_events, peer, ref

OURS = 'visiventd'
PLAIN = 'visiventd, full_text: false'
C = 'C libcurl + libxml2 + sqlite3'
FAST = 'python fastfeedparser, 8 threads'
FEEDS, ITEMS = 1_000, 50_000


def parse(runs):
    """Decodes 50 MB of RSS from a file, without storing."""
    path = data('rss-50mb.xml')
    require(path, ref('rss_sax'), PY)
    cases = compare(
        'RSS, one feed of 50 MB, parsing alone', [
            Case(OURS, '%s decode rss %s --count' % (PROGRAM, path)),
            Case('C libxml2 SAX', '%s %s' % (ref('rss_sax'), path)),
            Case('python fastfeedparser', '%s parse fastfeedparser %s' % (peer('rss_feedparser.py'), path), runs=3),
        ], runs=runs, reference='C libxml2 SAX', rate=('MB/s', os.path.getsize(path) / 1e6))
    bar('RSS, 50 MB, of C libxml2 SAX', ratio(cases, OURS, 'C libxml2 SAX'), 3.4)


def sources(port, count=FEEDS):
    """Sources (name, kind, url) for the generated feeds on a port."""
    return [('f%04d' % n, 'rss', 'http://127.0.0.1:%d/feeds/f%04d.xml' % (port, n)) for n in range(count)]


FETCH = ('concurrency: 64', 'per_host_concurrency: 16')


def poll(runs):
    """Measures the first poll, one without full text, and one in which every feed answers 304."""
    require(data('feeds'), ref('feedpoll_ref'), PY, os.path.join(SHARED, 'peers'))
    os.environ['no_proxy'] = os.environ['NO_PROXY'] = '*'
    port, urls = free_port(), state('urls')
    feeds = sources(port)
    with open(urls, 'w') as file:
        file.writelines(url + '\n' for _, _, url in feeds)
    empty = empty_database()
    command = {}
    for label, name, top in ((OURS, 'rss', ()), (PLAIN, 'rss-plain', ('full_text: false',))):
        path = configuration(name, feeds, fetch=FETCH, top=top)
        command[label] = '%s poll --all --config %s' % (PROGRAM, path)
    file = {OURS: database('rss'), PLAIN: database('rss-plain'), C: state('rss-c.db'), FAST: state('rss-fast.db')}
    command[C] = '%s %s %s 16' % (ref('feedpoll_ref'), urls, file[C])
    command[FAST] = '%s poll fastfeedparser %s %s 8' % (peer('rss_feedparser.py'), urls, file[FAST])
    kept = {label: path + '.kept' for label, path in file.items()}

    def fresh(label):
        if label in (OURS, PLAIN):
            copy(empty, file[label])
        else:
            fresh_events(file[label])

    def counted(label):
        def after(row):
            found = benchlib.count(file[label])
            if found != str(ITEMS):
                row.setdefault('bad', 'items: ' + found)
            return {'items': found}
        return after

    def case(label, setup):
        return Case(label, command[label], lambda: setup(label), counted(label), runs=3 if label == FAST else None)

    with served(site(), port):
        title = 'RSS, 1,000 feeds of 50 items, first poll'
        cases = compare(title, [case(label, fresh) for label in file], runs=runs, reference=C, cols=('items',),
                        rate=('feeds/s', FEEDS))
        bar(title + ', of C without full text', ratio(cases, OURS, C), 4)
        bar(title + ' without full text, of C', ratio(cases, PLAIN, C), 2.5)
        bar(title + ', of fastfeedparser', ratio(cases, OURS, FAST))
        for label in (OURS, C, FAST):
            settle(file[label])
            copy(file[label], kept[label])
        title = 'RSS, 1,000 feeds, nothing changed (304)'
        cases = compare(title, [case(label, lambda label: copy(kept[label], file[label])) for label in (OURS, C, FAST)],
                        runs=runs, reference=C, cols=('items',), rate=('feeds/s', FEEDS))
        bar(title + ', of C', ratio(cases, OURS, C), 5)


def site():
    """Path of a folder with the generated feeds under the names in their URLs."""
    root = state('www')
    os.makedirs(root, exist_ok=True)
    link = os.path.join(root, 'feeds')
    if not os.path.islink(link):
        os.symlink(data('feeds'), link)
    return root
