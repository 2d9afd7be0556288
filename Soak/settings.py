"""The configurations of a soak: sources on this machine, polled each second or two; one edit that is good, one that is
not."""

GAP = 0.5
INTERVALS = {'quakes': 2, 'strong': 3, 'news': 4, 'atom': 1, 'alerts': 3, 'extra': 2, 'lines': 10, 'stream': 20}
# Seconds from one truncation to the next.
TRUNCATION = 10
# Sources that an edit touches, whose polls under way may be given up.
TOUCHED = ('atom', 'extra')


def configuration(run, sites, max_age, is_edited=False):
    """The file's text; the edit takes `extra` away and asks `atom` less often."""
    intervals = dict(INTERVALS, atom=2 if is_edited else 1)
    lines = ['database: %s/soak.sqlite' % run, 'control_socket: %s/control.sock' % run,
             'log: {level: debug, format: json}', 'disk: {minimum_free: 16MiB}',
             'fetch: {per_host_gap: %dms, connect_timeout: 5s, stall_timeout: 4s, total_timeout: 20s}' % (GAP * 1000),
             'truncation: {first: %ds, interval: %ds}' % (TRUNCATION, TRUNCATION), 'sources:']

    def source(name, kind, url, *more):
        if is_edited and name == 'extra':
            return
        lines.append('  - {name: %s, kind: %s, url: "%s", refresh_interval: %ds, offset: 0s, max_age: %ds%s}' % (
            name, kind, url, intervals[name], max_age, ''.join(', ' + option for option in more)))

    source('quakes', 'usgs', sites['quakes'].url + '/quakes/{period}.geojson', 'period: all_hour')
    source('strong', 'usgs', sites['quakes'].url + '/quakes/{period}.geojson', 'period: 2.5_hour')
    source('news', 'rss', sites['news'].url + '/news/{topic}.xml', 'topics: [world, science, sport]')
    source('atom', 'rss', sites['atom'].url + '/atom.xml')
    source('extra', 'rss', sites['extra'].url + '/extra.xml')
    source('alerts', 'cap', sites['alerts'].url + '/alerts.xml', 'most_documents: 20')
    source('lines', 'twitter', 'file://%s/lines/lines.json' % run, 'enabled: true')
    source('stream', 'twitter', sites['stream'].url + '/stream', 'enabled: true', 'mode: stream', 'query: lava',
           'bearer_token_file: %s/token' % run, 'monthly_cap: 10000000')
    return '\n'.join(lines) + '\n'


def broken(text):
    """The same with two faults."""
    return text.replace('max_age:', 'max_aeg:', 1).replace('refresh_interval: 3s', 'refresh_interval: 10ms', 1)
